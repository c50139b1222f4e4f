"""Types of the first-order fragment: real arrays of a fixed shape, finite products, binary sums.

`real` is the array of shape `()`. The cotangent space of a type has the same structure as the type: C(array of
shape s) = R^s, C((t1, ..., tn)) = C(t1) x ... x C(tn), so one datatype describes values and cotangents alike. Of a sum,
a value is on one side, and its cotangents are those of what it injects: C(inl v) = C(v). So at a point every cotangent
space is that of a type without sums, the *layout* of the value there.

Types may be nested as deeply as terms, so equality, hash and text work on a flat list of tokens instead of recursing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from math import prod
from typing import Any

import numpy as np

from transforms.errors import TooLarge, WrongValue
from transforms.walks import MAX_DEPTH


class Flat:
    """Equality, hash and text of a type, from its tokens."""

    __slots__ = ()

    def tokens(self) -> Iterator[str]:
        """The type's concrete syntax, token by token, without recursion."""
        todo: list[Type | str] = [self]  # type: ignore[list-item]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                yield item
            else:
                todo.extend(reversed(item.pieces()))

    def pieces(self) -> Sequence[Type | str]:
        """The type's concrete syntax, its parts left as types."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if isinstance(self, Array) and isinstance(other, Array):  # what is compared most, without the detour
            return self.shape == other.shape
        if self is other or not isinstance(other, Flat):
            return self is other
        return all(a == b for a, b in zip_longest(self.tokens(), other.tokens()))

    def __hash__(self) -> int:
        return hash(tuple(self.tokens()))

    def __str__(self) -> str:
        return "".join(self.tokens())

    __repr__ = __str__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Array(Flat):
    """Real arrays of one shape; `size` is the number of scalars."""

    shape: tuple[int, ...]
    size: int = field(init=False)
    nodes = 1
    depth = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", prod(self.shape))

    def pieces(self) -> Sequence[Type | str]:
        return ("real" if self.shape == () else f"real[{','.join(map(str, self.shape))}]",)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Product(Flat):
    """Tuples of the given types; `size` is the number of scalars in all, `nodes` of types, as deep as `depth`."""

    parts: tuple[Type, ...]
    size: int = field(init=False)
    nodes: int = field(init=False)
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", sum([part.size for part in self.parts]))
        object.__setattr__(self, "nodes", 1 + sum([part.nodes for part in self.parts]))
        object.__setattr__(self, "depth", 1 + max([part.depth for part in self.parts], default=0))

    def pieces(self) -> Sequence[Type | str]:
        separated: list[Type | str] = ["("]
        for part in self.parts:
            separated += [part, ", "]
        return [*(separated[:-1] if self.parts else separated), ")"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sum(Flat):
    """Values of one type or of another, marked which; `size` is the number of scalars of the larger."""

    left: Type
    right: Type
    size: int = field(init=False)
    nodes: int = field(init=False)
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", max(self.left.size, self.right.size))
        object.__setattr__(self, "nodes", 1 + self.left.nodes + self.right.nodes)
        object.__setattr__(self, "depth", 1 + max(self.left.depth, self.right.depth))

    def pieces(self) -> Sequence[Type | str]:
        return ("(", self.left, " + ", self.right, ")")

    @property
    def sides(self) -> tuple[Type, Type]:
        return self.left, self.right


Type = Array | Product | Sum
MAX_NODES, MAX_NUMBERS = 1_000_000, 100_000_000
"""The most types in a type, and the most numbers in its values, where it is read or written part by part."""
COUNTABLE = 2**62
"""As these, where it is not: a few `let`s double a tuple again and again, and share its parts."""
REAL = Array(())
UNIT = Product(())
SIGN = Sum(Sum(UNIT, UNIT), UNIT)
"""What `sign` tells: negative or positive, or else zero or NaN."""
INJECTIONS = ("inl", "inr")


@dataclass(frozen=True, slots=True)
class Injected:
    """A value of a sum: what it is, and on which side, 0 (inl) or 1 (inr)."""

    side: int
    value: Any


def held(type_: Type) -> Type:
    """The type, if its values can be held part by part. Raises TooLarge."""
    if type_.nodes > MAX_NODES or type_.size > MAX_NUMBERS or type_.depth > MAX_DEPTH:
        raise TooLarge(
            f"too large a type: at most {MAX_NODES:,} types in it, {MAX_NUMBERS:,} numbers and {MAX_DEPTH:,} levels"
        )
    return type_


def shared(type_: Type, at: int) -> Type:
    """The type of the term at that place, if its parts can be counted. Raises TooLarge."""
    if type_.depth > MAX_DEPTH or max(type_.nodes, type_.size) > COUNTABLE:
        raise TooLarge(f"too large a type: at most {MAX_DEPTH:,} levels, and 2^62 types and numbers in it", at=at)
    return type_


def units(type_: Type) -> Iterator[Any]:
    """The values of a type without sums in which one number is 1 and all others are 0, in order: a basis."""
    return (_unit(type_, k) for k in range(type_.size))


def _unit(type_: Type, k: int) -> Any:
    """The value whose k-th number is 1 and all others 0; all 0 where there is no k-th."""
    if isinstance(type_, Array):
        return float(k == 0) if type_ == REAL else (np.arange(type_.size) == k).astype(float).reshape(type_.shape)
    parts = []
    assert isinstance(type_, Product)
    for part in type_.parts:
        parts.append(_unit(part, k))
        k -= part.size
    return tuple(parts)


def full(type_: Type, value: float) -> Any:
    """The value of a type whose numbers are all `value`; of a sum, on the left."""
    if isinstance(type_, Sum):
        return Injected(0, full(type_.left, value))
    if isinstance(type_, Product):
        return tuple([full(part, value) for part in type_.parts])
    return value if type_ == REAL else np.full(type_.shape, value)


def brief(type_: Type) -> str:
    """The type's text for a message: cut where it is long, and no more of it is made than is shown."""
    text = "".join(islice(type_.tokens(), 61))  # no token is empty
    return text if len(text) <= 60 else f"{text[:56]} ..."


def layout(value: Any) -> Type:
    """The type without sums that the cotangents of a value have: of an injected value, that of what it injects."""
    while isinstance(value, Injected):
        value = value.value
    if isinstance(value, tuple):
        return Product(tuple([layout(part) for part in value]))
    return Array(value.shape) if isinstance(value, np.ndarray) else REAL


def marked(ct: Any, primal: Any) -> Any:
    """A cotangent of a value's layout as one of its type: injected where the value is."""
    if isinstance(primal, Injected):
        return Injected(primal.side, marked(ct, primal.value))
    if isinstance(primal, tuple):
        return tuple([marked(part, of) for part, of in zip(ct, primal, strict=True)])
    return ct


def unmarked(ct: Any, primal: Any) -> Any:
    """The other way: a cotangent of a value's type as one of its layout. Raises WrongValue where the sides differ."""
    if isinstance(primal, Injected):
        if ct.side != primal.side:
            expected, found = INJECTIONS[primal.side], INJECTIONS[ct.side]
            raise WrongValue(f"the cotangent: expected {expected}, as is the value that it belongs to, found {found}")
        return unmarked(ct.value, primal.value)
    if isinstance(primal, tuple):
        return tuple([unmarked(part, of) for part, of in zip(ct, primal, strict=True)])
    return ct
