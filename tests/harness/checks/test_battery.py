"""The battery passes on the transformation as it should be, and each check notices a fault of its own kind."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np
import pytest

from harness.checks.battery import BATTERY, ORDER
from harness.checks.check import Check, Needs, Outcome, judge
from harness.checks.subject import UNMUTATED, Subject
from harness.reference_double import like
from transforms import numeric
from transforms.array_rules import TABLE
from transforms.chad.transform import EFFICIENT
from transforms.cotangents.interface import Representation
from transforms.drivers import Transformation, gradient
from transforms.machines.interface import Machine
from transforms.reverse import operation, reverse
from transforms.rules import Minus
from transforms.scope import bind, context
from transforms.syntax import Let, Op
from transforms.types import Array

BY_ID = {check.id: check for check in BATTERY}
CHECKS = [
    "reference", "finite-differences", "dot-product", "taylor", "representations", "linearity", "sharing",
    "ties-and-kinks", "hard-points", "refusals", "well-typed", "determinism", "cost-constant", "cost-exact",
    "cost-growth", "cost-theorem", "cost-visits", "cost-memory", "accuracy",
]  # fmt: skip
PREPARED: dict[str, Any] = {}


def outcome(check: str, subject: Subject) -> Outcome:
    if check not in PREPARED:
        PREPARED[check] = BY_ID[check].prepare(0)
    return judge(BY_ID[check], subject, PREPARED[check]).outcome


def row(name: str, **fields: Any) -> Subject:
    return UNMUTATED.changed(
        "wrong", lambda judged: replace(judged, rules={**judged.rules, name: replace(judged.rules[name], **fields)})
    )


def held(change: Callable[[Representation, Machine], Representation], only: str = "accumulator") -> Subject:
    """A representation with functions replaced."""

    def changed(judged: Transformation) -> Transformation:
        build = judged.representation
        return replace(judged, representation=lambda m: change(made, m) if (made := build(m)).name == only else made)

    return UNMUTATED.changed("wrong", changed)


def test_the_battery_is_the_page_s():
    assert [check.id for check in BATTERY] == list(ORDER)
    assert all(check.claim and check.reason for check in BATTERY)


@pytest.mark.parametrize("check", CHECKS)
def test_the_transformation_as_it_should_be_passes(check: str):
    assert outcome(check, UNMUTATED) is Outcome.PASS


def never_releases(made: Representation, m: Machine) -> Representation:
    m.release = lambda ct: None  # type: ignore[method-assign]
    return made


def minus_lost(made: Representation, m: Machine) -> Representation:
    return replace(made, inject=lambda c, x, d: made.inject(c, x, d.ct if isinstance(d, Minus) else d))


def third_lost(made: Representation, m: Machine) -> Representation:
    arrived: Counter[int] = Counter()

    def inject(context, variable, d):
        arrived[variable.index] += 1
        return None if arrived[variable.index] == 3 else made.inject(context, variable, d)

    return replace(made, inject=inject)


def dense_when_large(made: Representation, m: Machine) -> Representation:
    def inject(context, variable, d):
        for _ in range(context.index if context.index > 60 else 0):
            m.place(m.constant(0.0))
        return made.inject(context, variable, d)

    return replace(made, inject=inject)


def in_halves(ad, e, scope):
    """A `let` that runs the bound term's backpropagator twice."""
    outer = context(scope)
    value, bound = reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.name], [value])

    def finish(ct):
        g, (s,) = ad.cotangents.scope(ct, outer, inner)
        if s is None:
            return g
        if isinstance(s, tuple):
            return ad.cotangents.plus(g, bound(s))
        half = ad.machine.mul(s, ad.machine.constant_like(s, 0.5))
        return ad.cotangents.plus(ad.cotangents.plus(g, bound(half)), bound(half))

    return finish, e.body


def default(ad, e, scope):
    """An unlisted primitive is taken for a negation."""
    return operation(ad, e if e.name in ad.rules else Op("neg", e.args[:1]), scope)


def clause(constructor: type, function: Callable[..., Any]) -> Subject:
    return UNMUTATED.changed("wrong", lambda judged: replace(judged, clauses={**judged.clauses, constructor: function}))


def relu_in_place(a):
    return np.maximum(a, 0.0, out=a) if isinstance(a, np.ndarray) else numeric.relu(a)


def clipped(m, ct, r, a, b):
    small = m.mul(ct, m.ge(m.constant_like(ct, 50.0), m.mul(ct, m.sgn(ct))))
    return small, small


def strictly_positive(m, ct, r, a):
    return (m.mul(ct, m.sub(m.constant_like(a, 1.0), m.ge(m.constant_like(a, 0.0), a))),)


def tanh_by_result(m, ct, r, a):
    return (m.mul(ct, m.sub(m.constant_like(r, 1.0), m.mul(r, r))),)


FAULTS: Mapping[str, tuple[Subject, ...]] = {
    "reference": (
        row("sin", pullback=lambda m, ct, r, a: (m.cos(a),)),
        row("exp", evaluate=lambda a: numeric.exp(a) * (1 + 1e-9)),
    ),
    "finite-differences": (row("mul", pullback=lambda m, ct, r, a, b: (m.mul(ct, a), m.mul(ct, b))),),
    "dot-product": (
        row("sin", tangent=lambda m, r, a, da: da),
        row("div", tangent=lambda m, r, a, b, da, db: m.div(da, b)),
    ),
    "taylor": (row("sub", pullback=lambda m, ct, r, a, b: (ct, ct)),),
    "representations": (held(minus_lost),),
    "linearity": (row("add", pullback=clipped),),
    "sharing": (held(third_lost),),
    "ties-and-kinks": (
        row("max", pullback=lambda m, ct, r, a, b: (m.mul(ct, m.ge(a, b)), m.mul(ct, m.ge(b, a)))),
        row("relu", pullback=strictly_positive),
        row("abs", conventions=()),
    ),
    "hard-points": (row("sqrt", pullback=lambda m, ct, r, a: (m.div(ct, m.add(r, r)),)),),
    "refusals": (clause(Op, default), row("log", domain=TABLE["sin"].domain)),
    "well-typed": (
        row("transpose", shape=lambda a: a),
        row("matmul", shape=lambda a, b: Array((a.shape[0], b.shape[1]))),
    ),
    "determinism": (row("relu", evaluate=relu_in_place),),
    "cost-constant": (row("div", pullback=lambda m, ct, r, a, b: (m.div(ct, b), Minus(m.mul(m.div(ct, b), r)))),),
    "cost-exact": (
        row("mul", cost=lambda a, b: {"mul": a.size}),
        row("exp", pullback=lambda m, ct, r, a: (m.mul(ct, m.exp(a)),)),
        row("transpose", pullback=lambda m, ct, r, a: (m.transpose(m.transpose(m.transpose(ct))),)),
    ),
    "cost-growth": (held(dense_when_large),),
    "cost-theorem": (replace(UNMUTATED, core=replace(EFFICIENT, fst=EFFICIENT.snd)),),
    "cost-visits": (clause(Let, in_halves),),
    "cost-memory": (held(never_releases),),
    "accuracy": (row("tanh", pullback=tanh_by_result), row("exp", evaluate=lambda a: numeric.exp(a) * (1 + 5e-15))),
}


def test_every_check_has_a_fault():
    assert list(FAULTS) == CHECKS


@pytest.mark.parametrize(
    ("check", "subject"), [(check, subject) for check, subjects in FAULTS.items() for subject in subjects]
)
def test_a_check_notices_a_fault_of_its_kind(check: str, subject: Subject):
    if check == "determinism":
        del PREPARED[check]  # what it finds is that its inputs are changed
    assert outcome(check, subject) is not Outcome.PASS
    if check == "determinism":
        del PREPARED[check]


def test_what_costs_the_same_and_loses_digits_is_seen_by_accuracy_and_hard_points_alone():
    by_result = row("tanh", pullback=tanh_by_result)
    assert {check for check in CHECKS if outcome(check, by_result) is not Outcome.PASS} == {"accuracy", "hard-points"}


def numbers(point: Mapping[str, Any], x: float) -> dict[str, Any]:
    """Gradients like the point whose entries are all `x`."""
    return {name: like(value, repeat(x)) for name, value in point.items()}


def test_a_function_to_gradients_is_judged_by_the_checks_that_ask_for_them_alone():
    judged = UNMUTATED.transformations["accumulator"]
    mine = Subject("mine", function=lambda program, point, ct: gradient(judged, program, point, ct).cotangent)
    wrong = Subject("wrong", function=lambda program, point, ct: numbers(point, 7.0))
    missing = Subject("missing", function=lambda program, point, ct: numbers(point, math.nan))
    asking: list[Check] = [check for check in BATTERY if check.needs is Needs.GRADIENTS and check.id in CHECKS]
    assert len(asking) >= 8
    for check in asking:
        assert outcome(check.id, mine) is Outcome.PASS
        if check.id != "determinism":
            assert outcome(check.id, wrong) is not Outcome.PASS
            assert outcome(check.id, missing) is Outcome.VALUE


def test_gradients_that_are_kept_by_program_and_cotangent_are_noticed_by_the_reference():
    kept: dict[Any, Any] = {}

    def function(program: Any, point: Any, cotangent: Any) -> Any:
        asked = program, repr(cotangent)
        if asked not in kept:
            kept[asked] = gradient(UNMUTATED.matrices(), program, point, cotangent).cotangent
        return kept[asked]

    assert outcome("reference", Subject("kept", function=function)) is Outcome.VALUE
