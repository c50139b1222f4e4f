"""`harness.check` on functions whose gradients are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import harness
from harness.errors import NoVerdict, WrongGradient

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])
X = np.array([0.1, 0.2, -0.3])


@pytest.mark.parametrize(
    ("f", "grad", "at"),
    [
        (math.log, lambda x: 1 / x, 1e-6),
        (math.log, lambda x: 1 / x, 1e8),
        (abs, lambda x: 0.0, 0.0),
        (lambda x: float(np.sum(np.tanh(A @ x))), lambda x: A.T @ (1 - np.tanh(A @ x) ** 2), X),
        (lambda x: A @ x, lambda x, d: A.T @ d, X),
        (lambda x, y: x * math.exp(y), lambda x, y: (math.exp(y), x * math.exp(y)), (2.0, 3.0)),
        (lambda x, y: x @ y, lambda x, y, d: (d @ y.T, x.T @ d), (A, A.T + 1.0)),
    ],
)
def test_right_gradients_pass(f, grad, at):
    harness.check(f, grad, at)


def test_a_failure_names_the_worst_entry_its_index_and_both_numbers():
    with pytest.raises(WrongGradient, match=r"the gradient at \[1\] is 5.0, expected 4.0\d*"):
        harness.check(lambda x: float(x @ x), lambda x: 2 * x + [1e-3, 1.0, 0.0], np.array([1.0, 2.0, 3.0]))
    with pytest.raises(WrongGradient, match=r"argument 1 is -2.0, expected 2.0"):
        harness.check(lambda x, y: x * y, lambda x, y: (y, -x), (2.0, 3.0))


def test_a_result_that_is_an_array_is_judged_at_more_than_a_cotangent_of_ones():
    with pytest.raises(WrongGradient):
        harness.check(lambda x: A @ x, lambda x, d: A.T @ np.ones(2), X)


def test_nan_and_another_shape_are_wrong():
    with pytest.raises(WrongGradient, match="is nan"):
        harness.check(math.sin, lambda x: math.nan, 1.0)
    with pytest.raises(WrongGradient, match="shapes"):
        harness.check(lambda x: float(np.sum(x)), lambda x: 1.0, X)


def test_the_tolerances_are_the_ones_given():
    wrong = lambda x: math.cos(x) * (1 + 1e-4)  # noqa: E731
    harness.check(math.sin, wrong, 1.0, rtol=1e-3)
    harness.check(math.sin, wrong, 1.0, atol=1e-3)
    with pytest.raises(WrongGradient):
        harness.check(math.sin, wrong, 1.0)


def test_an_infinite_slope_gets_no_verdict():
    with pytest.raises(NoVerdict):
        harness.check(math.sqrt, lambda x: math.inf, 0.0)
