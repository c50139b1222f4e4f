"""The evaluator: the value of a term and what it costs, call by value.

One rule for each construct. A rule is a generator that asks for what it needs: it yields `(term, frame)` to have a part
evaluated, `(computation, slots)` to have a computation run, `(Plus(a, b), None)` to have two linear values added, or a
number to have just that charged. Each thing asked for is charged 1 when its own rule starts. So the cost of a construct
is 1, plus its parts, plus the numbers that its rule yields. What has no parts is a plain function instead.

A frame holds the variables of one function's activation; slots are the accumulated cotangents, outermost first. Both
are found by key or index in O(1). Suspended rules wait in a list, so that nothing recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from transforms.chad.errors import WrongAlternative
from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Node, Pair, Prim, Snd, Unit, Var
from transforms.chad.target import (
    Add,
    Apply,
    Bind,
    Function,
    LCastL,
    LCastR,
    LFst,
    LInl,
    LInr,
    LPair,
    LSnd,
    LUnit,
    LZero,
    Pure,
    Run,
    Scope,
)
from transforms.chad.values import Left, Right, zero_value

Frame = dict[Var, Any]
Slots = list[Any]
Rule = Generator[Any, Any, Any]


class Outcome(NamedTuple):
    """A value and the cost of computing it."""

    value: Any
    cost: int


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    function: Function
    captured: Frame


@dataclass(frozen=True, slots=True, eq=False)
class Returning:
    """The computation that `pure` makes."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    first: Any
    continuation: Closure


@dataclass(frozen=True, slots=True, eq=False)
class Adding:
    level: int
    cotangent: Any


@dataclass(frozen=True, slots=True, eq=False)
class Scoping:
    start: Any
    inner: Any


class Plus(NamedTuple):
    """The sum of two linear values of one type."""

    left: Any
    right: Any


def evaluate(term: Node, inputs: Mapping[Var, Any]) -> Outcome:
    """The value and the cost of a checked term, given its free variables.

    Raises WrongAlternative where a linear value is of the wrong side of a sum.
    """
    cost = 0
    waiting: list[Rule] = []
    request: Any = (term, dict(inputs))
    while True:
        value = None
        if type(request) is int:
            cost += request
        else:
            cost += 1
            subject, place = request
            leaf = LEAVES.get(type(subject))
            if leaf is None:
                waiting.append(RULES[type(subject)](subject, place))
            else:
                value = leaf(subject, place)
        while True:  # hand the value to the rule that waits for it; when that ends, its own value to the next
            if not waiting:
                return Outcome(value, cost)
            try:
                request = waiting[-1].send(value)
                break
            except StopIteration as finished:
                waiting.pop()
                value = finished.value


# Source terms.


def let(term: Let, frame: Frame) -> Rule:
    frame[term.x] = yield term.bound, frame
    return (yield term.body, frame)


def primitive(term: Prim, frame: Frame) -> Rule:
    return term.op.function((yield term.argument, frame))


def pair(term: Pair | LPair, frame: Frame) -> Rule:
    left = yield term.left, frame
    right = yield term.right, frame
    return left, right


def fst(term: Fst, frame: Frame) -> Rule:
    return (yield term.pair, frame)[0]


def snd(term: Snd, frame: Frame) -> Rule:
    return (yield term.pair, frame)[1]


def inl(term: Inl | LInl, frame: Frame) -> Rule:
    return Left((yield term.value, frame))


def inr(term: Inr | LInr, frame: Frame) -> Rule:
    return Right((yield term.value, frame))


def case(term: Case, frame: Frame) -> Rule:
    scrutinee = yield term.scrutinee, frame
    x, branch = (term.x, term.left) if type(scrutinee) is Left else (term.y, term.right)
    frame[x] = scrutinee.value
    return (yield branch, frame)


# Functions.


def function(term: Function, frame: Frame) -> Rule:
    yield len(term.captured)
    return Closure(term, {x: frame[x] for x in term.captured})


def apply(term: Apply, frame: Frame) -> Rule:
    closure = yield term.function, frame
    argument = yield term.argument, frame
    return (yield enter(closure, argument))


def enter(closure: Closure, argument: Any) -> tuple[Node, Frame]:
    """The body of a function, and the frame to evaluate it in."""
    return closure.function.body, {**closure.captured, closure.function.x: argument}


# Linear values.


def lfst(term: LFst, frame: Frame) -> Rule:
    pair = yield term.pair, frame
    if pair is not None:
        return pair[0]
    yield 1
    return zero_value(term.type)


def lsnd(term: LSnd, frame: Frame) -> Rule:
    pair = yield term.pair, frame
    if pair is not None:
        return pair[1]
    yield 1
    return zero_value(term.type)


def lcastl(term: LCastL, frame: Frame) -> Rule:
    return (yield from _cast(Left, (yield term.either, frame), term))


def lcastr(term: LCastR, frame: Frame) -> Rule:
    return (yield from _cast(Right, (yield term.either, frame), term))


def _cast(side: type[Left | Right], either: Left | Right | None, term: Node) -> Rule:
    if either is None:
        yield 1
        return zero_value(term.type)
    if type(either) is not side:
        raise WrongAlternative(f"{type(term).__name__}: expected a {side.__name__}, found a {type(either).__name__}")
    return either.value


def plus(sum_: Plus, _: None) -> Rule:
    a, b = sum_
    if a is None or b is None:
        return b if a is None else a
    if type(a) is float:
        return a + b
    if type(a) is not type(b):
        raise WrongAlternative(f"plus: expected a {type(a).__name__}, found a {type(b).__name__}")
    if type(a) is not tuple:
        return type(a)((yield Plus(a.value, b.value), None))
    if not a:
        return ()
    left = yield Plus(a[0], b[0]), None
    right = yield Plus(a[1], b[1]), None
    return left, right


# The accumulation monad: first the terms, which make computations, then what happens when these run.


def pure(term: Pure, frame: Frame) -> Rule:
    return Returning((yield term.value, frame))


def bind(term: Bind, frame: Frame) -> Rule:
    first = yield term.first, frame
    continuation = yield term.continuation, frame
    return Binding(first, continuation)


def add(term: Add, frame: Frame) -> Rule:
    return Adding(term.level, (yield term.cotangent, frame))


def scope(term: Scope, frame: Frame) -> Rule:
    start = yield term.start, frame
    inner = yield term.inner, frame
    return Scoping(start, inner)


def run(term: Run, frame: Frame) -> Rule:
    computation = yield term.computation, frame
    slots = unnest((yield term.environment, frame))
    yield 1 + len(slots)
    yield computation, slots
    return nest(slots)


def running_bind(computation: Binding, slots: Slots) -> Rule:
    result = yield computation.first, slots
    second = yield enter(computation.continuation, result)
    return (yield second, slots)


def running_add(computation: Adding, slots: Slots) -> Rule:
    slots[computation.level] = yield Plus(slots[computation.level], computation.cotangent), None
    return ()


def running_scope(computation: Scoping, slots: Slots) -> Rule:
    slots.append(computation.start)
    result = yield computation.inner, slots
    return slots.pop(), result


def nest(slots: Slots) -> Any:
    """The right-nested pair of the slots, ended by unit."""
    nested: Any = ()
    for slot in reversed(slots):
        nested = slot, nested
    return nested


def unnest(nested: Any) -> Slots:
    """The slots in a right-nested pair that unit ends."""
    slots: Slots = []
    while nested:
        slot, nested = nested
        slots.append(slot)
    return slots


# fmt: off
LEAVES: dict[type, Callable[[Any, Any], Any]] = {
    Var:       lambda term, frame: frame[term],
    Unit:      lambda term, frame: (),
    LUnit:     lambda term, frame: (),
    LZero:     lambda term, frame: None,
    Returning: lambda computation, slots: computation.value,
}

RULES: dict[type, Callable[[Any, Any], Rule]] = {
    Let: let, Prim: primitive, Pair: pair, Fst: fst, Snd: snd, Inl: inl, Inr: inr, Case: case,
    Function: function, Apply: apply, Pure: pure, Bind: bind, Add: add, Scope: scope, Run: run,
    LPair: pair, LFst: lfst, LSnd: lsnd, LInl: inl, LInr: inr, LCastL: lcastl, LCastR: lcastr,
    Plus: plus, Binding: running_bind, Adding: running_add, Scoping: running_scope,
}
# fmt: on
