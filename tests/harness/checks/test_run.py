"""The battery over seeds, what is said of a check that asks for what a subject does not have, and of subjects that hang
or end their process.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import repeat

import pytest

from harness.checks import run as running
from harness.checks.battery import BATTERY
from harness.checks.check import Check, Measured, Needs, Question
from harness.checks.load import subject
from harness.checks.run import DOES_NOT_APPLY, one, run
from harness.checks.subject import UNMUTATED, Subject
from harness.records import Record
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


def asking(name: str) -> Check:
    """A check that lets its subject do what it does at a name, and finds what that returns."""

    def measure(judged: Subject, prepared: object) -> Measured:
        assert judged.function is not None
        return Measured(float(judged.function(None, name, None)))  # type: ignore[arg-type]

    return Check(name, Question.RIGHT, "", 0.0, "", lambda seed: seed, measure, Needs.GRADIENTS)


def outcomes(does: Callable[[], object], seeds: int = 1) -> list[list[Record]]:
    """What comes of three checks of a subject that does something when the middle one asks."""
    judged = subject("a function", lambda program, point, ct: does() if point == "middle" else 0.0)
    return list(run([asking(name) for name in ("first", "middle", "last")], judged, range(seeds), 2, lambda seed: None))


def endless() -> object:
    return sum(repeat(0))  # a loop in C, in which no handler of Python's is called


def exits() -> object:
    raise SystemExit("that is all")


def ends() -> object:
    os._exit(0)


@pytest.mark.parametrize(
    ("does", "outcome", "where"),
    [
        (exits, "killed-crash", "SystemExit: that is all"),
        (ends, "killed-crash", "its process ended with status 0"),
        (endless, "timeout", "nothing within 0.3 seconds"),
    ],
)
def test_a_subject_that_hangs_or_ends_its_process_fails_that_check_alone(
    monkeypatch: pytest.MonkeyPatch, does: Callable[[], object], outcome: str, where: str
):
    monkeypatch.setattr(running, "TIMEOUT", 0.3)
    for seed, records in enumerate(outcomes(does, seeds=2)):
        assert [(r["seed"], r["check"]) for r in records] == [(seed, c) for c in ("first", "middle", "last")]
        assert [r["outcome"] for r in records] == ["pass", outcome, "pass"]
        assert (records[1]["where"], records[1]["error"]) == (where, None)


def test_preparing_has_the_same_clock_and_what_it_raises_is_no_outcome(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(running, "TIMEOUT", 0.3)

    def failing(seed: int):
        raise LookupError("no inputs")

    hangs, fails = (replace(asking("any"), prepare=prepare) for prepare in (lambda seed: endless(), failing))
    ((record,),) = run([hangs], subject("a function", lambda *given: 0.0), [0], 1, lambda seed: None)
    assert record["outcome"] == "timeout"
    with pytest.raises(LookupError, match="no inputs"):
        list(run([fails], subject("a function", lambda *given: 0.0), [0], 1, lambda seed: None))


def test_a_subject_keeps_the_recursion_limit_that_it_asked_for():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 1234)  # as a module does when it is loaded
    try:
        ((_, found, _),) = outcomes(sys.getrecursionlimit)
    finally:
        sys.setrecursionlimit(limit)
    assert found["error"] == limit + 1234


def test_what_a_subject_keeps_for_one_seed_is_nothing_to_another():
    kept: list[int] = []

    def counts() -> int:
        kept.append(1)
        return len(kept) - 1

    assert [[r["outcome"] for r in records] for records in outcomes(counts, seeds=5)] == [["pass"] * 3] * 5


def test_leaving_early_ends_what_is_running():
    """As an interrupt does: the seeds behind the first would never end."""
    judged = subject("a function", lambda program, point, ct: 0.0)
    hangs = replace(asking("any"), prepare=lambda seed: endless() if seed else None)
    began = time.perf_counter()
    found = run([hangs], judged, range(4), 2, lambda seed: None)
    assert next(found)[0]["outcome"] == "pass"
    found.close()
    assert time.perf_counter() - began < running.TIMEOUT / 4
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
