"""Growth from exact counts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.fit import growth, polynomial


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda n: 3 * n * n - 2 * n - 1, "3n^2 - 2n - 1"),
        (lambda n: n * (n - 1) // 2, "(1/2)n^2 - (1/2)n"),
        (lambda n: 7, "7"),
        (lambda n: 0, "0"),
        (lambda n: -n, "-n"),
        (lambda n: n**4 + 2, "n^4 + 2"),
    ],
)
def test_a_polynomial_is_recognised_and_written(function, text: str):
    found = polynomial(2, [function(n) for n in range(2, 12)])
    assert found is not None
    assert found.text("n") == text
    assert found(1000) == function(1000)


def test_the_second_difference_of_the_pointwise_product_is_6():
    values = [3 * n * n - 2 * n - 1 for n in range(2, 10)]
    found = polynomial(2, values)
    assert found is not None
    assert found.degree == 2
    assert 2 * found.coefficients[2] == Fraction(6)


@pytest.mark.parametrize(
    "values", [[1, 2, 4, 8, 16, 32, 64, 128, 256], [1, 2], [1, 4, 9, 16], [n**5 for n in range(9)]]
)
def test_what_no_three_equal_differences_support_is_no_polynomial(values: list[int]):
    assert polynomial(1, values) is None


def test_growth_is_the_slope_at_the_tail():
    found = growth([1, 10, 100, 1000], [5, 50, 5_000, 500_000])
    assert found is not None
    assert found.exponent == pytest.approx(2)
    assert (found.low, found.high) == (pytest.approx(1), pytest.approx(2))
    assert growth([1], [5]) is None
    assert growth([1, 2], [0, 5]) is None
