"""Branching programs: a gradient is that of the branch that is taken, and only that branch is differentiated."""

from __future__ import annotations

import math
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core_costs import sum_of_constructs
from harness.nests import leaves
from harness.random_terms import random_program
from harness.reference import vjp
from transforms.chad.elaborate import elaborate, elaborate_value, read_cotangent
from transforms.chad.theorem import judge
from transforms.drivers import TRANSFORMATIONS, counts, gradient, tangent, value, write
from transforms.errors import NeedsPoint, WrongValue
from transforms.parse import parse
from transforms.pretty import pretty, pretty_program
from transforms.syntax import free_variables
from transforms.types import Injected, layout

BOTH = pytest.mark.parametrize("name", TRANSFORMATIONS)
ABS = "match sign x with inl s -> match s with inl n -> -x | inr p -> x | inr z -> 0"


def inl(value: Any) -> Injected:
    return Injected(0, value)


def inr(value: Any) -> Injected:
    return Injected(1, value)


def grad(name: str, text: str, cotangent: Any = 1.0, **point: Any) -> dict[str, Any]:
    return gradient(TRANSFORMATIONS[name], parse(text), point, cotangent).cotangent


@BOTH
def test_the_gradient_is_that_of_the_branch_taken(name: str):
    text = "match sign(x - y) with inl s -> match s with inl n -> x*y | inr p -> x*x + y | inr z -> 7*x"
    assert grad(name, text, x=1.0, y=3.0) == {"x": 3.0, "y": 1.0}
    assert grad(name, text, x=5.0, y=3.0) == {"x": 10.0, "y": 1.0}
    assert grad(name, text, x=3.0, y=3.0) == {"x": 7.0, "y": 0.0}


@BOTH
@pytest.mark.parametrize(
    ("x", "slope"), [(-2.0, -1.0), (2.0, 1.0), (0.0, 0.0), (-0.0, 0.0), (math.nan, 0.0), (5e-324, 1.0)]
)
def test_abs_by_branching(name: str, x: float, slope: float):
    assert grad(name, ABS, x=x) == {"x": slope}


@BOTH
def test_a_cotangent_is_on_the_side_of_its_primal_value(name: str):
    branches = "inl a -> inr (a*y) | inr p -> case p of <a, b> -> inl <b, a*y>"
    text = f"context: s: (real + (real, real)), y: real |- match s with {branches}"
    left, right = inl(3.0), inr((3.0, 4.0))
    assert grad(name, text, inr(2.0), s=left, y=5.0) == {"s": inl(10.0), "y": 6.0}
    assert grad(name, text, inl((10.0, 1.0)), s=right, y=5.0) == {"s": inr((5.0, 10.0)), "y": 3.0}
    with pytest.raises(WrongValue, match="expected inr, as is the value that it belongs to, found inl"):
        grad(name, text, inl((10.0, 1.0)), s=left, y=5.0)


@BOTH
def test_an_injected_value_is_shared_like_any_other(name: str):
    """s is matched twice: (x*x) * (x*x) has the gradient 4 x^3."""
    text = "let s = inl (x*x) in (match s with inl a -> a | inr b -> b) * (match s with inl a -> a | inr b -> 0)"
    assert grad(name, text, x=3.0) == {"x": 108.0}


@BOTH
def test_a_branch_sees_the_variables_outside_and_may_shadow_them(name: str):
    text = "let y = x*x in match inl (y*x) with inl x -> x*y | inr x -> x"  # x^3 * x^2
    assert grad(name, text, x=2.0) == {"x": 80.0}


@BOTH
def test_only_the_branch_taken_is_counted(name: str):
    text = "match sign x with inl s -> match s with inl n -> exp(exp(exp(exp(x)))) | inr p -> x | inr z -> x"
    program, short = parse(text), counts(TRANSFORMATIONS[name], parse(text), {"x": 1.0})
    long = counts(TRANSFORMATIONS[name], program, {"x": -1.0})
    assert short.primal == {"sgn": 1}
    assert long.primal == {"sgn": 1, "exp": 4}
    if name == "accumulator":
        assert (short.operations, long.operations) == (1, 9)


def test_nothing_arrives_through_a_sign():
    """The accumulator does not run the backpropagator of what sign was taken of."""
    assert (
        counts(TRANSFORMATIONS["accumulator"], parse("match sign(exp(x)) with inl s -> y | inr z -> y")).backward == {}
    )


@given(st.integers(0, 2**32).map(Random))
def test_the_core_language_agrees_and_keeps_its_bound(rng):
    sample = random_program(rng, result=None, branching=True, smooth=False)
    names = [name for name, _ in sample.program.context]
    core = elaborate(sample.program)
    inputs, seed = [elaborate_value(sample.point[name]) for name in names], elaborate_value(sample.cotangent)
    verdict = judge(core, inputs, seed)
    assert verdict.holds
    assert verdict.cost == sum_of_constructs(core, inputs, seed)
    linear = [read_cotangent(layout(sample.point[x]), ct) for x, ct in zip(names, verdict.gradient, strict=True)]
    found = np.array(list(leaves(linear)))
    for judged in TRANSFORMATIONS.values():
        expected = gradient(judged, sample.program, sample.point, sample.cotangent).cotangent
        assert np.allclose(found, list(leaves([*expected.values()])), rtol=1e-9, atol=1e-12)


def test_figures_of_the_cost_model_through_the_surface():
    def cost(text: str, seed: Any) -> int:
        return judge(elaborate(parse(text)), [1.0], elaborate_value(seed)).cost

    assert cost("inl x", inl(1.0)) == 29
    assert cost("match inl x with inl a -> a*a | inr b -> b*b", 1.0) == 128
    assert cost("match inr x with inl a -> a*a | inr b -> b*b", 1.0) == 128


def test_forward_and_reference_follow_the_branch():
    program, point = parse(ABS), {"x": -2.0}
    assert tangent(program, point, {"x": 1.0})[:2] == (2.0, -1.0)
    assert float(vjp(program, point, 1.0)["x"]) == -1.0
    assert value(parse("inr <x, inl 2>"), {"x": 1.0})[0] == inr((1.0, inl(2.0)))


def test_a_branching_program_is_written_down_at_a_point():
    judged = TRANSFORMATIONS["accumulator"]
    assert pretty(write(judged, parse(ABS), {"x": -2.0}).program.term) == (
        "let v1 = sgn(x) in\nlet v2 = -x in\nlet g1 = -d in\n<v2, <g1>>"
    )
    with pytest.raises(NeedsPoint, match="the program branches"):
        write(judged, parse(ABS))
    with pytest.raises(NeedsPoint, match="s is a value of a sum"):
        write(judged, parse("context: s: (real + ()) |- 1"))


def test_names_bound_by_a_match_are_not_free():
    assert free_variables(parse("match f with inl x -> x + a | inr y -> x + y").term) == ("f", "a", "x")


def test_branching_terms_are_pickled_without_recursion():
    program = parse(ABS)
    again = pickle.loads(pickle.dumps(program))
    assert pretty_program(again) == pretty_program(program)


@BOTH
def test_matches_nest_10_000_deep(name: str):
    depth = 9_000
    left = "match sign x with inl s -> " * depth + "x*x" + " | inr z -> x" * depth
    right = "match sign x with inl s -> x | inr z -> " * depth + "x*x"
    if name == "accumulator":
        assert grad(name, left, x=3.0) == {"x": 6.0}
        assert grad(name, right, x=0.0) == {"x": 0.0}
        assert pretty(parse(left).term).count("match") == depth
    else:
        assert grad(
            name, left.replace("match sign x with inl s -> ", "", 8_800).replace(" | inr z -> x", "", 8_800), x=3.0
        ) == {"x": 6.0}
