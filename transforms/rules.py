"""THE table: one row per primitive of the language.

Let f be a primitive, r = f(a, b) and ct the cotangent of r. A row says

    evaluate(a, b)                     r, on doubles or arrays of them
    pullback(m, ct, r, a, b)           what a and b receive: ct * df/da, ct * df/db
    tangent(m, r, a, b, da, db)        df/da * da + df/db * db
    shape(A, B)                        the type of r from the types of a and b; raises ShapeMismatch
    cost(A, B)                         the operations of one pullback, by kind, apart from accumulation: a claim
    c                                  r as a C expression in {0}, {1}
    domain                             where r is defined
    conventions                        derivatives at kinks and ends of the range, where the mathematics leaves a choice

Pullbacks and tangents are written in operations of a machine m alone, so that the one that counts, the one that writes
a program down and the one that emits C perform the same derivative. `Minus(x)` is a contribution of -x: whoever gets it
subtracts, where it can, instead of negating. Each derivative is stable in floating point over the whole range, which
is why it is not always the first formula of a textbook. Static parameters (an axis, a permutation) reach every
function of a row by keyword.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from math import inf
from typing import Any

from transforms import numeric
from transforms.errors import ShapeMismatch
from transforms.types import Array, Type, brief


@dataclass(frozen=True, slots=True)
class Minus:
    """A contribution whose minus sign is still to be performed."""

    ct: Any


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a primitive is defined: in words, and as a test on doubles."""

    text: str
    contains: Callable[..., bool]


@dataclass(frozen=True, slots=True)
class Convention:
    """The partial derivatives that hold at one point by convention, and why."""

    at: tuple[float, ...]
    partials: tuple[float, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A primitive with its derivative; see the top of this module for the fields."""

    name: str
    shape: Callable[..., Type]
    evaluate: Callable[..., Any]
    pullback: Callable[..., tuple[Any, ...]]
    tangent: Callable[..., Any]
    cost: Callable[..., Mapping[str, int]]
    c: str
    domain: Domain
    conventions: tuple[Convention, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """What machines can do besides the primitives: it appears inside pullbacks, and terms cannot name it."""

    name: str
    shape: Callable[..., Type]
    evaluate: Callable[..., Any]
    c: str


Rules = Mapping[str, Rule]


@cache
def arity(evaluate: Callable[..., Any]) -> int:
    """How many arguments an operation takes, from the function that evaluates it; static parameters are by keyword."""
    return sum(p.kind is not Parameter.KEYWORD_ONLY for p in signature(evaluate).parameters.values())


def elementwise(*types: Type) -> Type:
    """Arrays of one shape, to that shape."""
    first = types[0]
    for type_ in types:
        if not isinstance(type_, Array):
            raise ShapeMismatch(f"expected real or an array, found {brief(type_)}")
        if type_ != first:
            raise ShapeMismatch(f"expected arguments of one shape, found {' and '.join(map(brief, types))}")
    return first


def anywhere(*args, **statics) -> bool:  return True
def divisor_not_zero(a, b) -> bool:      return b != 0.0
def positive(a) -> bool:                 return a > 0.0
def not_negative(a) -> bool:             return a >= 0.0
def power_exists(a, b) -> bool:          return (a > 0.0) | (a == 0.0) & (b >= 0.0) | (a < 0.0) & (b % 1.0 == 0.0)


# Arithmetic.                                           a receives                b receives
def add_pullback(m, ct, r, a, b):               return  ct,                       ct
def sub_pullback(m, ct, r, a, b):               return  ct,                       Minus(ct)
def mul_pullback(m, ct, r, a, b):               return  m.mul(ct, b),             m.mul(ct, a)
def neg_pullback(m, ct, r, a):                  return  Minus(ct),

def div_pullback(m, ct, r, a, b):
    q = m.div(ct, b)
    return q, Minus(m.mul(q, r))

def add_tangent(m, r, a, b, da, db):            return  m.add(da, db)
def sub_tangent(m, r, a, b, da, db):            return  m.sub(da, db)
def mul_tangent(m, r, a, b, da, db):            return  m.add(m.mul(da, b), m.mul(a, db))
def div_tangent(m, r, a, b, da, db):            return  m.sub(m.div(da, b), m.mul0(db, m.div(r, b)))
def neg_tangent(m, r, a, da):                   return  m.neg(da)

def add_cost(a, b):                             return  {}
def sub_cost(a, b):                             return  {}
def mul_cost(a, b):                             return  {"mul": 2 * a.size}
def div_cost(a, b):                             return  {"div": a.size, "mul": a.size}
def neg_cost(a):                                return  {}


# Elementary functions. 1 - y*y loses every digit of tanh' where y is near 1, as does y * (1-y) of sigmoid'; dividing by
# cosh twice, and sigmoid(-a) for 1 - y, do not. The square root's derivative at 0 is infinite: a zero cotangent stays
# zero.
def sin_pullback(m, ct, r, a):                  return  m.mul(ct, m.cos(a)),
def cos_pullback(m, ct, r, a):                  return  Minus(m.mul(ct, m.sin(a))),
def exp_pullback(m, ct, r, a):                  return  m.mul(ct, r),
def log_pullback(m, ct, r, a):                  return  m.div(ct, a),
def sqrt_pullback(m, ct, r, a):                 return  m.div0(ct, m.add(r, r)),
def sigmoid_pullback(m, ct, r, a):              return  m.mul(m.mul(ct, r), m.sigmoid(m.neg(a))),

def tanh_pullback(m, ct, r, a):
    c = m.cosh(a)
    return m.div(m.div(ct, c), c),

def sin_tangent(m, r, a, da):                   return  m.mul(m.cos(a), da)
def cos_tangent(m, r, a, da):                   return  m.neg(m.mul(m.sin(a), da))
def exp_tangent(m, r, a, da):                   return  m.mul(r, da)
def log_tangent(m, r, a, da):                   return  m.div(da, a)
def sqrt_tangent(m, r, a, da):                  return  m.div0(da, m.add(r, r))
def sigmoid_tangent(m, r, a, da):               return  m.mul(m.mul(r, m.sigmoid(m.neg(a))), da)

def tanh_tangent(m, r, a, da):
    c = m.cosh(a)
    return m.div(m.div(da, c), c)

def sin_cost(a):                                return  {"cos": a.size, "mul": a.size}
def cos_cost(a):                                return  {"sin": a.size, "mul": a.size}
def exp_cost(a):                                return  {"mul": a.size}
def log_cost(a):                                return  {"div": a.size}
def sqrt_cost(a):                               return  {"add": a.size, "div0": a.size}
def tanh_cost(a):                               return  {"cosh": a.size, "div": 2 * a.size}
def sigmoid_cost(a):                            return  {"mul": 2 * a.size, "neg": a.size, "sigmoid": a.size}


# Powers. Each partial derivative is an operation of its own, since the products that make it up can leave the range of
# doubles where it does not. As for the square root, a zero cotangent stays zero at an infinite derivative.
def pow_pullback(m, ct, r, a, b):               return  m.mul0(ct, m.pow_da(a, b)), m.mul0(ct, m.pow_db(a, b))
def pow_tangent(m, r, a, b, da, db):            return  m.add(m.mul0(da, m.pow_da(a, b)), m.mul0(db, m.pow_db(a, b)))
def pow_cost(a, b):                             return  {"pow_da": a.size, "pow_db": a.size, "mul0": 2 * a.size}


# Functions with kinks.
def abs_pullback(m, ct, r, a):                  return  m.mul(ct, m.sgn(a)),
def relu_pullback(m, ct, r, a):                 return  m.mul(ct, m.ge(a, m.constant_like(a, 0.0))),
def max_pullback(m, ct, r, a, b):               return  m.mul(ct, m.share(a, b)), m.mul(ct, m.share(b, a))
def min_pullback(m, ct, r, a, b):               return  m.mul(ct, m.share(b, a)), m.mul(ct, m.share(a, b))

def abs_tangent(m, r, a, da):                   return  m.mul(m.sgn(a), da)
def relu_tangent(m, r, a, da):                  return  m.mul(m.ge(a, m.constant_like(a, 0.0)), da)
def max_tangent(m, r, a, b, da, db):            return  m.add(m.mul(m.share(a, b), da), m.mul(m.share(b, a), db))
def min_tangent(m, r, a, b, da, db):            return  m.add(m.mul(m.share(b, a), da), m.mul(m.share(a, b), db))

def abs_cost(a):                                return  {"sgn": a.size, "mul": a.size}
def relu_cost(a):                               return  {"ge": a.size, "mul": a.size}
def max_cost(a, b):                             return  {"share": 2 * a.size, "mul": 2 * a.size}
def min_cost(a, b):                             return  {"share": 2 * a.size, "mul": 2 * a.size}


REALS = Domain("all reals", anywhere)
INFINITE, AS_CONSTANT = "the derivative is infinite", "no derivative exists: the exponent counts as constant"

RULES: Rules = {rule.name: rule for rule in (
    Rule("add", elementwise, numeric.add, add_pullback, add_tangent, add_cost, "{0} + {1}", REALS),
    Rule("sub", elementwise, numeric.sub, sub_pullback, sub_tangent, sub_cost, "{0} - {1}", REALS),
    Rule("mul", elementwise, numeric.mul, mul_pullback, mul_tangent, mul_cost, "{0} * {1}", REALS),
    Rule("div", elementwise, numeric.div, div_pullback, div_tangent, div_cost, "{0} / {1}",
         Domain("a divisor other than 0", divisor_not_zero)),
    Rule("neg", elementwise, numeric.neg, neg_pullback, neg_tangent, neg_cost, "-{0}", REALS),

    Rule("sin", elementwise, numeric.sin, sin_pullback, sin_tangent, sin_cost, "sin({0})", REALS),
    Rule("cos", elementwise, numeric.cos, cos_pullback, cos_tangent, cos_cost, "cos({0})", REALS),
    Rule("exp", elementwise, numeric.exp, exp_pullback, exp_tangent, exp_cost, "exp({0})", REALS),
    Rule("log", elementwise, numeric.log, log_pullback, log_tangent, log_cost, "log({0})",
         Domain("a positive argument", positive)),
    Rule("sqrt", elementwise, numeric.sqrt, sqrt_pullback, sqrt_tangent, sqrt_cost, "sqrt({0})",
         Domain("an argument of at least 0", not_negative),
         (Convention((0.0,), (inf,), INFINITE),)),
    Rule("tanh", elementwise, numeric.tanh, tanh_pullback, tanh_tangent, tanh_cost, "tanh({0})", REALS),
    Rule("sigmoid", elementwise, numeric.sigmoid, sigmoid_pullback, sigmoid_tangent, sigmoid_cost,
         "({0} < 0.0 ? exp({0}) / (1.0 + exp({0})) : 1.0 / (1.0 + exp(-{0})))", REALS),

    Rule("pow", elementwise, numeric.pow, pow_pullback, pow_tangent, pow_cost, "pow({0}, {1})",
         Domain("a positive base, base 0 with an exponent of at least 0, or a whole exponent", power_exists), (
             Convention((0.0, 0.0), (0.0, 0.0), "x^0 = 1 everywhere; no derivative by the exponent exists"),
             Convention((0.0, 0.5), (inf, 0.0), INFINITE),
             Convention((0.0, 1.0), (1.0, 0.0), "x^1 = x, and 0^y = 0 for y > 0"),
             Convention((0.0, 2.0), (0.0, 0.0), "x^2 = x*x, and 0^y = 0 for y > 0"),
             Convention((-3.0, 2.0), (-6.0, 0.0), AS_CONSTANT),
             Convention((-2.0, 3.0), (12.0, 0.0), AS_CONSTANT),
             Convention((-2.0, -1.0), (-0.25, 0.0), AS_CONSTANT))),

    Rule("abs", elementwise, numeric.absolute, abs_pullback, abs_tangent, abs_cost, "fabs({0})", REALS,
         (Convention((0.0,), (0.0,), "the middle of the slopes -1 and 1"),)),
    Rule("relu", elementwise, numeric.relu, relu_pullback, relu_tangent, relu_cost, "({0} < 0.0 ? 0.0 : {0})", REALS,
         (Convention((0.0,), (1.0,), "the derivative is ge(a, 0), which is 1 at 0"),)),
    Rule("max", elementwise, numeric.maximum, max_pullback, max_tangent, max_cost,
         "({0} >= {1} || {0} != {0} ? {0} : {1})", REALS,
         (Convention((2.0, 2.0), (0.5, 0.5), "arguments that tie share equally"),)),
    Rule("min", elementwise, numeric.minimum, min_pullback, min_tangent, min_cost,
         "({0} <= {1} || {0} != {0} ? {0} : {1})", REALS,
         (Convention((2.0, 2.0), (0.5, 0.5), "arguments that tie share equally"),)),
)}

OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in (
    Operation("cosh",  elementwise, numeric.cosh,  "cosh({0})"),
    Operation("sinh",  elementwise, numeric.sinh,  "sinh({0})"),
    Operation("sgn",   elementwise, numeric.sgn,   "({0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0} * 0.0)"),
    Operation("ge",    elementwise, numeric.ge,    "({0} >= {1} ? 1.0 : 0.0)"),
    Operation("share", elementwise, numeric.share, "({0} > {1} ? 1.0 : {0} == {1} ? 0.5 : 0.0)"),
    Operation("div0",  elementwise, numeric.div0,  "({0} == 0.0 ? 0.0 : {0} / {1})"),
    Operation("mul0",  elementwise, numeric.mul0,  "({0} == 0.0 ? 0.0 : {0} * {1})"),
    Operation("pow_da", elementwise, numeric.pow_da,
              "({0} == 0.0 ? ({1} == 0.0 ? 0.0 : {1} < 1.0 ? INFINITY : {1} == 1.0 ? 1.0 : 0.0)"
              " : ({0} < 0.0 && fmod({1}, 2.0) == 0.0 ? -1.0 : 1.0) * (fabs({0}) >= 1.0"
              " ? ({1} * pow(fabs({0}), {1} / 2.0)) * (pow(fabs({0}), {1} / 2.0) / fabs({0}))"
              " : {1} * pow(fabs({0}), {1} / 2.0) / fabs({0}) * pow(fabs({0}), {1} / 2.0)))"),
    Operation("pow_db", elementwise, numeric.pow_db,
              "({0} <= 0.0 ? 0.0 : pow({0}, {1} / 2.0) * (pow({0}, {1} / 2.0) * log({0})))"),
    Operation("pow_dadb", elementwise, numeric.pow_dadb,
              "({0} <= 0.0 ? 0.0 : pow({0}, {1} - 1.0) * (1.0 + {1} * log({0})))"),
    Operation("pow_dbdb", elementwise, numeric.pow_dbdb, "({0} <= 0.0 ? 0.0 : pow({0}, {1}) * (log({0}) * log({0})))"),
)}
