"""Values of the core language.

Reals are floats, integers ints, unit is `()`, a pair is a tuple of two, a value of a sum is a `Left` or `Right`. Linear
values look the same, except that a linear product or sum may be absent, which is `None` and means zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from transforms.chad.types import LREAL, LUNIT, Type


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """A value of the left side of a sum, ordinary or linear."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Right:
    """A value of the right side of a sum, ordinary or linear."""

    value: Any


def zero_value(type_: Type) -> Any:
    """The zero of a linear type: products and sums are absent."""
    return () if type_ is LUNIT else 0.0 if type_ is LREAL else None


def size(linear: Any) -> int:
    """The nodes of a linear value: 1 for unit, a real and what is absent; 1 + the parts' for what is present."""
    nodes = 0
    todo = [linear]
    while todo:
        nodes += 1
        match todo.pop():
            case (left, right):
                todo += [left, right]
            case Left(value=part) | Right(value=part):
                todo.append(part)
    return nodes
