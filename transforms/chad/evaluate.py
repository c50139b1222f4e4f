"""The evaluator: the value of a term and what it costs, call by value.

One rule for each construct. A rule is a generator: what it yields is charged. It yields `(term, frame)` to have a part
evaluated, `(computation, slots)` to have a computation run, `(Plus(a, b), None)` to have two linear values added (each
is sent back its result and is charged 1 before its own rule starts), or a number to have just that charged. So the
cost of a construct is 1, plus its parts, plus the numbers that its rule yields, as in the table of the cost model.

A frame holds the variables of one function's activation; slots are the accumulated cotangents, outermost first. Both
are found by key or index in O(1). Suspended rules wait in a list, so that nothing recurses.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
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
            if type(subject) is Var:
                value = place[subject]
            else:
                waiting.append(RULES[type(subject)](subject, place))
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


def unit(_: Unit, _frame: Frame) -> Rule:
    return ()
    yield


def pair(term: Pair, frame: Frame) -> Rule:
    left = yield term.left, frame
    right = yield term.right, frame
    return left, right


def fst(term: Fst, frame: Frame) -> Rule:
    return (yield term.pair, frame)[0]


def snd(term: Snd, frame: Frame) -> Rule:
    return (yield term.pair, frame)[1]
