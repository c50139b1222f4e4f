"""The evaluator in double precision, against the high-precision one and derivatives known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harness import reference
from harness.checks.examples import USES, alone, constructs
from harness.nests import leaves
from harness.reference_double import differences, evaluate, like
from transforms.parse import parse
from transforms.types import Injected

EXAMPLES = [*[alone(use, 0) for use in USES], *constructs(0)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.label)
def test_values_are_those_of_the_high_precision_reference(example):
    exact = reference.evaluate(example.program.term, example.point)
    assert list(leaves(evaluate(example.program, example.point))) == pytest.approx(
        [float(x) for x in leaves(exact)], rel=1e-13, abs=1e-13
    )


def test_differences_are_derivatives_in_the_shape_of_the_point():
    program = parse("context: p: (real, (real, real)), w: real[2] |- case p of <a, bc> -> case bc of <b, c> -> a * b")
    point = {"p": (2.0, (3.0, 5.0)), "w": np.array([1.0, 2.0])}
    found = differences(program, point, -2.0)
    assert list(leaves(found["p"])) == pytest.approx([-6.0, -4.0, 0.0], abs=1e-8)
    assert isinstance(found["p"][1], tuple) and found["w"].tolist() == [0.0, 0.0]


def test_differences_of_an_injected_value_are_injected():
    program = parse("context: s: (real + real) |- match s with inl a -> sin(a) | inr b -> b")
    found = differences(program, {"s": Injected(0, 0.5)}, 1.0)
    assert found["s"].side == 0 and found["s"].value == pytest.approx(math.cos(0.5), rel=1e-9)


def test_a_value_is_rebuilt_from_its_numbers():
    value = (1.0, Injected(1, np.array([[2.0, 3.0]])), ())
    assert repr(like(value, leaves(value))) == repr(value)
