"""Rows of compositions: their values, and their derivatives against those of what they are composed of."""

from __future__ import annotations

import numpy as np
import pytest

from transforms.array_rules import TABLE
from transforms.composed_rules import COMPOSED, EXPANSIONS
from transforms.machines.counting import Counting
from transforms.rules import Minus

A = np.array([[0.5, -1.0, 2.0, 0.25], [1.5, 1.5, -0.75, 3.0]])
DIRECTION = np.array([[1.0, -0.5, 0.25, 2.0], [-1.0, 0.75, 0.5, 1.25]])
STATICS = {"softmax": {}, "log_softmax": {}, "deviation": {"eps": 0.125}, "normalise": {"eps": 0.125}}
ROWS = {**TABLE, **COMPOSED}


def value(name: str, a: np.ndarray) -> np.ndarray:
    return np.asarray(COMPOSED[name].evaluate(a, **STATICS[name]))


def test_values_are_those_of_the_formulas():
    e = np.exp(A)
    d = A - A.mean(axis=1, keepdims=True)
    sigma = np.sqrt((d * d).mean(axis=1, keepdims=True) + 0.125)
    expected = {
        "softmax": e / e.sum(axis=1, keepdims=True),
        "log_softmax": A - np.log(e.sum(axis=1, keepdims=True)),
        "deviation": sigma,
        "normalise": d / sigma,
    }
    assert COMPOSED.keys() == EXPANSIONS.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_allclose(value(name, A), array, rtol=1e-14)


@pytest.mark.parametrize("name", COMPOSED)
def test_derivatives_are_those_of_differences(name):
    machine = Counting(ROWS)
    a, r, da = (machine.given(x) for x in (A, value(name, A), DIRECTION))
    tangent = machine.read(COMPOSED[name].tangent(machine, r, a, da, **STATICS[name]), machine.type_of(r))
    h = 1e-6
    slope = (value(name, A + h * DIRECTION) - value(name, A - h * DIRECTION)) / (2 * h)
    np.testing.assert_allclose(tangent, slope, rtol=0.0, atol=1e-9)

    weights = np.linspace(-1.0, 2.0, slope.size).reshape(slope.shape)
    (received,) = COMPOSED[name].pullback(machine, machine.given(weights), r, a, **STATICS[name])
    assert not isinstance(received, Minus)
    received = machine.read(received, machine.type_of(a))
    assert np.sum(received * DIRECTION) == pytest.approx(np.sum(weights * tangent), rel=1e-13)
