"""Judging a plain function and its gradient, by central differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isfinite
from typing import Any

import numpy as np

from harness.errors import NoVerdict, WrongGradient

FIRST, LAST = -3, -36
"""The binary exponents of the largest and the smallest step, relative to max(1, |x|)."""


def check(f: Callable[..., Any], grad: Callable[..., Any], at: Any, rtol: float = 1e-6, atol: float = 1e-8) -> None:
    """Raise WrongGradient unless `grad` is the gradient of `f` at a point, to `rtol` of an entry or to `atol`.

    `at` is a number, an array, or a tuple of arguments, each a number or an array. If `f(*at)` is a number, `grad(*at)`
    has the shape of `at`; if it is an array, `grad(*at, cotangent)` is the transposed Jacobian applied to a cotangent
    of its shape, which is drawn. The message names the worst entry, its index and both numbers.

    Steps adapt: they are halved for as long as the extrapolated differences keep settling. Raises NoVerdict where they
    do not settle to the tolerance.
    """
    several = isinstance(at, tuple)
    point = [np.array(x, dtype=float) for x in (at if several else (at,))]
    value = np.asarray(f(*_given(point)), dtype=float)
    if value.ndim:
        rng = np.random.default_rng(0)
        ct = rng.uniform(0.5, 2.0, value.shape) * rng.choice([-1.0, 1.0], value.shape)
        found = grad(*_given(point), ct)
    else:
        ct = np.array(1.0)
        found = grad(*_given(point))
    parts = [np.asarray(part, dtype=float) for part in (found if several else (found,))]
    shapes, expected = [part.shape for part in parts], [x.shape for x in point]
    if shapes != expected:
        raise WrongGradient(f"the gradient has the shapes {shapes}, expected {expected}")
    worst, message = 0.0, ""
    for k, (x, part) in enumerate(zip(point, parts, strict=True)):
        for index in np.ndindex(x.shape):
            slope, noise = _slope(lambda y, k=k, index=index: _weighted(f, point, k, index, y, ct), float(x[index]))
            name = (f"argument {k}" if several else "the gradient") + (f" at {list(index)}" if index else "")
            allowed = atol + rtol * abs(slope)
            if not noise <= allowed:
                raise NoVerdict(f"{name}: the differences do not settle: about {slope!r}, give or take {noise!r}")
            excess = abs(float(part[index]) - slope) / allowed if isfinite(part[index]) else inf
            if excess > max(1.0, worst):
                worst, message = excess, f"{name} is {float(part[index])!r}, expected {slope!r}"
    if message:
        raise WrongGradient(message)


def _given(point: list[np.ndarray]) -> Iterator[Any]:
    """The arguments, numbers as floats and arrays as copies, which a function may keep or change."""
    return (x.copy() if x.ndim else float(x) for x in point)


def _weighted(
    f: Callable[..., Any], point: list[np.ndarray], k: int, index: tuple[int, ...], y: float, ct: np.ndarray
) -> float:
    """The function's value along the cotangent, with one entry of the point replaced."""
    moved = [x.copy() for x in point]
    moved[k][index] = y
    with np.errstate(all="ignore"):
        return float(np.sum(ct * np.asarray(f(*_given(moved)), dtype=float)))


def _slope(f: Callable[[float], float], x: float) -> tuple[float, float]:
    """The derivative by extrapolated central differences, and how far the best two of them are apart."""
    best, noise = float("nan"), inf
    rougher = before = float("nan")
    for exponent in range(FIRST, LAST, -1):
        h = 2.0**exponent * max(1.0, abs(x))
        right, left = x + h, x - h
        try:
            finer = (f(right) - f(left)) / (right - left)
        except (ArithmeticError, ValueError):  # outside the domain: a smaller step may be inside
            finer = float("nan")
        extrapolated = (4.0 * finer - rougher) / 3.0
        change = abs(extrapolated - before)
        if change <= noise:
            best, noise = extrapolated, change
        elif change > 1e3 * noise + 1e-300:  # rounding has taken over
            break
        rougher, before = finer, extrapolated
    return best, noise
