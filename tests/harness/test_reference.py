"""The reference agrees with closed forms of analysis, at ordinary points and at the ends of the range of doubles."""

from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

from harness.reference import evaluate, magnitude, partial, vjp
from harness.reference_tape import PRIMITIVES, Undefined
from transforms.parse import parse
from transforms.syntax import Let, Lit, Op, Program, Tuple, Var
from transforms.types import Array

HUGE, TINY = 1e300, 1e-300


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(3000):
        yield


def agree(found, expected, digits):
    if expected == 0:
        return found == 0
    return abs(found - expected) <= abs(expected) * mpf(10) ** -digits


CLOSED_FORMS = {
    "add": (lambda a, b: 1, lambda a, b: 1),
    "sub": (lambda a, b: 1, lambda a, b: -1),
    "mul": (lambda a, b: b, lambda a, b: a),
    "div": (lambda a, b: 1 / b, lambda a, b: -a / b**2),
    "neg": (lambda a: -1,),
    "sin": (mp.cos,),
    "cos": (lambda a: -mp.sin(a),),
    "exp": (mp.exp,),
    "log": (lambda a: 1 / a,),
    "sqrt": (lambda a: 1 / (2 * mp.sqrt(a)),),
    "pow": (lambda a, b: b * a ** (b - 1), lambda a, b: a**b * mp.ln(a)),
    "tanh": (lambda a: 1 / mp.cosh(a) ** 2,),
    "sigmoid": (lambda a: 1 / (2 * mp.cosh(a / 2)) ** 2,),
    "abs": (lambda a: 1 if a > 0 else -1,),
    "max": (lambda a, b: int(a > b), lambda a, b: int(b > a)),
    "min": (lambda a, b: int(a < b), lambda a, b: int(b < a)),
    "relu": (lambda a: int(a > 0),),
    "ge": (lambda a, b: 0, lambda a, b: 0),
    "div0": (lambda a, b: 1 / b, lambda a, b: -a / b**2),
}

ONE = (0.5, -2.75, 1e-5, HUGE, -HUGE, TINY, -1e-308, 1.7e308, 5e-324)
POSITIVE = tuple(a for a in ONE if a > 0)
MODERATE = (0.5, -2.75, 1e-5, TINY, 700.0, -700.0, 20.0)
PAIRS = ((3.0, -2.0), (-1.5, 0.1), (HUGE, TINY), (TINY, HUGE), (TINY, 1.03), (-1e308, 1e-308))
POINTS = {
    **{name: [(a,) for a in ONE] for name in ("neg", "sin", "cos", "abs", "relu")},
    **dict.fromkeys(("add", "sub", "mul", "div", "max", "min", "ge"), PAIRS),
    "div0": (*PAIRS, (0.0, 3.0)),
    **{name: [(a,) for a in POSITIVE] for name in ("log", "sqrt")},
    **{name: [(a,) for a in MODERATE] for name in ("exp", "tanh", "sigmoid")},
    "pow": ((1e-300, 1.03), (1e300, 0.97), (1.5, 700.0), (0.3, -2.0), (1.0, 1e300), (7.0, 0.0)),
}


def test_every_primitive_has_a_closed_form_here():
    assert CLOSED_FORMS.keys() == POINTS.keys() == PRIMITIVES.keys()
    assert len(PRIMITIVES) == 19


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_a_partial_derivative_has_thirty_digits(name):
    for args in POINTS[name]:
        for j, closed_form in enumerate(CLOSED_FORMS[name]):
            expected = closed_form(*map(mpf, args))
            assert agree(partial(name, args, j), expected, 30), (args, j)


def test_derivatives_that_tables_print():
    assert agree(partial("sin", [1.0], 0), mpf("0.540302305868139717400936607442976603732"), 30)
    assert agree(partial("tanh", [20.0], 0), mpf("1.69934170211663558e-17"), 17)
    assert agree(partial("sigmoid", [0.0], 0), mpf("0.25"), 30)


def test_the_derivative_of_a_constant_is_exactly_zero():
    assert partial("max", [1.0, 2.0], 0) == 0
    assert partial("cos", [0.0], 0) == 0
    assert partial("pow", [0.0, 2.0], 0) == 0
    assert partial("tanh", [1e308], 0) == 0


def test_powers_have_the_derivatives_of_their_smooth_extensions():
    assert partial("pow", [0.0, 1.0], 0) == 1
    assert partial("pow", [0.0, 0.0], 0) == 0
    assert partial("pow", [0.0, 2.0], 1) == 0
    assert partial("pow", [-3.0, 2.0], 0) == -6
    assert partial("pow", [-2.0, -1.0], 0) == mpf("-0.25")


@pytest.mark.parametrize(
    ("name", "args", "j"),
    [
        ("abs", [0.0], 0),
        ("relu", [0.0], 0),
        ("max", [2.0, 2.0], 0),
        ("min", [2.0, 2.0], 1),
        ("sqrt", [0.0], 0),
        ("pow", [0.0, 0.5], 0),
        ("pow", [-3.0, 2.0], 1),
        ("log", [0.0], 0),
        ("log", [-1.0], 0),
        ("sqrt", [-1.0], 0),
        ("div", [1.0, 0.0], 0),
        ("pow", [-1.0, 0.5], 0),
        ("pow", [0.0, -1.0], 0),
    ],
)
def test_where_no_derivative_exists_none_is_given(name, args, j):
    with pytest.raises(Undefined):
        partial(name, args, j)


def gradient(source, cotangent: Any = 1.0, **point):
    return vjp(parse(source), point, cotangent)


def test_a_value_is_right_where_doubles_cancel():
    assert evaluate(parse("x + y - x").term, {"x": HUGE, "y": TINY}) == mpf(TINY)
    found = evaluate(parse("1 - tanh(x)").term, {"x": 300.0})
    assert agree(found, 2 / (mp.exp(600) + 1), 30)


def test_a_value_has_the_structure_of_its_type():
    term = parse("let r = <x, <2, y>> in case r of <a, b> -> <b, <>, a>").term
    assert evaluate(term, {"x": 1.0, "y": 3.0}) == ((2, 3), (), 1)


def test_names_are_shadowed_and_come_back():
    assert evaluate(parse("(let x = x + 1 in x * x) + x").term, {"x": 2.0}) == 11
    assert evaluate(parse("case <y, x> of <x, y> -> x - y").term, {"x": 2.0, "y": 7.0}) == 5


def test_cotangents_choose_rows_of_the_jacobian():
    assert gradient("<x1 * x2, x1 + x2>", (1.0, 0.0), x1=3.0, x2=5.0) == {"x1": 5, "x2": 3}
    assert gradient("<x1 * x2, x1 + x2>", (0.0, 1.0), x1=3.0, x2=5.0) == {"x1": 1, "x2": 1}


def test_a_cotangent_has_the_structure_of_the_point():
    program = parse("context: p: (real, (real, real)), x: real |- case p of <a, q> -> case q of <b, c> -> a * b + x")
    assert vjp(program, {"p": (2.0, (3.0, 5.0)), "x": 1.0}, 7.0) == {"p": (21, (14, 0)), "x": 7}


def test_arrays_are_taken_element_by_element():
    program = Program((("w", Array((2,))),), Op("mul", (Var("w"), Op("add", (Var("w"), Lit(np.array([1.0, 2.0])))))))
    point, cotangent = {"w": np.array([3.0, 5.0])}, np.array([1.0, 10.0])
    assert evaluate(program.term, point) == [12, 35]
    assert vjp(program, point, cotangent) == {"w": [7, 120]}
    assert magnitude(program, point, cotangent) == {"w": [7.0, 120.0]}


def test_only_finite_floats_are_taken():
    for wrong in (1, float("nan"), float("inf"), mpf(1)):
        with pytest.raises(TypeError, match="finite float"):
            evaluate(Var("x"), {"x": wrong})


@pytest.mark.parametrize(
    ("source", "point", "expected"),
    [
        ("x + y - x", {"x": HUGE, "y": TINY}, lambda: {"x": 0, "y": 1}),
        ("x / (x + 1e-300)", {"x": 0.0}, lambda: {"x": 1 / mpf(TINY)}),
        ("sin(1e300 * (x - 1))", {"x": 1.0}, lambda: {"x": mpf(HUGE)}),
        ("x * y - y * x", {"x": 2.0, "y": 3.0}, lambda: {"x": 0, "y": 0}),
        ("sin(x) * sin(x) + cos(x) * cos(x)", {"x": 2.0}, lambda: {"x": 0}),
        ("x * x", {"x": 0.0}, lambda: {"x": 0}),
        ("(x - 1) * (x - 1) + 1e-60 * x", {"x": 1.0}, lambda: {"x": mpf(1e-60)}),
        ("x * x * x", {"x": TINY}, lambda: {"x": 3 * mpf(TINY) ** 2}),
        ("<1e300 * x, y>", {"x": 3.0, "y": 2.0}, lambda: {"x": mpf(HUGE) ** 2, "y": mpf(TINY)}),
    ],
)
def test_gradients_survive_cancellation_and_extreme_scales(source, point, expected):
    cotangent = (HUGE, TINY) if source.startswith("<") else 1.0
    found = gradient(source, cotangent, **point)
    for name, entry in expected().items():
        assert agree(found[name], entry, 25), name


def test_a_small_contribution_is_not_absorbed_by_a_large_value():
    found = gradient("x + (1e150 * (1 + 1e-150 * sin(x)) - 1e150)", x=2.0)["x"]
    assert agree(found, 1 + mpf(1e150) * mpf(1e-150) * mp.cos(2), 25)


def test_an_exact_zero_is_not_taken_for_rounding_noise():
    """Noise is a whole number of rounding units: here it looks linear to steps in the ratio 1 to 2."""
    assert gradient("let a = x / 6.1 in (a / 31.9 + 1) * 31.9 - a", x=6.01) == {"x": 0}


@pytest.mark.parametrize(
    ("source", "at", "slope"),
    [
        ("max(x, x)", 2.0, 1),
        ("max(x, 0) - max(-x, 0)", 0.0, 1),
        ("abs(x) * abs(x)", 0.0, 0),
        ("abs(x) * x", 0.0, 0),
        ("max(sin(x), 2)", 0.5, 0),
    ],
)
def test_kinks_that_a_composite_smooths_are_no_obstacle(source, at, slope):
    assert gradient(source, x=at) == {"x": slope}


@pytest.mark.parametrize(("source", "at"), [("abs(x)", 0.0), ("max(x, 2 * x)", 0.0), ("sqrt(x)", 0.0)])
def test_kinks_and_infinite_slopes_are_refused(source, at):
    with pytest.raises(Undefined):
        gradient(source, x=at)


def test_magnitude_adds_absolute_contributions():
    program = parse("x * y - y * x")
    assert magnitude(program, {"x": 2.0, "y": 3.0}, -1.0) == {"x": 6.0, "y": 4.0}
    assert magnitude(parse("pow(x, 2)"), {"x": -3.0}, 1.0) == {"x": 6.0}
    assert magnitude(parse("x + x - 3 * x"), {"x": 5.0}, 2.0) == {"x": 10.0}
    program = parse("context: p: (real, real), z: real |- case p of <a, b> -> <a * b, a - a>")
    assert magnitude(program, {"p": (-2.0, 5.0), "z": 1.0}, (1.0, 3.0)) == {"p": (11.0, 2.0), "z": 0.0}


def test_magnitude_counts_every_path():
    source = "let a = x + x in let b = a - a in let c = b + b in c"
    assert magnitude(parse(source), {"x": 1.0}, 1.0) == {"x": 8.0}


def test_magnitude_at_kinks_and_behind_a_zero():
    assert magnitude(parse("max(x, x)"), {"x": 2.0}, 1.0) == {"x": 2.0}
    assert magnitude(parse("abs(x)"), {"x": 0.0}, 3.0) == {"x": 3.0}
    assert magnitude(parse("0 * sqrt(x)"), {"x": 0.0}, 1.0) == {"x": 0.0}


def test_long_chains_take_no_deep_recursion():
    length = 100_000
    term = Tuple((Var("y"), Var("x")))
    for k in range(length):
        term = Let("y", Op("neg" if k % 2 else "sin", (Var("y" if k < length - 1 else "x"),)), term)
    program = Program(parse("x").context, term)
    value, x = evaluate(term, {"x": 0.0})
    assert (value, x) == (0, 0)
    assert vjp(program, {"x": 0.0}, (1.0, 0.0)) == {"x": 1}
