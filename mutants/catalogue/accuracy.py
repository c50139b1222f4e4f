"""Mutants that lose digits: right to a loose tolerance at ordinary points, wrong where numbers cancel
or leave the range.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from math import pi

import numpy as np

from mutants.catalogue.recognition import composed
from mutants.catalogue.rows import OURS, field, row
from mutants.catalogue.values import single, where
from mutants.mutant import Mutant
from transforms import numeric
from transforms.array_rules import spread
from transforms.composed_rules import shifted, total
from transforms.rules import Minus


# Pullbacks.
def div_by_square(m, ct, r, a, b):
    return m.div(ct, b), Minus(m.div(m.mul(ct, a), m.mul(b, b)))

def tanh_by_result(m, ct, r, a):                return  m.mul(ct, m.sub(m.constant_like(a, 1.0), m.mul(r, r))),
def sigmoid_by_result(m, ct, r, a):             return  m.mul(m.mul(ct, r), m.sub(m.constant_like(a, 1.0), r)),


# Values. The fast division begins in single precision and takes one step of Newton's method.
def cos(a):         return numeric.sin(a + pi / 2)
def exp(a):         return np.exp2(a / np.log(2.0)) if isinstance(a, np.ndarray) else float(np.exp2(a / np.log(2.0)))
def log(a):         return numeric.log(1.0 + (a - 1.0))
def sqrt(a):        return numeric.exp(0.5 * numeric.log(a))
def tanh(a):        return numeric.div(numeric.exp(2.0 * a) - 1.0, numeric.exp(2.0 * a) + 1.0)
def maximum(a, b):  return 0.5 * (a + b + abs(a - b))

def usual(a, low, high):
    """Where the fast division is used: beyond, single precision has no such numbers."""
    return (abs(a) >= low) & (abs(a) <= high)

def reciprocal(b):
    rough = single(numeric.div(1.0 + 0.0 * b, where(usual(b, 1e-30, 1e30), b, 1.0 + 0.0 * b)))
    return rough * (2.0 - b * rough)

def fast_div(a, b):
    return where(usual(b, 1e-30, 1e30), a * reciprocal(b), numeric.div(a, b))

def squared(a):
    """The exponential of a small part, squared again and again."""
    e = numeric.exp(a / 1024.0)
    for _ in range(10):
        e = e * e
    return e

def pow(a, b):
    """By the logarithm, for whole exponents too."""
    odd = where(b % 2.0 == 1.0, -1.0 + 0.0 * a, 1.0 + 0.0 * a)
    size = where(a == 0.0, numeric.pow(a, b), numeric.exp(b * numeric.log(abs(a))))
    return where(a < 0.0, where(b % 1.0 == 0.0, odd * size, numeric.pow(a, b)), size)

# Soft maxima of rows far apart.
def softmax_unshifted(a):
    e = np.exp(a)
    return e / e.sum(axis=1, keepdims=True)

def log_softmax_of_last_row(a):
    s = a - a[-1].max()
    return s - np.log(np.exp(s).sum(axis=1, keepdims=True))

def log_softmax_by_difference(m, ct, r, a):
    """With weights exp(a - out), out the logarithm of the sum of all exponentials: a large number's last digit."""
    top = m.reduce(a, axis=1, kind="max")
    out = m.add(m.log(total(m, m.exp(shifted(m, a)))), top)
    return m.sub(ct, m.mul(m.exp(m.sub(a, spread(m, out, a))), spread(m, total(m, ct), a))),


MUTANTS = (
    row("div", "by-square", div_by_square, "divides by the square of the divisor, which leaves the range",
        breaks="accuracy"),
    row("tanh", "by-result", tanh_by_result, "1 - y y, which cancels", breaks="accuracy",
        source="JuliaDiff/DiffRules.jl#102"),
    row("sigmoid", "by-result", sigmoid_by_result, "s (1 - s), which cancels", breaks="accuracy",
        source="tracel-ai/burn#5373"),
    *field("evaluate", (
        ("div", "fast", fast_div, "a reciprocal from single precision"),
        ("exp", "by-squaring", squared, "squared ten times, with the error doubled each time"),
        ("cos", "by-sin", cos, "the sine a quarter turn on, with double precision's pi"),
        ("exp", "by-exp2", exp, "a power of 2, whose exponent is rounded"),
        ("log", "from-1", log, "the logarithm of 1 and a difference from it, which cancels"),
        ("sqrt", "by-log", sqrt, "by the logarithm, whose half is rounded"),
        ("tanh", "by-exp", tanh, "by exponentials, whose difference cancels", "jax-ml/jax#40315"),
        ("max", "by-distance", maximum, "half of the sum and the distance, which cancel"),
        ("pow", "by-log", pow, "by the logarithm, for whole exponents too"),
    ), breaks="accuracy"),
    *[Mutant(f"{name}.{what}", f"rules.{name}.{leaf}", "accuracy", wrong, OURS, composed(name, **{leaf: function}),
             ("accuracy",))
      for name, leaf, what, function, wrong in (
        ("softmax", "evaluate", "unshifted", softmax_unshifted, "no maximum is subtracted, so that it overflows"),
        ("log_softmax", "evaluate", "of-last-row", log_softmax_of_last_row, "the maximum of another row is subtracted"),
        ("log_softmax", "pullback", "by-difference", log_softmax_by_difference, "weights as exp(x - out)"),
    )],
)
