"""Types of the core language: source types, linear types, and those of the target alone.

Source types are unit, integer, real, products and sums. The cotangents of a source type t live in the linear type
`t.linear`: those of unit and integer in the linear unit, those of a real in the linear real, and those of products and
sums in the linear product and sum of the parts' cotangents. The target adds functions and the accumulation monad;
there a product or sum may also contain linear types, and then has no `linear` of its own.

Types are built by the functions below alone, which never build the same type twice: equality is identity, and costs
nothing however deep a type is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from transforms.chad.errors import IllTyped


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Shown:
    def __str__(self) -> str:
        return _text(self)  # type: ignore[arg-type]

    __repr__ = __str__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ground(_Shown):
    name: str
    linear: Ground | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Product(_Shown):
    left: Type
    right: Type
    linear: LProduct | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sum(_Shown):
    left: Type
    right: Type
    linear: LSum | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LProduct(_Shown):
    """The linear product: absent, or a pair of linear values."""

    left: Type
    right: Type
    linear = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LSum(_Shown):
    """The linear sum: absent, or a linear value of one side."""

    left: Type
    right: Type
    linear = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Arrow(_Shown):
    """Functions."""

    argument: Type
    result: Type
    linear = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Monad(_Shown):
    """Computations that add to the slots of a context's cotangent and return a result."""

    slots: Slots
    result: Type
    linear = None


Type = Ground | Product | Sum | LProduct | LSum | Arrow | Monad

LUNIT, LREAL = Ground("lunit"), Ground("lreal")
UNIT, INTEGER, REAL = Ground("unit", LUNIT), Ground("integer", LUNIT), Ground("real", LREAL)


@cache
def product(left: Type, right: Type) -> Product:
    both = left.linear and right.linear
    return Product(left, right, linear_product(left.linear, right.linear) if both else None)


@cache
def coproduct(left: Type, right: Type) -> Sum:
    both = left.linear and right.linear
    return Sum(left, right, linear_coproduct(left.linear, right.linear) if both else None)


@cache
def linear_product(left: Type, right: Type) -> LProduct:
    return LProduct(left, right)


@cache
def linear_coproduct(left: Type, right: Type) -> LSum:
    return LSum(left, right)


@cache
def arrow(argument: Type, result: Type) -> Arrow:
    return Arrow(argument, result)


@cache
def monad(slots: Slots, result: Type) -> Monad:
    return Monad(slots, result)


def linear(type_: Type) -> Type:
    """Where the cotangents of a source type live. Raises IllTyped for other types."""
    if type_.linear is None:
        raise IllTyped(f"expected a source type, found {brief(type_)}")
    return type_.linear


SIGN = coproduct(coproduct(UNIT, UNIT), UNIT)
"""What `sign` returns: negative, positive, or else zero or NaN."""


class Slots:
    """The linear types of a context's slots, outermost variable first; `extend` opens one more at the inner end.

    A list linked from the inner end, so that the contexts of a chain of n binders take O(n) space together. Each cell
    also jumps far outwards (Myers, An applicative random-access stack), which finds any slot in O(log n).
    """

    __slots__ = ("_jump", "_outer", "_type", "size")

    def __init__(self, outer: Slots | None = None, type_: Type = LUNIT) -> None:
        self._outer = self._jump = outer or self
        self._type = type_
        self.size = outer.size + 1 if outer else 0
        if outer and outer.size - outer._jump.size == outer._jump.size - outer._jump._jump.size:
            self._jump = outer._jump._jump

    def __getitem__(self, level: int) -> Type:
        """The type of the slot that has `level` slots outside it."""
        if not 0 <= level < self.size:
            raise IndexError(level)
        cell = self
        while cell.size != level + 1:
            cell = cell._jump if cell._jump.size > level else cell._outer
        return cell._type

    @property
    def outer(self) -> Slots:
        """All slots but the innermost."""
        return self._outer

    def __iter__(self) -> Iterator[Type]:
        """The types, innermost first."""
        cell = self
        while cell.size:
            yield cell._type
            cell = cell._outer


NO_SLOTS = Slots()


@cache
def extend(slots: Slots, type_: Type) -> Slots:
    return Slots(slots, type_)


def environment_type(slots: Slots) -> Type:
    """The right-nested pair of the slots' types, outermost first, ended by unit."""
    nested: Type = UNIT
    for type_ in slots:
        nested = product(type_, nested)
    return nested


def brief(type_: Type) -> str:
    """The type's text for a message: cut in the middle where it is long."""
    text = str(type_)
    return text if len(text) <= 60 else f"{text[:40]} ... {text[-15:]}"


def _text(type_: Type) -> str:
    """The type with all its brackets, the signs of linear types in brackets of their own; without recursion."""
    signs = {Product: "*", LProduct: "(*)", Sum: "+", LSum: "(+)"}
    pieces: list[str] = []
    todo: list[Type | str] = [type_]
    while todo:
        match todo.pop():
            case str(piece):
                pieces.append(piece)
            case Ground(name=name):
                pieces.append(name)
            case Arrow(argument=argument, result=result):
                todo += [")", result, " -> ", argument, "("]
            case Monad(slots=slots, result=result):
                todo += ["]", result, f"M{slots.size}["]
            case pair:
                todo += [")", pair.right, f" {signs[type(pair)]} ", pair.left, "("]
    return "".join(pieces)
