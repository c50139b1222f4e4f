"""Running a transformation: what is judged, as one record, and the programs it gives at a point.

A wrong version of the transformation is the same record with one field replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from transforms.collection import paused
from transforms.cotangents.accumulator import accumulator
from transforms.cotangents.interface import Representation
from transforms.cotangents.pointwise import pointwise
from transforms.environment import Environment
from transforms.errors import SourceError
from transforms.evaluate import evaluate
from transforms.forward import forward
from transforms.machines.counting import Counting, Counts
from transforms.machines.interface import Machine, Value
from transforms.reverse import CLAUSES, Reverse, Scope, bind, context, reverse
from transforms.rules import RULES, Rules
from transforms.syntax import Program

Point = Mapping[str, Any]
"""A value for each variable of a context: floats, arrays of doubles, tuples of them."""


@dataclass(frozen=True, slots=True)
class Drivers:
    """What surrounds the macro. `seed(machine, cotangent)` is the cotangent that the backpropagator is applied to."""

    seed: Callable[[Machine, Any], Value]


@dataclass(frozen=True, slots=True)
class Transformation:
    """A reverse-mode transformation under judgement."""

    rules: Rules
    clauses: Mapping[type, Callable[..., Any]]
    representation: Callable[[Machine], Representation]
    machine: Callable[[Rules], Any]
    drivers: Drivers


def given(machine: Machine, cotangent: Any) -> Value:
    """The cotangent as the user gave it: data, not the constant 1."""
    return machine.given(cotangent)


REPRESENTATIONS: dict[str, Callable[[Machine], Representation]] = {"pointwise": pointwise, "accumulator": accumulator}

TRANSFORMATIONS = {
    name: Transformation(RULES, CLAUSES, representation, Counting, Drivers(seed=given))
    for name, representation in REPRESENTATIONS.items()
}
"""The transformation as it should be, with each representation."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """A program's value, its context cotangent by variable, and what they cost."""

    primal: Any
    cotangent: dict[str, Any]
    counts: Counts


def gradient(judged: Transformation, program: Program, point: Point, cotangent: Any) -> Gradient:
    """The value of a program at a point, and its transposed Jacobian there applied to `cotangent`.

    `point` and `cotangent` have the types of the program's context and result. Raises OutsideDomain.
    """
    machine = judged.machine(judged.rules)
    ad = Reverse(judged.rules, judged.clauses, judged.representation(machine), machine)
    scope: Scope = Environment()
    for name, _ in program.context:
        bind(ad, scope, [name], [machine.given(point[name])])
    whole = context(scope)
    with paused(), np.errstate(all="ignore"):
        value, backpropagator = reverse(ad, program.term, scope)
        machine.backward_part()
        d = judged.drivers.seed(machine, cotangent)
        slots = ad.cotangents.run(whole, lambda: backpropagator(d))
    return Gradient(
        machine.read(value, machine.type_of(value)),
        {name: machine.read(ct, type_) for (name, type_), ct in zip(program.context, slots, strict=True)},
        machine.counts(),
    )


def value(program: Program, point: Point, rules: Rules = RULES) -> tuple[Any, Counts]:
    """The value of a program at a point, and what it costs. Raises OutsideDomain, with its place."""
    machine = Counting(rules)
    scope = Environment((name, machine.given(point[name])) for name, _ in program.context)
    with paused(), np.errstate(all="ignore"):
        try:
            result = evaluate(machine, program.term, scope)
        except SourceError as error:
            raise error.located(program.source, error.at) from None
    return machine.read(result, machine.type_of(result)), machine.counts()


def tangent(program: Program, point: Point, direction: Point, rules: Rules = RULES) -> tuple[Any, Any, Counts]:
    """One forward sweep: a program's value, its Jacobian applied to `direction`, and what they cost."""
    machine = Counting(rules)
    scope = Environment(
        (name, (machine.given(point[name]), machine.given(direction[name]))) for name, _ in program.context
    )
    with paused(), np.errstate(all="ignore"):
        result, change = forward(rules, machine, program.term, scope)
    type_ = machine.type_of(result)
    return machine.read(result, type_), machine.read(change, type_), machine.counts()
