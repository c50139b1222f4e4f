"""The reverse macro: values from mathematics, in both representations."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.random_terms import random_program
from harness.randomised import TOLERANCE, errors
from transforms.drivers import TRANSFORMATIONS, counts, everywhere, gradient, tangent, value, write
from transforms.environment import Environment
from transforms.evaluate import evaluate
from transforms.machines.counting import Counting
from transforms.machines.interface import EMPTY
from transforms.parse import parse
from transforms.pretty import pretty, pretty_program
from transforms.reverse import CLAUSES
from transforms.rules import OPERATIONS, RULES
from transforms.syntax import Op, Tuple, bound_names, subterms
from transforms.typecheck import typecheck
from transforms.types import REAL, Injected, Product, full, layout, units

BOTH = pytest.mark.parametrize("name", TRANSFORMATIONS)


def grad(name: str, text: str, cotangent: Any = 1.0, **point: Any) -> dict[str, Any]:
    return gradient(TRANSFORMATIONS[name], parse(text), point, cotangent).cotangent


@BOTH
def test_the_first_example(name: str):
    """<x1*x2, x1+x2> at (3, 5): the Jacobian is [[5, 3], [1, 1]]."""
    text = "<x1*x2, x1+x2>"
    assert value(parse(text), {"x1": 3.0, "x2": 5.0})[0] == (15.0, 8.0)
    rows = [grad(name, text, unit, x1=3.0, x2=5.0) for unit in units(typecheck(parse(text)))]
    assert rows == [{"x1": 5.0, "x2": 3.0}, {"x1": 1.0, "x2": 1.0}]


@BOTH
@pytest.mark.parametrize(
    ("text", "point", "expected"),
    [
        ("x / (let a = x in a)", {"x": 2.0}, {"x": 0.0}),
        ("x * x * x", {"x": 3.0}, {"x": 27.0}),
        ("x - y", {"x": 3.0, "y": 4.0}, {"x": 1.0, "y": -1.0}),
        ("y - (x - y)", {"y": 3.0, "x": 4.0}, {"y": 2.0, "x": -1.0}),
        ("--x + neg(2)", {"x": 3.0}, {"x": 1.0}),
        ("x / y", {"x": 3.0, "y": 2.0}, {"x": 0.5, "y": -0.75}),
        ("let x = x * x in x * x", {"x": 3.0}, {"x": 108.0}),
        ("let y = x * x in 2", {"x": 3.0}, {"x": 0.0}),
        ("case <x * y, y> of <a, b> -> a * b", {"x": 2.0, "y": 3.0}, {"x": 9.0, "y": 12.0}),
        ("case <x, y> of <x, y> -> case <y, x> of <x, y> -> x", {"x": 2.0, "y": 3.0}, {"x": 0.0, "y": 1.0}),
        ("case <> of <> -> x", {"x": 2.0}, {"x": 1.0}),
        ("case <x, <y, x>> of <a, q> -> case q of <b, c> -> a * c", {"x": 2.0, "y": 3.0}, {"x": 4.0, "y": 0.0}),
        # Reported as 7 where paths are counted twice: x(xa) + x^2 a + x(xa) at 1.
        ("let y = x*a in x*y + x*x*a + x*y", {"x": 1.0, "a": 1.0}, {"x": 6.0, "a": 3.0}),
    ],
)  # fmt: skip
def test_gradients(name: str, text: str, point: dict[str, float], expected: dict[str, float]):
    assert grad(name, text, **point) == expected


@BOTH
def test_tuples_in_the_context_and_in_the_result(name: str):
    text = "context: p: (real, (real, ())), x: real |- case p of <a, q> -> case q of <b, u> -> <<a * b, u>, x, p>"
    found = grad(name, text, ((2.0, ()), 3.0, (5.0, (7.0, ()))), p=(11.0, (13.0, ())), x=17.0)
    assert found == {"p": (2 * 13.0 + 5, (2 * 11.0 + 7, ())), "x": 3.0}


def test_what_a_case_binds_is_not_visited_where_nothing_arrives():
    visits = []

    def spy(ad: Any, e: Tuple, scope: Any):
        value, backpropagator = CLAUSES[Tuple](ad, e, scope)
        return value, lambda d: (visits.append(d), backpropagator(d))[1]

    judged = replace(TRANSFORMATIONS["accumulator"], clauses={**CLAUSES, Tuple: spy})
    for used, expected in (("2", 0), ("a", 1)):
        visits.clear()
        gradient(judged, parse(f"context: x: real |- case <x, x> of <a, b> -> {used}"), {"x": 1.0}, 1.0)
        assert len(visits) == expected


@BOTH
def test_a_pullback_that_says_nothing_of_an_argument_is_an_error(name: str):
    mul = replace(RULES["mul"], pullback=lambda m, ct, r, a, b: (m.mul(ct, b),))
    judged = replace(TRANSFORMATIONS[name], rules={**RULES, "mul": mul})
    with pytest.raises(ValueError, match="shorter"):
        gradient(judged, parse("x * y"), {"x": 2.0, "y": 3.0}, 1.0)


def test_an_accumulator_refuses_tuples_of_two_lengths_in_one_slot():
    machine = Counting(RULES)
    x = EMPTY.extend(Product((REAL, REAL)))
    held = TRANSFORMATIONS["accumulator"].representation(machine)
    held.inject(x, x, (machine.constant(1.0), machine.constant(2.0)))
    with pytest.raises(ValueError, match="shorter"):
        held.inject(x, x, (machine.constant(1.0),))


@BOTH
def test_a_representation_bears_its_name(name: str):
    assert TRANSFORMATIONS[name].representation(Counting(RULES)).name == name


@BOTH
def test_let_is_the_composite_of_the_transposes_plus_the_context_part(name: str):
    assert grad(name, "let y = 3 * x in y * y", x=2.0) == {"x": 2 * (3 * 2.0) * 3}
    assert grad(name, "let y = 3 * x in y * y + 5 * x", x=2.0) == {"x": 2 * (3 * 2.0) * 3 + 5}


@BOTH
@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("max(x, x)", 2.0, 1.0),
        ("max(x, 0) - max(-x, 0)", 0.0, 1.0),
        ("abs(x) * abs(x)", 0.0, 0.0),
        ("abs(x) * x", 0.0, 0.0),
        ("max(sqrt(x), 1)", 0.0, 0.0),
        ("max(sin(x), 3)", 0.5, 0.0),
        ("max(pow(x, 0.5), 1)", 0.0, 0.0),
        ("sqrt(x * x) * sqrt(x * x) / 2", 0.0, 0.0),
        ("sigmoid(x)", -1000.0, 0.0),
        ("tanh(x)", 20.0, 1.69934170211663558e-17),
        ("pow(x, 2)", -3.0, -6.0),
        ("pow(0, x)", 1.0, 0.0),
        ("abs(x)", -5.0, -1.0),
    ],
)
def test_kinks_and_composites(name: str, text: str, at: float, expected: float):
    assert grad(name, text, x=at)["x"] == pytest.approx(expected, rel=4e-16, abs=0)


@BOTH
def test_product_of_three_with_a_zero(name: str):
    assert grad(name, "x * y * z", x=0.0, y=2.0, z=3.0) == {"x": 6.0, "y": 0.0, "z": 0.0}


@BOTH
def test_the_seed_scales_the_gradient_and_a_second_call_gives_the_same_bits(name: str):
    text, point = "-(x * y)", {"x": 2.0, "y": 3.0}
    assert grad(name, text, 2.5, **point) == {"x": -7.5, "y": -5.0}
    assert grad(name, text, 2.5, **point) == grad(name, text, 2.5, **point)


@BOTH
def test_arrays_are_differentiated_elementwise(name: str):
    import numpy as np

    text = "context: w: real[2,3] |- relu(w) * w"
    w = np.array([[-1.0, 2.0, 0.5], [3.0, -4.0, 0.25]])
    ct = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = gradient(TRANSFORMATIONS[name], parse(text), {"w": w}, ct)
    assert np.array_equal(found.cotangent["w"], np.where(w > 0, 2 * w * ct, 0.0))
    assert found.counts.primal_operations == 12


@given(st.integers(0, 2**32).map(Random), st.booleans())
def test_representations_forward_macro_and_reference_agree(rng, branching: bool):
    for against, error in errors(random_program(rng, result=None, branching=branching)).items():
        assert error <= TOLERANCE, against


@given(st.integers(0, 2**32).map(Random), st.booleans())
def test_the_value_is_the_term_s_value(rng, branching: bool):
    sample = random_program(rng, result=None, smooth=False, branching=branching)
    expected, source = value(sample.program, sample.point)
    for judged in TRANSFORMATIONS.values():
        found = gradient(judged, sample.program, sample.point, sample.cotangent)
        assert found.primal == expected
        assert found.counts.primal == source.primal
    direction = {name: full(layout(given), 1.0) for name, given in sample.point.items()}
    assert tangent(sample.program, sample.point, direction)[0] == expected


@BOTH
@given(rng=st.integers(0, 2**32).map(Random), branching=st.booleans())
def test_the_program_written_down_is_the_program_counted(name: str, rng, branching: bool):
    """The same operations by kind, the same numbers to the bit; and its text parses back."""
    sample = random_program(rng, result=None, smooth=False, size=15, branching=branching)
    judged = TRANSFORMATIONS[name]
    counted = gradient(judged, sample.program, sample.point, sample.cotangent)
    written = write(judged, sample.program, sample.point).program
    by_kind: dict[str, int] = {}
    for term in subterms(written.term):
        if isinstance(term, Op):
            by_kind[term.name] = by_kind.get(term.name, 0) + 1
    assert by_kind == {kind: n for kind, n in counted.counts.by_kind.items() if n}

    machine = Counting(everywhere(judged).rules)
    given_ = {x: _payloads(v) for x, v in sample.point.items()}
    given_[written.context[-1][0]] = _payloads(sample.cotangent)
    scope = Environment((x, machine.given(v)) for x, v in given_.items())
    result = evaluate(machine, written.term, scope)
    primal, cotangent = machine.read(result, machine.type_of(result))
    assert repr(primal) == repr(_payloads(counted.primal))
    assert _plain(cotangent) == _plain(_payloads(tuple(counted.cotangent.values())))

    text = pretty_program(written)
    assert pretty_program(parse(text)) == text
    assert typecheck(parse(text), {**OPERATIONS, **RULES}) == typecheck(written, {**OPERATIONS, **RULES})


def _payloads(value: Any) -> Any:
    """A value with what is injected in the place of the injected."""
    if isinstance(value, Injected):
        return _payloads(value.value)
    return tuple(map(_payloads, value)) if isinstance(value, tuple) else value


def _plain(numbers: Any) -> Any:
    """Nested tuples with NaN as a text, so that they compare; -0 equals 0."""
    if isinstance(numbers, tuple):
        return tuple(_plain(part) for part in numbers)
    return "nan" if math.isnan(numbers) else numbers


def test_a_written_program_captures_no_name():
    context = "context: d: real, d1: real, v1: real, g1: real, p: (real, real) |-"
    text = f"{context} case p of <p1, x> -> let v2 = d * v1 in v2 * g1 * d1 + p1"
    program = parse(text)
    written = write(TRANSFORMATIONS["accumulator"], program).program
    names = [name for name, _ in written.context]
    assert len(set(names)) == len(names)
    assert not bound_names(written.term) & set(names)


def test_the_written_example_reads_as_expected():
    assert pretty(write(TRANSFORMATIONS["accumulator"], parse("x * y - x")).program.term).split("\n") == [
        "let v1 = x * y in",
        "let v2 = v1 - x in",
        "let g1 = d * y in",
        "let g2 = d * x in",
        "let g3 = g1 - d in",
        "<v2, <g3, g2>>",
    ]


@BOTH
def test_a_chain_of_lets_and_deep_terms_run_without_recursion_errors(name: str):
    for text in ("-" * 10_000 + "x", "+".join(["x"] * 10_001), "<" * 10_000 + "x" + ">" * 10_000):
        program = parse(text)
        seed: Any = 1.0
        for _ in range(10_000 if text[0] == "<" else 0):
            seed = (seed,)
        gradient(TRANSFORMATIONS[name], program, {"x": 0.5}, seed)
        assert counts(TRANSFORMATIONS[name], program).operations >= 0
    chain = parse("let y = x + x in " * (20_000 if name == "accumulator" else 500) + "y")
    assert gradient(TRANSFORMATIONS[name], chain, {"x": 0.5}, 1.0).cotangent == {"x": 2.0}
