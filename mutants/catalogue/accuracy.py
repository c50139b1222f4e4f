"""Mutants that lose digits: right to a loose tolerance at ordinary points, wrong where numbers cancel
or leave the range.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from math import pi, tau

import numpy as np

from mutants.catalogue.rows import field, row
from mutants.catalogue.values import single, where
from transforms import numeric
from transforms.rules import Minus


# Pullbacks.
def div_by_square(m, ct, r, a, b):
    return m.div(ct, b), Minus(m.div(m.mul(ct, a), m.mul(b, b)))

def tanh_by_result(m, ct, r, a):                return  m.mul(ct, m.sub(m.constant_like(a, 1.0), m.mul(r, r))),
def sigmoid_by_result(m, ct, r, a):             return  m.mul(m.mul(ct, r), m.sub(m.constant_like(a, 1.0), r)),
def k_div_by_square(m, ct, r, a, *, k):         return  Minus(m.div(m.mul_k(ct, k=k), m.mul(a, a))),


# Values. Those of the fast kind begin in single precision and take one step of Newton's method.
def sin(a):         return numeric.sin(a - tau * (a // tau))
def cos(a):         return numeric.sin(a + pi / 2)
def exp(a):         return np.exp2(a / np.log(2.0)) if isinstance(a, np.ndarray) else float(np.exp2(a / np.log(2.0)))
def log(a):         return numeric.log(1.0 + (a - 1.0))
def sqrt(a):        return numeric.exp(0.5 * numeric.log(a))
def tanh(a):        return numeric.div(numeric.exp(2.0 * a) - 1.0, numeric.exp(2.0 * a) + 1.0)
def sigmoid(a):     return 0.5 * (1.0 + numeric.tanh(0.5 * a))
def absolute(a):    return numeric.sqrt(a * a)
def maximum(a, b):  return 0.5 * (a + b + abs(a - b))
def minimum(a, b):  return a - where(a > b, a - b, 0.0 * a)

def usual(a, low, high):
    """Where the fast kind is used: beyond, single precision has no such numbers."""
    return (abs(a) >= low) & (abs(a) <= high)

def reciprocal(b):
    rough = single(numeric.div(1.0 + 0.0 * b, where(usual(b, 1e-30, 1e30), b, 1.0 + 0.0 * b)))
    return rough * (2.0 - b * rough)

def fast_div(a, b):
    return where(usual(b, 1e-30, 1e30), a * reciprocal(b), numeric.div(a, b))

def fast_k_div(a, *, k):
    return where(usual(a, 1e-30, 1e30), k * reciprocal(a), numeric.div(k, a))

def squared(a):
    """The exponential of a small part, squared again and again."""
    e = numeric.exp(a / 1024.0)
    for _ in range(10):
        e = e * e
    return e

def fast_log(a):
    safe = where(usual(a, 1e-30, 1e30), abs(a), 1.0 + 0.0 * a)
    rough = single(numeric.log(safe))
    return where(usual(a, 1e-30, 1e30), rough + (safe * numeric.exp(-rough) - 1.0), numeric.log(a))

def pow(a, b):
    """By the logarithm, for whole exponents too."""
    odd = where(b % 2.0 == 1.0, -1.0 + 0.0 * a, 1.0 + 0.0 * a)
    size = where(a == 0.0, numeric.pow(a, b), numeric.exp(b * numeric.log(abs(a))))
    return where(a < 0.0, where(b % 1.0 == 0.0, odd * size, numeric.pow(a, b)), size)


MUTANTS = (
    row("div", "by-square", div_by_square, "divides by the square of the divisor, which leaves the range",
        breaks="accuracy"),
    row("tanh", "by-result", tanh_by_result, "1 - y y, which cancels", breaks="accuracy",
        source="JuliaDiff/DiffRules.jl#102"),
    row("sigmoid", "by-result", sigmoid_by_result, "s (1 - s), which cancels", breaks="accuracy",
        source="tracel-ai/burn#5373"),
    row("k_div", "by-square", k_div_by_square, "divides by the square, which leaves the range", breaks="accuracy"),
    *field("evaluate", (
        ("div", "fast", fast_div, "a reciprocal from single precision"),
        ("exp", "by-squaring", squared, "squared ten times, with the error doubled each time"),
        ("log", "fast", fast_log, "a logarithm from single precision"),
        ("k_div", "fast", fast_k_div, "a reciprocal from single precision"),
        ("sin", "turns", sin, "full turns are taken off with double precision's pi"),
        ("cos", "by-sin", cos, "the sine a quarter turn on, with double precision's pi"),
        ("exp", "by-exp2", exp, "a power of 2, whose exponent is rounded"),
        ("log", "from-1", log, "the logarithm of 1 and a difference from it, which cancels"),
        ("sqrt", "by-log", sqrt, "by the logarithm, whose half is rounded"),
        ("tanh", "by-exp", tanh, "by exponentials, whose difference cancels", "jax-ml/jax#40315"),
        ("sigmoid", "by-tanh", sigmoid, "by a tangent, which 1 is added to"),
        ("abs", "by-square", absolute, "the square root of the square, which leaves the range"),
        ("max", "by-distance", maximum, "half of the sum and the distance, which cancel"),
        ("min", "by-difference", minimum, "the first argument less a difference, which cancels"),
        ("pow", "by-log", pow, "by the logarithm, for whole exponents too"),
    ), breaks="accuracy"),
)
