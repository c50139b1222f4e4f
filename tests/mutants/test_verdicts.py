"""What is concluded from a row of cells, and which status takes precedence."""

from dataclasses import replace

import pytest

from harness.status import Status
from mutants.verdicts import score, status, verdict
from tests.mutants.fakes import OWN, SAME, SLIGHT, SURVIVOR, mutant

HANGS = replace(SLIGHT, id="hangs", hangs=True)


def cell(check, outcome, margin=None):
    return {"check": check, "outcome": outcome, "margin": margin}


PASS, KILL, CRASH = cell("gradient", "pass", 0.1), cell("gradient", "killed-value", 20.0), cell("unit", "killed-crash")
TIMEOUT, GREEN, RED = cell("cost", "timeout"), [cell("a", "pass", 0.0)], [cell("a", "killed-value", 2.0)]


def test_caught_by_value_crash_or_refusal():
    found = verdict(SLIGHT, [KILL, CRASH, cell("cost", "killed-refusal")])
    assert found.by == ("gradient", "unit", "cost")
    assert found.caught and found.as_expected and found.margin == 20.0 and not found.crash_only
    assert verdict(SLIGHT, [PASS, CRASH]).crash_only


def test_a_nan_is_beyond_every_margin():
    assert verdict(
        SLIGHT, [cell("gradient", "killed-value", "nan"), cell("unit", "killed-value", 5.0)]
    ).margin == float("inf")


def test_a_survivor_is_a_finding():
    found = verdict(SURVIVOR, [PASS])
    assert found.survived and found.status is Status.FINDING
    assert found.surprises == ("survived",)


def test_a_check_that_must_catch_and_does_not_is_a_finding():
    found = verdict(OWN, [PASS, CRASH])
    assert found.caught and found.missed == ("gradient",) and found.status is Status.FINDING
    assert verdict(OWN, [CRASH]).as_expected  # the check was not among those that were run


def test_an_equivalent_mutant_that_is_caught_is_a_finding():
    assert verdict(SAME, [PASS]).as_expected
    assert verdict(SAME, [KILL]).status is Status.FINDING


def test_a_timeout_alone_catches_nothing():
    found = verdict(SLIGHT, [PASS, TIMEOUT])
    assert not found.caught and found.survived and found.status is Status.TIMEOUT


def test_a_timeout_that_is_not_declared_counts_beside_a_kill_too():
    found = verdict(SLIGHT, [KILL, TIMEOUT])
    assert found.caught and found.status is Status.TIMEOUT


def test_a_declared_timeout_is_as_expected_and_its_absence_is_not():
    assert verdict(HANGS, [PASS, TIMEOUT]).status is Status.GOOD
    assert verdict(HANGS, [PASS, TIMEOUT]).caught
    assert verdict(HANGS, [KILL]).status is Status.FINDING


@pytest.mark.parametrize(
    ("baseline", "rows", "expected"),
    [
        (GREEN, [(SLIGHT, [KILL])], Status.GOOD),
        (GREEN, [(SLIGHT, [KILL]), (SURVIVOR, [PASS])], Status.FINDING),
        (GREEN, [(SLIGHT, [TIMEOUT]), (SURVIVOR, [PASS])], Status.TIMEOUT),
        (GREEN, [], Status.NOTHING_SELECTED),
        (RED, [(SLIGHT, [TIMEOUT])], Status.BASELINE_FAILED),
        (RED, [], Status.BASELINE_FAILED),
    ],
)
def test_precedence(baseline, rows, expected):
    assert status(baseline, [verdict(*row) for row in rows]) is expected


def test_the_score_leaves_equivalent_mutants_out():
    rows = [verdict(SLIGHT, [KILL]), verdict(SURVIVOR, [PASS]), verdict(SAME, [PASS])]
    assert score(rows) == 0.5


def test_fail_under_makes_survivors_a_question_of_the_score_alone():
    rows = [verdict(SLIGHT, [KILL]), verdict(SURVIVOR, [PASS])]
    assert status(GREEN, rows, fail_under=50.0) is Status.GOOD
    assert status(GREEN, rows, fail_under=50.1) is Status.FINDING
    assert status(GREEN, [*rows, verdict(SAME, [KILL])], fail_under=0.0) is Status.FINDING
    assert status(GREEN, [*rows, verdict(mutant("t", "x", None), [TIMEOUT])], fail_under=0.0) is Status.TIMEOUT
