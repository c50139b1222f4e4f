"""Types of the first-order fragment: real arrays of a fixed shape, and finite products.

`real` is the array of shape `()`. The cotangent space of a type has the same structure as the type: C(array of
shape s) = R^s, C((t1, ..., tn)) = C(t1) x ... x C(tn), so one datatype describes values and cotangents alike.

Types may be nested as deeply as terms, so equality, hash and text work on a flat list of tokens instead of recursing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np


class _Flat:
    """Equality, hash and text of a type, from its tokens."""

    __slots__ = ()

    def tokens(self) -> Iterator[str]:
        """The type's concrete syntax, token by token, without recursion."""
        todo: list[Type | str] = [self]  # type: ignore[list-item]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                yield item
            elif isinstance(item, Array):
                yield "real" if item.shape == () else f"real[{','.join(map(str, item.shape))}]"
            else:
                todo.append(")")
                for k, part in reversed(list(enumerate(item.parts))):
                    todo.append(part)
                    todo.append(", " if k else "(")
                if not item.parts:
                    todo.append("(")

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Flat) and list(self.tokens()) == list(other.tokens()))

    def __hash__(self) -> int:
        return hash(tuple(self.tokens()))

    def __str__(self) -> str:
        return "".join(self.tokens())

    __repr__ = __str__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Array(_Flat):
    """Real arrays of one shape; `size` is the number of scalars."""

    shape: tuple[int, ...]
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", prod(self.shape))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Product(_Flat):
    """Tuples of the given types; `size` is the number of scalars in all."""

    parts: tuple[Type, ...]
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", sum(part.size for part in self.parts))


Type = Array | Product
REAL = Array(())


def units(type_: Type) -> Iterator[Any]:
    """The values of a type in which one number is 1 and all others are 0, in order: a basis."""
    return (_unit(type_, k) for k in range(type_.size))


def _unit(type_: Type, k: int) -> Any:
    """The value whose k-th number is 1 and all others 0; all 0 where there is no k-th."""
    if isinstance(type_, Array):
        return float(k == 0) if type_ == REAL else (np.arange(type_.size) == k).astype(float).reshape(type_.shape)
    parts = []
    for part in type_.parts:
        parts.append(_unit(part, k))
        k -= part.size
    return tuple(parts)


def full(type_: Type, value: float) -> Any:
    """The value of a type whose numbers are all `value`."""
    if isinstance(type_, Product):
        return tuple([full(part, value) for part in type_.parts])
    return value if type_ == REAL else np.full(type_.shape, value)


def brief(type_: Type) -> str:
    """The type's text for a message: cut in the middle where it is long."""
    text = str(type_)
    return text if len(text) <= 60 else f"{text[:40]} ... {text[-15:]}"
