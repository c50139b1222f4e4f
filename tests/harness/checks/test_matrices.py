from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness.checks import matrices
from harness.checks.check import Outcome, judge
from harness.checks.subject import UNMUTATED, Subject
from transforms.drivers import TRANSFORMATIONS
from transforms.mountain_goat.judged import MATRICES

BY_ID = {check.id: check for check in matrices.CHECKS}


def with_driver(**drivers):
    return UNMUTATED.changed("wrong", lambda judged: replace(judged, drivers=replace(judged.drivers, **drivers)))


@pytest.mark.parametrize("check", matrices.CHECKS, ids=BY_ID)
def test_the_transformation_passes(check):
    result = judge(check, UNMUTATED, check.prepare(0))
    assert result.outcome == Outcome.PASS, result.where


@pytest.mark.parametrize(
    "step",
    [
        lambda m, p, ct, rate: m.add(p, m.mul_k(ct, k=rate)),
        lambda m, p, ct, rate: m.sub(p, ct),
        lambda m, p, ct, rate: p,
        lambda m, p, ct, rate: m.sub(p, m.mul_k(ct, k=rate * 1.001)),
    ],
    ids=["adds", "ignores the rate", "never updates", "a rate 0.1 % off"],
)
def test_training_sees_a_wrong_step(step):
    check = BY_ID["training"]
    assert judge(check, with_driver(step=step), check.prepare(0)).outcome == Outcome.VALUE


def by_value(straight, names, line):
    """The first input with the value of the one that is named."""
    found = MATRICES.drivers.locate(straight, names, line)
    return tuple(next(x for x in straight.point if np.array_equal(straight.point[x], straight.point[y])) for y in found)


def test_equal_literals_are_told_apart():
    check = BY_ID["hand-transformer"]
    assert judge(check, with_driver(locate=by_value), check.prepare(0)).outcome == Outcome.VALUE


def test_everything_that_is_to_be_refused_is():
    tasks = matrices.refusing(0)
    assert matrices.not_refused(UNMUTATED, tasks) == []
    loose = with_driver(locate=lambda straight, names, line: (next(iter(straight.point)),))
    assert len(matrices.not_refused(loose, tasks)) == 6


def test_a_transformation_without_matrix_drivers_is_judged_with_them():
    plain = Subject("plain", {"given": replace(TRANSFORMATIONS["accumulator"], rules=MATRICES.rules)})
    check = BY_ID["hand-attention"]
    assert judge(check, plain, check.prepare(0)).outcome == Outcome.PASS
