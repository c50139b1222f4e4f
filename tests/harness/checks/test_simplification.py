"""The check of simplification notices a bit at the exact level, and more than rounding when reassociated."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from harness.checks.check import Outcome, Result, judge
from harness.checks.simplification import CHECKS, product_in_order, reduced_in_order
from harness.checks.subject import UNMUTATED
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.simplify.levels import LEVELS, simplified, simplify
from transforms.simplify.rewrite import Level

(CHECK,) = CHECKS
PREPARED = CHECK.prepare(0)


def found(simplify) -> Result:
    """What comes of the check where programs are simplified so."""
    wrong = UNMUTATED.changed(
        "wrong", lambda judged: replace(judged, drivers=replace(judged.drivers, simplify=simplify))
    )
    return judge(CHECK, wrong, PREPARED)


@pytest.mark.parametrize("seed", range(5))
def test_simplification_as_it_should_be_passes_whatever_the_inputs(seed: int):
    result = judge(CHECK, UNMUTATED, CHECK.prepare(seed))
    assert result.outcome is Outcome.PASS and result.error is not None and result.error < 0.1


def test_every_rewrite_is_used():
    used = {
        name
        for asked in PREPARED.programs
        for level in LEVELS
        for name, times in simplified(asked.program, LEVELS[level])[1].items()
        if times
    }
    assert {rewrite.name for rewrite in LEVELS["reassociate"]} <= used


def test_at_the_exact_level_rounding_is_a_finding():
    result = found(lambda straight, level: simplify(straight, "reassociate"))
    assert result.outcome is Outcome.VALUE and result.error == inf


def test_programs_that_are_not_simplified_are_right():
    assert found(lambda straight, level: straight).outcome is Outcome.PASS


def test_the_data_of_a_program_are_no_part_of_it():
    def folded(straight: Straight, level: Level) -> Straight:
        """A program that prints what the point's numbers are."""
        line = simplify(straight, level)
        first = next(iter(straight.point))
        return replace(line, point={**line.point, first: line.point[first] * 2.0})

    assert found(folded).outcome is Outcome.PASS, "it is run at other inputs"


def test_values_are_those_of_sums_in_order():
    """1 + 1e16 - 1e16 + 1 is 1 from the left; by halves it would be 0 or 2."""
    row = np.array([[1.0, 1e16, -1e16, 1.0]])
    assert reduced_in_order(row, axis=1, kind="sum").tolist() == [[1.0]]
    assert product_in_order(row, np.ones((4, 1))).tolist() == [[1.0]]
    assert reduced_in_order(row.T, axis=0, kind="max").tolist() == [[1e16]]


def test_programs_have_no_square_matrices_only():
    shapes = {value.shape for asked in PREPARED.programs for value in asked.program.point.values()}
    assert len([shape for shape in shapes if len(set(shape)) > 1]) >= 6
    assert all(unchain(asked.program.program.term)[0] for asked in PREPARED.programs)
