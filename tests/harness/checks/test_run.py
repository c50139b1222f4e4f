"""The battery over seeds, and what is said of a check that asks for what a subject does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.checks.battery import BATTERY
from harness.checks.load import subject
from harness.checks.run import DOES_NOT_APPLY, one, run
from harness.checks.subject import UNMUTATED, Subject
from transforms.array_rules import TABLE
from transforms.drivers import TRANSFORMATIONS

BY_ID = {check.id: check for check in BATTERY}
GRADIENTS_ALONE = {
    "dot-product", "representations", "second-order", "simplification", "hand-attention", "hand-layernorm",
    "hand-transformer", "training", "refusals", "well-typed", "cost-constant", "cost-exact", "cost-growth",
    "cost-theorem", "cost-visits", "cost-memory",
}  # fmt: skip
"""What says nothing of a function to gradients."""


def silent(judged: Subject) -> set[str]:
    return {check.id for check in BATTERY if not check.applies(judged)}


def test_no_alarm_over_seeds_and_other_inputs_in_each():
    heard: list[str] = []
    found = list(run([BY_ID["ties-and-kinks"]], UNMUTATED, range(3), 2, heard.append))
    assert [[(r["seed"], r["outcome"]) for r in records] for records in found] == [[(s, "pass")] for s in range(3)]
    assert heard == ["seed 0", "seed 1", "seed 2"]


def test_every_check_applies_to_the_transformation_as_it_should_be():
    assert silent(UNMUTATED) == set()


def test_a_check_that_would_compare_nothing_does_not_apply():
    given: Mapping[str, Subject] = {name: subject(name, judged) for name, judged in TRANSFORMATIONS.items()}
    assert silent(given["accumulator"]) == {"representations", "cost-theorem"}
    assert silent(given["pointwise"]) == {"representations", "cost-theorem", "cost-constant"}
    assert silent(subject("a rule", TABLE["mul"])) == {"cost-theorem"}
    assert silent(subject("a function", lambda program, point, ct: {})) == GRADIENTS_ALONE


def test_what_does_not_apply_is_not_run():
    def never(seed: int):
        raise AssertionError

    check = replace(BY_ID["cost-theorem"], prepare=never)
    record = one(check, subject("a rule", TABLE["mul"]), 0)
    assert (record["outcome"], record["error"]) == (DOES_NOT_APPLY, None)
    assert record["where"] == "needs the efficiency theorem's transformation"
