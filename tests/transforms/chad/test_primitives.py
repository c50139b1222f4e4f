"""What primitives compute, at ordinary points and at the ends of the range."""

from math import inf, isnan, nan

import mpmath
import pytest
from mpmath import mp

from transforms.chad.primitives import TABLE


def derivatives(name, point):
    return [row.function(point) for row in TABLE[name].derivatives]


@pytest.mark.parametrize("point", [0.3, 1.7, -0.8])
@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("sin", mpmath.sin),
        ("cos", mpmath.cos),
        ("exp", mpmath.exp),
        ("log", mpmath.log),
        ("sqrt", mpmath.sqrt),
        ("tanh", mpmath.tanh),
        ("sigmoid", lambda x: 1 / (1 + mpmath.exp(-x))),
        ("abs", abs),
        ("relu", lambda x: max(x, 0)),
    ],
)
def test_unary_primitives(name, exact, point):
    if name in ("log", "sqrt"):
        point = abs(point)
    with mp.workdps(40):
        assert TABLE[name].function(point) == pytest.approx(float(exact(mp.mpf(point))), rel=1e-15)
        assert derivatives(name, point) == pytest.approx([float(mpmath.diff(exact, point))], rel=1e-14)


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("div", lambda a, b: a / b),
        ("pow", lambda a, b: a**b),
        ("max", max),
        ("min", min),
    ],
)
def test_binary_primitives(name, exact):
    for point in [(0.3, 1.7), (2.5, 0.4), (2.5, -1.5)]:
        with mp.workdps(40):
            partials = [float(mpmath.diff(exact, point, order)) for order in ((1, 0), (0, 1))]
            assert TABLE[name].function(point) == pytest.approx(float(exact(*map(mp.mpf, point))), rel=1e-15)
            assert derivatives(name, point) == pytest.approx(partials, rel=1e-14)


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("abs", 0.0, [0.0]),
        ("relu", 0.0, [1.0]),
        ("sqrt", 0.0, [inf]),
        ("max", (1.0, 1.0), [0.5, 0.5]),
        ("min", (1.0, 1.0), [0.5, 0.5]),
        ("pow", (0.0, 0.0), [0.0, 0.0]),
        ("pow", (0.0, 1.0), [1.0, 0.0]),
        ("pow", (0.0, 2.0), [0.0, 0.0]),
        ("tanh", 800.0, [0.0]),
        ("sigmoid", -800.0, [0.0]),
    ],
)
def test_derivatives_by_convention(name, point, expected):
    assert derivatives(name, point) == expected


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("exp", 1000.0, inf),
        ("log", 0.0, -inf),
        ("div", (1.0, 0.0), inf),
        ("div", (1.0, -0.0), -inf),
        ("pow", (0.0, 0.0), 1.0),
        ("pow", (0.0, -2.0), inf),
        ("pow", (-0.0, -3.0), -inf),
        ("pow", (-1e200, 3.0), -inf),
        ("sigmoid", -1000.0, 0.0),
        ("sigmoid", 1000.0, 1.0),
    ],
)
def test_the_range_ends_in_infinities(name, point, expected):
    assert TABLE[name].function(point) == expected


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("log", -1.0),
        ("sqrt", -1.0),
        ("sin", inf),
        ("cos", -inf),
        ("div", (0.0, 0.0)),
        ("pow", (-1.0, 0.5)),
        ("max", (nan, 1.0)),
        ("max", (1.0, nan)),
        ("min", (nan, 1.0)),
        ("relu", nan),
        ("abs", nan),
        ("tanh", nan),
    ],
)
def test_undefined_values_are_nan(name, point):
    assert isnan(TABLE[name].function(point))
