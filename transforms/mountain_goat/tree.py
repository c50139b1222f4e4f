"""The syntax tree of a Mountain Goat program, as it is written: parentheses are gone, names are not looked up.

A statement is on one line, and so are all the expressions in it. Nodes are immutable and compared by identity, since an
expression may nest `MAX_DEPTH` levels.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from transforms.mountain_goat.module import Shape

MAX_DEPTH = 10_000
"""How deeply expressions may nest, not counting parentheses; a chain such as a + b + c nests too, to the left."""

LARGEST = 10**15
"""The largest size or axis that can be written."""


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    name: str
    depth: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A compile-time scalar."""

    value: float
    depth: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A literal matrix."""

    value: np.ndarray
    depth: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Minus:
    """`-operand`."""

    operand: Expr
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Infix:
    """`left sign right`, where the sign is one of + - * / @."""

    sign: str
    left: Expr
    right: Expr
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Call:
    """A function applied to arguments."""

    function: str
    args: tuple[Expr, ...]
    depth: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Axes:
    """A list of two or more axes in parentheses, or of none. One axis in parentheses is a `Number`."""

    axes: tuple[Expr, ...]
    depth: int


Expr = Name | Number | Matrix | Minus | Infix | Call | Axes


@dataclass(frozen=True, slots=True, eq=False)
class Def:
    """A function of tensors; its parameters with their shapes."""

    line: int
    name: str
    parameters: tuple[tuple[str, Shape], ...]
    body: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Let:
    line: int
    name: str
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Print:
    line: int
    value: Expr


Statement = Def | Let | Print
