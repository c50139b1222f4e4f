"""What the target language adds to the source: functions, the accumulation monad, linear values.

A computation's type names the slots that it may add to. `Scope` opens one more at the inner end for its inner
computation, and returns what arrived there beside the inner result.
"""

from __future__ import annotations

from dataclasses import dataclass

from transforms.chad.errors import IllTyped
from transforms.chad.primitives import LZERO
from transforms.chad.syntax import Node, Parts, Prim, Var
from transforms.chad.types import (
    LREAL,
    LUNIT,
    UNIT,
    Arrow,
    LProduct,
    LSum,
    Monad,
    Slots,
    Type,
    arrow,
    brief,
    environment_type,
    linear_coproduct,
    linear_product,
    monad,
    product,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Function(Node):
    r"""`\[captured]x. body`; the body sees x and the captured variables, and nothing else."""

    captured: tuple[Var, ...]
    x: Var
    body: Node

    def typed(self) -> Type:
        return arrow(self.x.type, self.body.type)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Apply(Node):
    function: Node
    argument: Node

    def typed(self) -> Type:
        function = self.kind(self.function.type, Arrow)
        self.same(self.argument.type, function.argument)
        return function.result

    def parts(self) -> Parts:
        return (self.function, None), (self.argument, None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pure(Node):
    slots: Slots
    value: Node

    def typed(self) -> Type:
        return monad(self.slots, self.value.type)

    def parts(self) -> Parts:
        return ((self.value, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bind(Node):
    """`first`, then the computation that `continuation` makes of its result."""

    first: Node
    continuation: Node

    def typed(self) -> Type:
        first = self.kind(self.first.type, Monad)
        continuation = self.kind(self.continuation.type, Arrow)
        self.same(continuation.argument, first.result)
        second = self.kind(continuation.result, Monad)
        self.same(second, monad(first.slots, second.result))
        return second

    def parts(self) -> Parts:
        return (self.first, None), (self.continuation, None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Add(Node):
    """Adds a cotangent to the slot that has `level` slots outside it."""

    slots: Slots
    level: int
    cotangent: Node

    def typed(self) -> Type:
        if not 0 <= self.level < self.slots.size:
            raise IllTyped(f"Add: expected one of {self.slots.size} slots, found {self.level}")
        self.same(self.cotangent.type, self.slots[self.level])
        return monad(self.slots, UNIT)

    def parts(self) -> Parts:
        return ((self.cotangent, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scope(Node):
    """Runs `inner` with one more slot, which starts from `start`; returns the pair of the slot's end and the result."""

    start: Node
    inner: Node

    def typed(self) -> Type:
        inner = self.kind(self.inner.type, Monad)
        if not inner.slots.size:
            raise IllTyped("Scope: expected a computation with a slot to open, found one without slots")
        self.same(self.start.type, inner.slots[inner.slots.size - 1])
        return monad(inner.slots.outer, product(self.start.type, inner.result))

    def parts(self) -> Parts:
        return (self.start, None), (self.inner, None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Run(Node):
    """The slots after a computation that starts from `environment`, both as right-nested pairs ended by unit."""

    computation: Node
    environment: Node

    def typed(self) -> Type:
        computation = self.kind(self.computation.type, Monad)
        self.same(computation.result, UNIT)
        self.same(self.environment.type, environment_type(computation.slots))
        return self.environment.type

    def parts(self) -> Parts:
        return (self.computation, None), (self.environment, None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LUnit(Node):
    def typed(self) -> Type:
        return LUNIT


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LZero(Node):
    """The absent linear product or sum."""

    of: Type

    def typed(self) -> Type:
        if not isinstance(self.of, LProduct | LSum):
            raise IllTyped(f"LZero: expected a linear product or sum, found {brief(self.of)}")
        return self.of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LPair(Node):
    left: Node
    right: Node

    def typed(self) -> Type:
        return linear_product(_linear(self.left), _linear(self.right))

    def parts(self) -> Parts:
        return (self.left, None), (self.right, None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LFst(Node):
    pair: Node

    def typed(self) -> Type:
        return self.kind(self.pair.type, LProduct).left

    def parts(self) -> Parts:
        return ((self.pair, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LSnd(Node):
    pair: Node

    def typed(self) -> Type:
        return self.kind(self.pair.type, LProduct).right

    def parts(self) -> Parts:
        return ((self.pair, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LInl(Node):
    """The left linear injection; `other` is the linear type of the right side."""

    value: Node
    other: Type

    def typed(self) -> Type:
        return linear_coproduct(_linear(self.value), self.other)

    def parts(self) -> Parts:
        return ((self.value, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LInr(Node):
    """The right linear injection; `other` is the linear type of the left side."""

    value: Node
    other: Type

    def typed(self) -> Type:
        return linear_coproduct(self.other, _linear(self.value))

    def parts(self) -> Parts:
        return ((self.value, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LCastL(Node):
    """The linear value inside a left injection."""

    either: Node

    def typed(self) -> Type:
        return self.kind(self.either.type, LSum).left

    def parts(self) -> Parts:
        return ((self.either, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LCastR(Node):
    """The linear value inside a right injection."""

    either: Node

    def typed(self) -> Type:
        return self.kind(self.either.type, LSum).right

    def parts(self) -> Parts:
        return ((self.either, None),)


def zero(type_: Type) -> Node:
    """The zero term of a linear type: for a real a primitive applied to the linear unit."""
    return LUnit() if type_ is LUNIT else Prim(LZERO, LUnit()) if type_ is LREAL else LZero(type_)


def _linear(term: Node) -> Type:
    if term.type not in (LUNIT, LREAL) and not isinstance(term.type, LProduct | LSum):
        raise IllTyped(f"expected a linear value, found {brief(term.type)}")
    return term.type
