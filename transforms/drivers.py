"""Running a transformation: what is judged, as one record, and the programs it gives at a point.

A wrong version of the transformation is the same record with one field replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from transforms.cotangents.accumulator import accumulator
from transforms.cotangents.interface import Representation
from transforms.cotangents.pointwise import pointwise
from transforms.derivative_rules import DERIVATIVE_RULES
from transforms.environment import Environment
from transforms.errors import SourceError
from transforms.evaluate import evaluate
from transforms.forward import forward
from transforms.machines.counting import Counting, Counts
from transforms.machines.interface import Machine, Value
from transforms.machines.syntax import Writing, as_term, binding
from transforms.reverse import CLAUSES, Reverse, reverse
from transforms.rules import REALS, RULES, Rules
from transforms.scope import Scope, bind, context
from transforms.syntax import Match, Program, Sign, Tuple, bound_names, subterms
from transforms.typecheck import typecheck
from transforms.types import Product, full, layout, marked, unmarked
from transforms.walks import walking

Point = Mapping[str, Any]
"""A value for each variable of a context: floats, arrays of doubles, tuples of them."""


@dataclass(frozen=True, slots=True)
class Transformation:
    """A reverse-mode transformation under judgement."""

    rules: Rules
    clauses: Mapping[type, Callable[..., Any]]
    representation: Callable[[Machine], Representation]
    machine: Callable[[Rules], Any]
    drivers: Drivers


def as_given(machine: Machine, cotangent: Value) -> Value:
    """The seed is the cotangent that was given: data, not the constant 1."""
    return cotangent


def once_more(judged: Transformation) -> Transformation:
    """A gradient is differentiated by the same transformation, which knows what only gradients contain besides."""
    return replace(judged, rules={**DERIVATIVE_RULES, **judged.rules})


@dataclass(frozen=True, slots=True)
class Drivers:
    """What surrounds the macro.

    seed(machine, ct)    what the backpropagator is applied to when `ct` was given
    hvp(judged)          the transformation that differentiates a gradient a second time
    """

    seed: Callable[[Machine, Value], Value] = as_given
    hvp: Callable[[Transformation], Transformation] = once_more


REPRESENTATIONS: dict[str, Callable[[Machine], Representation]] = {"pointwise": pointwise, "accumulator": accumulator}

TRANSFORMATIONS = {
    name: Transformation(RULES, CLAUSES, representation, Counting, Drivers(seed=as_given))
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

    `point` and `cotangent` have the types of the program's context and result; of a sum, a cotangent is on the side its
    primal value is on. Raises OutsideDomain, and WrongValue for a cotangent on another side.
    """
    return _differentiate(judged, program, point, lambda primal: unmarked(cotangent, primal))


def _differentiate(judged: Transformation, program: Program, point: Point, seed: Callable[[Any], Any]) -> Gradient:
    """As `gradient`, at a seed that depends on the primal value, whose layout it has."""
    machine = judged.machine(judged.rules)
    ad = Reverse(judged.rules, judged.clauses, judged.representation(machine), machine)
    scope: Scope = Environment()
    with walking(), np.errstate(all="ignore"):
        for name, _ in program.context:
            bind(machine, scope, [name], [machine.given(point[name])])
        whole = context(scope)
        value, backpropagator = reverse(ad, program.term, scope)
        machine.backward_part()
        primal = machine.read(value, machine.type_of(value))
        d = judged.drivers.seed(machine, machine.given(seed(primal)))
        slots = ad.cotangents.run(whole, lambda: backpropagator(d))
        layouts = [x.type for x in whole.variables()]
        cotangents = {
            name: marked(machine.read(ct, layout), point[name])
            for (name, _), layout, ct in zip(program.context, layouts, slots, strict=True)
        }
        return Gradient(primal, cotangents, machine.counts())


def everywhere(judged: Transformation) -> Transformation:
    """The transformation with every primitive taken to be defined everywhere: infinities and NaN flow through."""
    total = {name: replace(rule, domain=REALS) for name, rule in judged.rules.items() if rule.domain is not REALS}
    return replace(judged, rules={**judged.rules, **total})


def counts(judged: Transformation, program: Program, point: Point | None = None) -> Counts:
    """What a program's value and one run of its backpropagator cost.

    No count depends on the point, except through the branches that are taken; without one, they are those at all ones.
    """
    typecheck(program, judged.rules)
    if point is None:
        with walking():
            point = {name: full(type_, 1.0) for name, type_ in program.context}
    return _differentiate(everywhere(judged), program, point, lambda primal: full(layout(primal), 1.0)).counts


def branches(program: Program) -> bool:
    """Whether what a program does depends on its point: on a sign, or on the side that a value of a sum is on."""
    return any(isinstance(term, (Sign, Match)) for term in subterms(program.term)) or any(
        " + " in type_.tokens() for _, type_ in program.context
    )


@dataclass(frozen=True, slots=True)
class Written:
    """A transformed program written down: in the source's context and d, the pair of its value and context cotangent.

    Its outermost chain of binders is `primal_lines` long before the backward part begins.
    """

    program: Program
    primal_lines: int


def write(judged: Transformation, program: Program, point: Point | None = None) -> Written:
    """The transformed program as a program: from a context and a cotangent `d` to <value, <context cotangent>>.

    `d`, renamed if the program has such a name, has the type of the program's result. The program performs the very
    operations that are counted, pullbacks of literals included. It is typechecked again before it is returned.

    A program that branches is written down as the straight line that it takes at `point`, and values of sums as what
    they inject. Raises NeedsPoint where there is none.
    """
    typecheck(program, judged.rules)
    taken = {name for name, _ in program.context} | bound_names(program.term)
    machine = Writing(judged.rules, taken)
    d = "d" if "d" not in taken else machine.fresh("d")
    machine.taken.add(d)
    ad = Reverse(judged.rules, judged.clauses, judged.representation(machine), machine)
    scope: Scope = Environment()
    with walking():
        for name, variable in program.context:
            bind(machine, scope, [name], [machine.variable(name, variable, point and point[name])])
        whole = context(scope)
        result, backpropagator = reverse(ad, program.term, scope)
        type_ = machine.type_of(result)
        primal_lines = len(machine.lines)
        machine.backward_part()
        seed = judged.drivers.seed(machine, machine.variable(d, type_))
        slots = ad.cotangents.run(whole, lambda: backpropagator(seed))
        layouts = [x.type for x in whole.variables()]
        cotangent = Product(tuple(layouts))
        pair = Tuple((as_term(result, type_), as_term(slots, cotangent)))
        names = [name for name, _ in program.context]
        written = Program((*zip(names, layouts, strict=True), (d, type_)), binding(machine.lines, pair))
    found = typecheck(written, machine.rows)
    if found != Product((type_, cotangent)):
        raise AssertionError(f"the transformed program has type {found}, not {Product((type_, cotangent))}")
    return Written(written, primal_lines)


def hessian_products(
    judged: Transformation, program: Program, point: Point, directions: Iterable[Point]
) -> list[dict[str, Any]]:
    """The Hessian of a program of one real result at a point, times directions of the point's shape, by variable.

    The gradient is written down as a program, and that program's gradient is taken with each direction as the cotangent
    of its context cotangent. Raises OutsideDomain.
    """
    written = write(judged, program, point).program
    (d, _) = written.context[-1]
    names, again = [name for name, _ in program.context], judged.drivers.hvp(judged)
    products = []
    for direction in directions:
        seed = 0.0, tuple([direction[name] for name in names])
        found = gradient(again, written, {**point, d: 1.0}, seed).cotangent
        products.append({name: found[name] for name in names})
    return products


def value(program: Program, point: Point, rules: Rules = RULES) -> tuple[Any, Counts]:
    """The value of a program at a point, and what it costs. Raises OutsideDomain, with its place."""
    machine = Counting(rules)
    with walking(), np.errstate(all="ignore"):
        scope = Environment([(name, machine.given(point[name])) for name, _ in program.context])
        try:
            result = evaluate(machine, program.term, scope)
        except SourceError as error:
            raise error.located(program.source, error.at) from None
        return machine.read(result, machine.type_of(result)), machine.counts()


def tangent(program: Program, point: Point, direction: Point, rules: Rules = RULES) -> tuple[Any, Any, Counts]:
    """One forward sweep: a program's value, its Jacobian applied to `direction`, and what they cost."""
    machine = Counting(rules)
    with walking(), np.errstate(all="ignore"):
        scope = Environment(
            [(name, (machine.given(point[name]), machine.given(direction[name]))) for name, _ in program.context]
        )
        result, change = forward(rules, machine, program.term, scope)
        type_ = machine.type_of(result)
        return machine.read(result, type_), machine.read(change, type_), machine.counts()
