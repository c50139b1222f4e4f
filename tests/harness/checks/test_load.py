"""A user's own implementation: how it is found, what it is called, and that it is judged as what it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.checks.battery import BATTERY
from harness.checks.check import Outcome, judge
from harness.checks.load import NoSubject, load, subject
from transforms.array_rules import TABLE
from transforms.drivers import REPRESENTATIONS, TRANSFORMATIONS, Transformation
from transforms.rules import RULES

BY_ID = {check.id: check for check in BATTERY}


def dear(m: Any, ct: Any, r: Any, a: Any, b: Any) -> Any:
    """The pullback of a product with a product too many: the value is right, the count is not."""
    return m.mul(ct, b), m.mul(m.mul(ct, a), m.constant_like(a, 1.0))


def dear_in(name: str) -> Transformation:
    return replace(TRANSFORMATIONS[name], rules={"mul": replace(RULES["mul"], pullback=dear)})


@pytest.mark.parametrize("name", list(REPRESENTATIONS))
def test_a_transformation_has_the_name_of_the_representation_that_it_builds(name: str):
    judged = subject("mine", TRANSFORMATIONS[name])
    assert list(judged.transformations) == [name]
    assert judged.transformations[name].rules == TABLE


@pytest.mark.parametrize("name", list(REPRESENTATIONS))
def test_its_costs_are_compared_with_the_claims_of_that_representation(name: str):
    check = BY_ID["cost-exact"]
    prepared = check.prepare(0)
    assert judge(check, subject("right", TRANSFORMATIONS[name]), prepared).outcome is Outcome.PASS
    assert judge(check, subject("dear", dear_in(name)), prepared).outcome is Outcome.VALUE


def test_a_pointwise_transformation_is_refused_nothing_that_it_cannot_notice():
    check = BY_ID["refusals"]
    assert judge(check, subject("right", TRANSFORMATIONS["pointwise"]), check.prepare(0)).outcome is Outcome.PASS


def test_numbers_are_shown_plainly():
    wrong = subject("wrong", replace(TABLE["mul"], pullback=lambda m, ct, r, a, b: (m.mul(ct, a), m.mul(ct, b))))
    for name in ("hand-layernorm", "second-order"):
        result = judge(BY_ID[name], wrong, BY_ID[name].prepare(0))
        assert result.outcome is Outcome.VALUE
        assert "float64" not in result.where and "array" not in result.where


def unbuilt(machine: Any) -> Any:
    raise KeyError("slots")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "expected a Transformation, a Rule or a function, found an object of type int"),
        (replace(TABLE["mul"], name="softplus"), "no check uses a primitive named softplus"),
        (replace(TRANSFORMATIONS["pointwise"], representation=unbuilt), "no representation can be built: KeyError"),
    ],
)
def test_what_cannot_be_judged_is_refused(given: Any, message: str):
    with pytest.raises(NoSubject, match=message):
        subject("mine", given)


@pytest.mark.parametrize("name", ["no_colon", "no_such_module:x", "transforms.rules:no_such_object"])
def test_a_name_that_leads_nowhere_is_refused(name: str):
    with pytest.raises(NoSubject):
        load(name)
