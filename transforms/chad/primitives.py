"""The primitives of the core language: one row each.

A primitive takes one argument, a pair where it is binary, and computes in IEEE doubles: where `math` would raise, the
IEEE result is returned. Integers wrap around at 64 bits. `derivatives` are primitives too, one for each argument, and
take the primitive's own argument. Derivatives at kinks and ends of the range, where the mathematics leaves a choice:
abs'(0) = 0; max and min share equally on ties; relu'(0) = 1; sqrt'(0) is infinite; x^0 is 1 everywhere; the derivative
of x^y by y is 0 for x <= 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from transforms.chad.types import INTEGER, LREAL, LUNIT, REAL, SIGN, UNIT, Type, product
from transforms.chad.values import Left, Right


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """A function from values of type `argument` to values of type `result`."""

    name: str
    argument: Type
    result: Type
    function: Callable[[Any], Any]
    derivatives: tuple[Primitive, ...] = ()


Pair = tuple[float, float]
Whole = tuple[int, int]


def add(p: Pair) -> float:
    return p[0] + p[1]


def mul(p: Pair) -> float:
    return p[0] * p[1]


def neg(a: float) -> float:
    return -a


def div(p: Pair) -> float:
    a, b = p
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)


def div_d1(p: Pair) -> float:
    return div((1.0, p[1]))


def div_d2(p: Pair) -> float:
    return -div((div(p), p[1]))


def power(p: Pair) -> float:
    a, b = p
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0.0 and b % 2.0 == 1.0 else math.inf
    except ValueError:  # zero to a negative power, or a negative number to a fraction
        if a == 0.0:
            return math.copysign(math.inf, a) if b % 2.0 == 1.0 else math.inf
        return math.nan


def power_d1(p: Pair) -> float:
    a, b = p
    return 0.0 if b == 0.0 else b * power((a, b - 1.0))


def power_d2(p: Pair) -> float:
    return 0.0 if p[0] <= 0.0 else power(p) * log(p[0])


def maximum(p: Pair) -> float:
    a, b = p
    return a if a >= b or math.isnan(a) else b


def maximum_d1(p: Pair) -> float:
    return _share(p[0], p[1])


def maximum_d2(p: Pair) -> float:
    return _share(p[1], p[0])


def minimum(p: Pair) -> float:
    a, b = p
    return a if a <= b or math.isnan(a) else b


def minimum_d1(p: Pair) -> float:
    return _share(p[1], p[0])


def minimum_d2(p: Pair) -> float:
    return _share(p[0], p[1])


def _share(a: float, b: float) -> float:
    """What the larger of a and b owes to a."""
    return 1.0 if a > b else 0.5 if a == b else 0.0


def sin(a: float) -> float:
    return math.sin(a) if math.isfinite(a) else math.nan


def cos(a: float) -> float:
    return math.cos(a) if math.isfinite(a) else math.nan


def cos_d(a: float) -> float:
    return -sin(a)


def exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def log(a: float) -> float:
    if a > 0.0:
        return math.log(a)
    return -math.inf if a == 0.0 else math.nan


def log_d(a: float) -> float:
    return div((1.0, a))


def sqrt(a: float) -> float:
    return math.sqrt(a) if a >= 0.0 else math.nan


def sqrt_d(a: float) -> float:
    return div((0.5, abs(sqrt(a))))


def tanh(a: float) -> float:
    return math.tanh(a)


def tanh_d(a: float) -> float:
    """1 / cosh(a)^2, as a quotient that neither overflows nor cancels: with e = exp(-2|a|) it is 4e / (1 + e)^2."""
    e = math.exp(-2.0 * abs(a))
    return 4.0 * e / ((1.0 + e) * (1.0 + e))


def sigmoid(a: float) -> float:
    e = math.exp(-abs(a))
    return (e if a < 0.0 else 1.0) / (1.0 + e)


def sigmoid_d(a: float) -> float:
    return sigmoid(a) * sigmoid(-a)


def absolute(a: float) -> float:
    return abs(a)


def absolute_d(a: float) -> float:
    return 1.0 if a > 0.0 else -1.0 if a < 0.0 else a * 0.0


def relu(a: float) -> float:
    return a if a >= 0.0 or math.isnan(a) else 0.0


def relu_d(a: float) -> float:
    return 1.0 if a >= 0.0 else 0.0


def sign(a: float) -> Left | Right:
    return Left(Left(())) if a < 0.0 else Left(Right(())) if a > 0.0 else Right(())


def integer_add(p: Whole) -> int:
    return _wrap(p[0] + p[1])


def integer_mul(p: Whole) -> int:
    return _wrap(p[0] * p[1])


def integer_neg(a: int) -> int:
    return _wrap(-a)


def _wrap(a: int) -> int:
    return (a + 2**63) % 2**64 - 2**63


# The linear primitives, of which the pullbacks are made.


def linear_zero(_: tuple[()]) -> float:
    return 0.0


def scale(p: Pair) -> float:
    """A cotangent times a derivative."""
    return p[0] * p[1]


def scale0(p: Pair) -> float:
    """The same, but a zero cotangent passes zero through a derivative that is infinite."""
    return 0.0 if p[0] == 0.0 else p[0] * p[1]


def _unary(name: str, function: Callable[[float], float], derivative: Callable[[float], float]) -> Primitive:
    return Primitive(name, REAL, REAL, function, (Primitive(f"{name}'", REAL, REAL, derivative),))


def _binary(name: str, function: Callable[[Pair], float], *derivatives: Callable[[Pair], float]) -> Primitive:
    partials = [Primitive(f"{name}'{k}", REALS, REAL, partial) for k, partial in enumerate(derivatives, 1)]
    return Primitive(name, REALS, REAL, function, tuple(partials))


def literal(value: float) -> Primitive:
    """The constant function on unit: a float is a real, an int an integer."""
    return Primitive("literal", UNIT, REAL if isinstance(value, float) else INTEGER, lambda _: value)


REALS, INTEGERS = product(REAL, REAL), product(INTEGER, INTEGER)

# fmt: off
ADD     = Primitive("add", REALS, REAL, add)
MUL     = Primitive("mul", REALS, REAL, mul)
NEG     = Primitive("neg", REAL, REAL, neg)
SIGN_OF = Primitive("sign", REAL, SIGN, sign)
IADD    = Primitive("iadd", INTEGERS, INTEGER, integer_add)
IMUL    = Primitive("imul", INTEGERS, INTEGER, integer_mul)
INEG    = Primitive("ineg", INTEGER, INTEGER, integer_neg)
DIV     = _binary("div", div, div_d1, div_d2)
POW     = _binary("pow", power, power_d1, power_d2)
MAX     = _binary("max", maximum, maximum_d1, maximum_d2)
MIN     = _binary("min", minimum, minimum_d1, minimum_d2)
SIN     = _unary("sin", sin, cos)
COS     = _unary("cos", cos, cos_d)
EXP     = _unary("exp", exp, exp)
LOG     = _unary("log", log, log_d)
SQRT    = _unary("sqrt", sqrt, sqrt_d)
TANH    = _unary("tanh", tanh, tanh_d)
SIGMOID = _unary("sigmoid", sigmoid, sigmoid_d)
ABS     = _unary("abs", absolute, absolute_d)
RELU    = _unary("relu", relu, relu_d)

LZERO   = Primitive("lzero", LUNIT, LREAL, linear_zero)
LNEG    = Primitive("lneg", LREAL, LREAL, neg)
SCALE   = Primitive("scale", product(LREAL, REAL), LREAL, scale)
SCALE0  = Primitive("scale0", product(LREAL, REAL), LREAL, scale0)
# fmt: on

TABLE = {
    row.name: row
    for row in (
        *(ADD, MUL, NEG, SIGN_OF, IADD, IMUL, INEG, DIV, POW, MAX, MIN),
        *(SIN, COS, EXP, LOG, SQRT, TANH, SIGMOID, ABS, RELU),
    )
}
"""The primitives that source terms can name; besides them there are literals."""
