"""How the remainder of the first-order expansion shrinks: with the square of the step, where the gradient is right.

    R(h) = <d, f(x + h v)> - <d, f(x)> - h <J^t d, v>

Values come from the independent evaluator; the subject gives the gradient alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from random import Random

from harness import reference_double
from harness.checks.check import Measured
from harness.checks.comparison import Comparison, runs
from harness.checks.examples import Example, direction, small_programs
from harness.checks.subject import Subject
from harness.nests import leaves

STEPS = tuple(2.0**-k for k in range(3, 11))
FLOOR = 2.0**-30
"""Of the sum of |cotangent * value|: a remainder below it counts as rounding. How much there is of that is a question
for other checks."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """An example, a direction, and how the value changes along it, by step; `noise` is what rounding makes of that."""

    example: Example
    along: list[float]
    changes: Sequence[float]
    noise: float


def expansions(seed: int) -> list[Expansion]:
    return [_expansion(example, seed) for example in small_programs(seed)]


def _expansion(example: Example, seed: int) -> Expansion:
    along = direction(tuple(example.point.values()), Random(f"{seed}/{example.label}/taylor"), 0.25)
    d = list(leaves(example.cotangent))
    moves = list(leaves(along))

    def value(h: float) -> list[float]:
        moved = iter([x + h * dx for x, dx in zip(leaves(tuple(example.point.values())), moves, strict=True)])
        point = {name: reference_double.like(part, moved) for name, part in example.point.items()}
        return list(leaves(reference_double.evaluate(example.program, point)))

    here = value(0.0)
    noise = FLOOR * sum(abs(w * y) for w, y in zip(d, here, strict=True))
    changes = [sum(w * (y - y0) for w, y, y0 in zip(d, value(h), here, strict=True)) for h in STEPS]
    return Expansion(example, moves, changes, noise)


def remainders(subject: Subject, prepared: list[Expansion]) -> Measured:
    comparison = Comparison()
    for expansion in prepared:
        for name, _, cotangent in runs(subject, expansion.example):
            slope = sum(g * dx for g, dx in zip(cotangent, expansion.along, strict=True))
            left = [_above(c - h * slope, expansion.noise) for c, h in zip(expansion.changes, STEPS, strict=True)]
            comparison.add(expansion.example, f"rate of the remainder, {name}", [2.0 - _missing(left)], [2.0], [1.0])
    return comparison.measured()


def _above(remainder: float, noise: float) -> float:
    """What a remainder is beside noise; NaN stays NaN."""
    return 0.0 if abs(remainder) <= noise else abs(remainder) - noise


def _missing(remainders: list[float]) -> float:
    """By how much the rate at which remainders shrink is below 2, per halving of the step.

    The remainder over the step's square stays within a constant where the rate is 2, and is compared at the smallest
    step with the largest of it in the first half: a single one may vanish by accident.
    """
    shares = [r / h**2 for r, h in zip(remainders, STEPS, strict=True)]
    half = len(shares) // 2
    early, last = max(shares[:half]), shares[-1]
    if not last > 0.0:
        return last  # 0, or NaN
    if early == 0.0:
        return 2.0
    missing = log2(last / early) / half
    return 0.0 if missing < 0.0 else missing
