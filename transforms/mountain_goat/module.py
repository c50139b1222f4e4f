"""A Mountain Goat program as functions of typed instructions in static single assignment.

This is what the front end produces, what the `mg` dialect reads and writes, and what is inlined to a term:

    .mg text  ->  Module  <->  .mlir text
                    |
                    v
              straight line of `let`s: a Program of the fragment over array primitives

An instruction's `op` is an operation of the dialect without its prefix; its operands name values of the same function
(single assignment: a name is defined once, before it is used):

    op           operands        attributes
    constant                     value: array of doubles
    add sub mul div ge  a, b     of one shape (dimensions may be unknown); stretching is an explicit `broadcast`
    neg exp log sqrt relu  a
    scalar       a               kind: "add" | "sub" | "mul" | "div"; value: float; reversed: bool (value on the left)
    matmul       a, b
    transpose    a
    reshape      a               (the result's shape says to what)
    permute      a               permutation: tuple of axes; result axis i is operand axis permutation[i]
    reduce       a               axis: 0 | 1; kind: "sum" | "max"; the axis stays, with size 1
    broadcast    a               (the result's shape says to what; where it does not know the size of a dimension
                                 that is stretched, the other operand of the operation that uses the result does)
    cast         a               between shapes that differ only in what is known of them
    call         a, ...          callee: name of a function defined earlier
    print        a               in `main` only; no result
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int | None, ...]
"""The size of each dimension; None where it is known only at run time."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation: the name and shape of its result (None for print), its operands, where it stands in the source."""

    result: str | None
    op: str
    operands: tuple[str, ...]
    shape: Shape | None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Function:
    """A function of tensors: parameters with their shapes, instructions in order, the value it returns."""

    name: str
    parameters: tuple[tuple[str, Shape], ...]
    body: tuple[Instruction, ...]
    result: str
    shape: Shape
    line: int = 0


@dataclass(frozen=True, slots=True)
class Module:
    """A program: functions in order of definition, and the instructions of `main`.

    `lets` gives, for each name that a `let` of `main` binds, the values it was bound to in order, as (line, value); the
    value is "" for a compile-time scalar. A constant of `main` that a `let` binds is an input of the program.
    """

    functions: tuple[Function, ...]
    main: tuple[Instruction, ...]
    lets: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    file: str = ""


def shape_text(shape: Shape) -> str:
    """The shape as messages give it: 2x3, ?x3."""
    return "x".join("?" if size is None else str(size) for size in shape)
