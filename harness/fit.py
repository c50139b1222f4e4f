"""What exact counts say of growth: polynomials recognised by finite differences, exponents by log-log slopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import factorial, log

TOLERANCE = 0.05
"""How far the slope at the tail may be from the exponent expected: at finite sizes the lower terms still show."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Coefficients, the constant one first."""

    coefficients: tuple[Fraction, ...]

    def __call__(self, x: int) -> Fraction:
        return sum((c * x**k for k, c in enumerate(self.coefficients)), Fraction(0))

    @property
    def degree(self) -> int:
        return len(self.coefficients) - 1

    def text(self, variable: str) -> str:
        """As one writes it: `3n^2 - 2n - 1`."""
        terms = []
        for k, c in reversed(list(enumerate(self.coefficients))):
            if c or not self.degree:
                size = "" if abs(c) == 1 and k else str(abs(c)) if c.denominator == 1 or not k else f"({abs(c)})"
                terms.append(
                    ("-" if c < 0 else "+", size + ("" if k == 0 else variable if k == 1 else f"{variable}^{k}"))
                )
        sign, first = terms[0]
        return ("-" if sign == "-" else "") + first + "".join(f" {sign} {term}" for sign, term in terms[1:])


def polynomial(start: int, values: Sequence[int], degree: int = 4) -> Polynomial | None:
    """The polynomial of at most `degree` through values at consecutive whole numbers from `start`, if there is one.

    A row of equal differences says so; at least three must agree, or nothing would have been tested.
    """
    rows = [list(values)]
    while len(set(rows[-1])) > 1:
        rows.append([b - a for a, b in zip(rows[-1], rows[-1][1:], strict=False)])
        if len(rows) - 1 > degree or len(rows[-1]) < 3:
            return None
    # Newton's forward form: the sum over k of the k-th difference times binomial(x - start, k).
    total = [Fraction(0)] * len(rows)
    falling = [Fraction(1)]
    for k, row in enumerate(rows):
        for power, c in enumerate(falling):
            total[power] += Fraction(row[0], factorial(k)) * c
        falling = [
            (falling[i - 1] if i else 0) - (start + k) * (falling[i] if i < len(falling) else 0)
            for i in range(len(falling) + 1)
        ]
    while len(total) > 1 and total[-1] == 0:
        total.pop()
    return Polynomial(tuple(total))


@dataclass(frozen=True, slots=True)
class Growth:
    """The slope between the last two sizes, and the lowest and highest of the last three slopes."""

    exponent: float
    low: float
    high: float
    points: int


def growth(sizes: Sequence[int], values: Sequence[int]) -> Growth | None:
    """Log-log slopes between successive sizes at the tail; None for fewer than two sizes, or with a value of 0."""
    if len(sizes) < 2 or min(values) <= 0:
        return None
    pairs = list(zip(sizes, values, strict=True))
    slopes = [log(v2 / v1) / log(n2 / n1) for (n1, v1), (n2, v2) in pairwise(pairs)][-3:]
    return Growth(slopes[-1], min(slopes), max(slopes), len(pairs))
