"""Errors: the worst entry is found and named, and a NaN or another shape never passes."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest

from harness.checks.comparison import Answer, Comparison, asked, runs
from harness.checks.examples import Example
from harness.checks.subject import UNMUTATED, Subject
from transforms.parse import parse

PROGRAM = parse("context: x: real[1,2], y: real |- x")
EXAMPLE = Example("one", PROGRAM, {"x": np.array([[1.0, 2.0]]), "y": 3.0}, np.array([[1.0, 1.0]]))
RIGHT = Answer(EXAMPLE, [], [1.0, -2.0, inf], [1.0, 2.0, 1.0])


def measured(x: Any, y: float):
    subject = Subject("given", function=lambda program, point, ct: {"y": y, "x": x})
    return Comparison().ask(subject, [RIGHT]).measured()


def test_the_worst_entry_is_named_with_both_numbers():
    found = measured(np.array([[1.5, -4.0]]), inf)
    assert found.error == 1.0
    assert found.where.startswith("x[0, 1] is -4.0, expected -2.0 (given; one)")


def test_equal_infinities_are_no_error():
    assert measured(np.array([[1.0, -2.0]]), inf).error == 0.0
    assert measured(np.array([[1.0, -2.0]]), -inf).error == inf


@pytest.mark.parametrize("x", [np.array([[1.0, nan]]), np.array([[1.0], [-2.0]]), np.array([1.0, -2.0]), 1.0])
def test_nan_and_another_shape_are_nan(x: Any):
    assert isnan(measured(x, inf).error)


def test_nan_is_worse_than_any_number():
    assert isnan(measured(np.array([[1e300, nan]]), -inf).error)


def test_an_example_with_a_turn_is_asked_in_one_representation():
    each = Example("each", PROGRAM, EXAMPLE.point, EXAMPLE.cotangent)
    assert [name for name, _ in asked(UNMUTATED, each)] == ["pointwise", "accumulator"]
    for turn in (0, 1):
        example = Example("one", PROGRAM, EXAMPLE.point, EXAMPLE.cotangent, turn)
        ((name, primal, cotangent),) = runs(UNMUTATED, example)
        assert name == ["pointwise", "accumulator"][turn]
        assert (primal, cotangent) == ([1.0, 2.0], [1.0, 1.0, 0.0])
