"""IEEE arithmetic on doubles: what the operations of the rule table compute.

Every function takes floats, or arrays of doubles elementwise, and returns the same; where Python's `math` would raise,
it returns the IEEE result, an infinity or NaN. Each is accurate to a few units in the last place over the whole range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

R = Any
"""A float, or an array of doubles."""


def add(a: R, b: R) -> R:
    return a + b


def sub(a: R, b: R) -> R:
    return a - b


def mul(a: R, b: R) -> R:
    return a * b


def div(a: R, b: R) -> R:
    if isinstance(b, np.ndarray) or b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def neg(a: R) -> R:
    return -a


def sin(a: R) -> R:
    if isinstance(a, np.ndarray):
        return np.sin(a)
    return math.sin(a) if math.isfinite(a) else math.nan


def cos(a: R) -> R:
    if isinstance(a, np.ndarray):
        return np.cos(a)
    return math.cos(a) if math.isfinite(a) else math.nan


def exp(a: R) -> R:
    if isinstance(a, np.ndarray):
        return np.exp(a)
    return math.exp(a) if a < 709.0 else _or_infinity(math.exp, a)


def log(a: R) -> R:
    if isinstance(a, np.ndarray):
        return np.log(a)
    if a > 0.0:
        return math.log(a)
    return -math.inf if a == 0.0 else math.nan


def sqrt(a: R) -> R:
    if isinstance(a, np.ndarray):
        return np.sqrt(a)
    return math.sqrt(a) if a >= 0.0 else math.nan


def cosh(a: R) -> R:
    if isinstance(a, np.ndarray):
        return np.cosh(a)
    return _or_infinity(math.cosh, a)


def sinh(a: R) -> R:
    if isinstance(a, np.ndarray):
        return np.sinh(a)
    return math.copysign(_or_infinity(math.sinh, abs(a)), a)


def tanh(a: R) -> R:
    return np.tanh(a) if isinstance(a, np.ndarray) else math.tanh(a)


def sigmoid(a: R) -> R:
    """1 / (1 + exp(-a)); the exponential is always of a negative number, so it neither overflows nor loses digits."""
    e = exp(-abs(a))
    if isinstance(a, np.ndarray):
        return np.where(a < 0.0, e, 1.0) / (1.0 + e)
    return (e if a < 0.0 else 1.0) / (1.0 + e)


def pow(a: R, b: R) -> R:
    if isinstance(a, np.ndarray):
        return np.power(a, b)
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0.0 and b % 2.0 == 1.0 else math.inf
    except ValueError:  # zero to a negative power, or a negative number to a fraction
        return math.nan if a else math.copysign(math.inf, a) if b % 2.0 == 1.0 else math.inf


def absolute(a: R) -> R:
    return abs(a)


def maximum(a: R, b: R) -> R:
    if isinstance(a, np.ndarray):
        return np.maximum(a, b)
    return a if a >= b or a != a else b


def minimum(a: R, b: R) -> R:
    if isinstance(a, np.ndarray):
        return np.minimum(a, b)
    return a if a <= b or a != a else b


def relu(a: R) -> R:
    return np.where(a < 0.0, 0.0, a) if isinstance(a, np.ndarray) else maximum(a, 0.0)


# What pullbacks need besides. A zero first argument passes through `div0` and `mul0` whatever the second one is: an
# infinite derivative must not turn a cotangent that is zero into NaN.


def sgn(a: R) -> R:
    """-1, 0 or 1."""
    if isinstance(a, np.ndarray):
        return np.sign(a)
    return 1.0 if a > 0.0 else -1.0 if a < 0.0 else a * 0.0


def ge(a: R, b: R) -> R:
    """1 where a >= b, else 0."""
    return np.where(a >= b, 1.0, 0.0) if isinstance(a, np.ndarray) else 1.0 if a >= b else 0.0


def share(a: R, b: R) -> R:
    """What max(a, b) owes to a: 1 where a > b, one half on a tie, else 0."""
    if isinstance(a, np.ndarray):
        return np.where(a > b, 1.0, np.where(a == b, 0.5, 0.0))
    return 1.0 if a > b else 0.5 if a == b else 0.0


def div0(a: R, b: R) -> R:
    """a / b, and 0 where a is 0."""
    if isinstance(a, np.ndarray):
        return np.where(a == 0.0, 0.0, a / b)
    return 0.0 if a == 0.0 else div(a, b)


def mul0(a: R, b: R) -> R:
    """a * b, and 0 where a is 0."""
    if isinstance(a, np.ndarray):
        return np.where(a == 0.0, 0.0, a * b)
    return 0.0 if a == 0.0 else a * b


def pow_da(a: R, b: R) -> R:
    """The derivative of a^b by a, b * a^(b-1), right also where a^b or a^(b-1) leaves the range of doubles.

    With h = |a|^(b/2) it is b*h*h/|a|. The order of the factors keeps every partial product within range: b*h and h/|a|
    first for |a| >= 1, b*h/|a| for |a| < 1. (The obvious b * a^(b-1) rounds b-1, which the logarithm of a huge or tiny
    a magnifies to hundreds of units in the last place.)
    """
    if isinstance(a, np.ndarray):
        return np.frompyfunc(pow_da, 2, 1)(a, b).astype(float)
    if a == 0.0:
        return b if b in (0.0, 1.0) else math.inf if b < 1.0 else 0.0
    size = abs(a)
    h = pow(size, b / 2.0)
    slope = (b * h) * (h / size) if size >= 1.0 else (b * h / size) * h
    return -slope if a < 0.0 and b % 2.0 == 0.0 else slope


def pow_db(a: R, b: R) -> R:
    """The derivative of a^b by b, a^b * log(a), right also where a^b leaves the range; 0 for a <= 0 (a convention)."""
    if isinstance(a, np.ndarray):
        return np.frompyfunc(pow_db, 2, 1)(a, b).astype(float)
    if a <= 0.0:
        return 0.0
    h = pow(a, b / 2.0)
    return h * (h * log(a))


def pow_dadb(a: R, b: R) -> R:
    """The derivative of a^b by both, a^(b-1) * (1 + b * log(a)); 0 for a <= 0 (a convention)."""
    if isinstance(a, np.ndarray):
        return np.frompyfunc(pow_dadb, 2, 1)(a, b).astype(float)
    return 0.0 if a <= 0.0 else pow(a, b - 1.0) * (1.0 + b * log(a))


def pow_dbdb(a: R, b: R) -> R:
    """The second derivative of a^b by b, a^b * log(a)^2; 0 for a <= 0 (a convention)."""
    if isinstance(a, np.ndarray):
        return np.frompyfunc(pow_dbdb, 2, 1)(a, b).astype(float)
    return 0.0 if a <= 0.0 else pow(a, b) * (log(a) * log(a))


def _or_infinity(f: Callable[[float], float], a: float) -> float:
    try:
        return f(a)
    except OverflowError:
        return math.inf
