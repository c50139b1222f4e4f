"""The battery passes on the transformation as it should be, and each check notices a fault of its own kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from harness.checks.battery import BATTERY, ORDER
from harness.checks.check import Check, Outcome, judge
from harness.checks.subject import UNMUTATED, Subject
from transforms import numeric
from transforms.array_rules import TABLE
from transforms.chad.transform import EFFICIENT
from transforms.cotangents.interface import Representation
from transforms.drivers import Transformation, gradient
from transforms.machines.interface import Machine
from transforms.reverse import CLAUSES, operation
from transforms.rules import Minus
from transforms.syntax import Op
from transforms.types import REAL

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


def twice_through_variables(ad, x, scope):
    value, bp = CLAUSES[type(x)](ad, x, scope)
    return value, bp


def quietly_again(ad, e, scope):
    """A literal's backpropagator is run twice, which costs nothing in the accumulator."""
    value, bps = operation(ad, e, scope)
    return value, bps


class Impure:
    """A rule that changes its argument in a way that changes no result."""

    @staticmethod
    def relu(a):
        if isinstance(a, np.ndarray):
            np.maximum(a, 0.0, out=a)
        return numeric.relu(a)


def default(ad, e, scope):
    """Unlisted primitives are passed by."""
    if e.name in ad.rules:
        return operation(ad, e, scope)
    return operation(ad, Op("neg", e.args[:1]), scope)


def share_all(m, ct, r, a, b):
    return m.mul(ct, m.ge(a, b)), m.mul(ct, m.ge(b, a))


def clipped(m, ct, r, a, b):
    big = m.mul(ct, m.ge(m.constant_like(ct, 50.0), m.mul(ct, m.sgn(ct))))
    return big, big


def without_upstream(m, ct, r, a):
    return m.cos(a),


def let_runs_twice(ad, e, scope):
    finish, body = CLAUSES[type(e)](ad, e, scope)
    return finish, body


FAULTS: Mapping[str, tuple[Subject, ...]] = {
    "reference": (row("sin", pullback=without_upstream), row("exp", evaluate=lambda a: numeric.exp(a) * (1 + 1e-9))),
    "finite-differences": (row("mul", pullback=lambda m, ct, r, a, b: (m.mul(ct, a), m.mul(ct, b))),),
    "taylor": (row("sub", pullback=lambda m, ct, r, a, b: (ct, ct)),),
    "dot-product": (
        row("sin", tangent=lambda m, r, a, da: da),
        row("div", tangent=lambda m, r, a, b, da, db: m.div(da, b)),
    ),
    "representations": (held(lambda made, m: replace(made, inject=lambda c, x, d: made.inject(
        c, x, Minus(d) if isinstance(d, float) else None if x.index == 3 else d))),),
    "linearity": (row("add", pullback=clipped),),
    "ties-and-kinks": (
        row("max", pullback=share_all),
        row("relu", pullback=lambda m, ct, r, a: (m.mul(ct, m.sub(m.constant_like(a, 1.0), m.ge(m.constant_like(a, 0.0), a))),)),
        row("abs", conventions=()),
    ),
    "hard-points": (row("sqrt", pullback=lambda m, ct, r, a: (m.div(ct, m.add(r, r)),)),),
    "refusals": (
        UNMUTATED.changed("wrong", lambda judged: replace(judged, clauses={**judged.clauses, Op: default})),
        row("log", domain=TABLE["sin"].domain),
    ),
    "well-typed": (
        row("transpose", shape=lambda a: a),
        row("matmul", shape=lambda a, b: replace(a) if a is REAL else type(a)((a.shape[0], b.shape[1]))),
    ),
    "determinism": (row("relu", evaluate=Impure.relu),),
    "cost-exact": (row("mul", cost=lambda a, b: {"mul": a.size}),
                   row("neg", pullback=lambda m, ct, r, a: (m.mul(ct, m.constant_like(a, -1.0)),)),
                   row("transpose", pullback=lambda m, ct, r, a: (m.transpose(m.transpose(m.transpose(ct))),))),
    "cost-constant": (row("div", pullback=lambda m, ct, r, a, b: (m.div(ct, b), Minus(m.mul(m.div(ct, b), r)))),),
    "cost-theorem": (replace(UNMUTATED, core=replace(EFFICIENT, fst=EFFICIENT.snd)),),
    "cost-memory": (held(never_releases),),
    "accuracy": (
        row("tanh", pullback=lambda m, ct, r, a: (m.mul(ct, m.sub(m.constant_like(r, 1.0), m.mul(r, r))),)),
        row("exp", evaluate=lambda a: numeric.exp(a) * (1 + 5e-15)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("check", "subject"), [(check, subject) for check, subjects in FAULTS.items() for subject in subjects]
)
def test_a_check_notices_a_fault_of_its_kind(check: str, subject: Subject):
    if check == "determinism":  # it changes what is prepared
        fresh = BY_ID[check].prepare(0)
        assert judge(BY_ID[check], subject, fresh).outcome is Outcome.VALUE
    else:
        assert outcome(check, subject) is not Outcome.PASS


def test_what_costs_the_same_and_loses_digits_is_seen_by_accuracy_and_hard_points_alone():
    by_result = row("tanh", pullback=lambda m, ct, r, a: (m.mul(ct, m.sub(m.constant_like(r, 1.0), m.mul(r, r))),))
    assert {check for check in CHECKS if outcome(check, by_result) is not Outcome.PASS} == {"accuracy", "hard-points"}


def test_a_function_to_gradients_is_judged_by_the_checks_that_ask_for_them_alone():
    judged = UNMUTATED.transformations["accumulator"]
    mine = Subject("mine", function=lambda program, point, ct: gradient(judged, program, point, ct).cotangent)
    wrong = Subject("wrong", function=lambda program, point, ct: dict.fromkeys(point, 0.0))
    asking: list[Check] = [check for check in BATTERY if check.needs == "gradients" and check.id in CHECKS]
    assert len(asking) >= 8
    for check in asking:
        assert outcome(check.id, mine) is Outcome.PASS
        assert outcome(check.id, wrong) is not Outcome.PASS or check.id == "determinism"
