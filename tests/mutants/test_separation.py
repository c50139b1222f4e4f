"""Kills across the separation, and which of them are allowed."""

from dataclasses import replace

from harness.checks.check import Question
from mutants.separation import exceptions
from mutants.verdicts import verdict
from tests.mutants.fakes import COST, DEAR, GRADIENT, SLIGHT

ACCURATE = replace(GRADIENT, id="accuracy", question=Question.ACCURATE, tolerance=4.0)
HARD = replace(GRADIENT, id="hard-points")
CHECKS = (GRADIENT, COST, ACCURATE, HARD)


def crossed(mutant, *killing):
    row = [
        {"check": c.id, "outcome": "killed-value" if c in killing else "pass", "margin": 2.0 if c in killing else 0.1}
        for c in CHECKS
    ]
    return {found["check"]: found["allowed"] for found in exceptions([verdict(mutant, row)], CHECKS)}


def breaks(what, id_="m"):
    return replace(SLIGHT, id=id_, breaks=what)


def test_a_wrong_value_may_be_noticed_by_anything():
    assert crossed(breaks("value"), *CHECKS) == {}


def test_costs_are_noticed_by_cost_checks_alone():
    assert crossed(DEAR, COST) == {}
    assert crossed(DEAR, COST, GRADIENT, ACCURATE) == {"gradient": None, "accuracy": None}


def test_inaccuracy_is_noticed_by_accuracy_and_hard_points_alone():
    assert crossed(breaks("accuracy"), ACCURATE, HARD) == {}
    assert crossed(breaks("accuracy"), GRADIENT) == {"gradient": None}


def test_an_inaccuracy_that_costs_more_may_be_noticed_by_its_cost():
    assert all(crossed(breaks("accuracy"), COST).values())


def test_single_precision_may_be_noticed_by_tight_tolerances():
    assert crossed(breaks("accuracy", "machine.single-sums"), GRADIENT)["gradient"]
    loose = replace(GRADIENT, tolerance=1e-4)
    row = [{"check": "gradient", "outcome": "killed-value", "margin": 2.0}]
    (found,) = exceptions([verdict(breaks("accuracy", "machine.single-sums"), row)], [loose])
    assert found["allowed"] is None


def test_an_empty_slot_through_a_dead_square_root_may_be_noticed_at_a_hard_point():
    assert crossed(breaks("cost", "let.dead-run"), COST, HARD)["hard-points"]
