"""Compositions that have a derivative of their own: rows of the table for programs in which they were recognised.

Their pullbacks are those of textbooks, where sums that are 0 in real arithmetic are left out: a softmax does not vary
with what is added to a whole row, so nothing goes to the maximum that is subtracted there; a row without its mean sums
to 0. `EXPANSIONS` says what they are in primitives. Each goes along the rows of a matrix:

    softmax      exp(a - max) / sum(exp(a - max))
    log_softmax  a - max - log(sum(exp(a - max)))
    deviation    sqrt(mean((a - mean)^2) + eps), one entry for each row
    normalise    (a - mean) / deviation
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from transforms.array_rules import ARRAY_RULES, rank_2, spread
from transforms.machines.counting import Counting
from transforms.rules import REALS, RULES, Rule, Rules
from transforms.types import Array, Type


def total(m: Any, a: Any) -> Any:               return  m.reduce(a, axis=1, kind="sum")
def mean(m: Any, a: Any) -> Any:                return  m.div_k(total(m, a), k=float(m.type_of(a).shape[1]))


# What they are.
def shifted(m: Any, a: Any) -> Any:             return  m.sub(a, spread(m, m.reduce(a, axis=1, kind="max"), a))
def centred(m: Any, a: Any) -> Any:             return  m.sub(a, spread(m, mean(m, a), a))

def softmax(m: Any, a: Any) -> Any:
    e = m.exp(shifted(m, a))
    return m.div(e, spread(m, total(m, e), a))

def log_softmax(m: Any, a: Any) -> Any:
    s = shifted(m, a)
    return m.sub(s, spread(m, m.log(total(m, m.exp(s))), a))

def deviation(m: Any, a: Any, *, eps: float) -> Any:
    c = centred(m, a)
    return m.sqrt(m.add_k(mean(m, m.mul(c, c)), k=eps))

def normalise(m: Any, a: Any, *, eps: float) -> Any:
    return m.div(centred(m, a), spread(m, deviation(m, a, eps=eps), a))


EXPANSIONS: Mapping[str, Callable[..., Any]] = {
    "softmax": softmax, "log_softmax": log_softmax, "deviation": deviation, "normalise": normalise,
}
"""What each is in primitives, performed or written down by a machine."""


# What their arguments receive.
def softmax_pullback(m, ct, r, a):
    return m.mul(r, m.sub(ct, spread(m, total(m, m.mul(ct, r)), a))),

def log_softmax_pullback(m, ct, r, a):
    return m.sub(ct, m.mul(m.softmax(a), spread(m, total(m, ct), a))),

def deviation_pullback(m, ct, r, a, *, eps):
    return m.mul(spread(m, mean_of(m, ct, a), a), m.normalise(a, eps=eps)),

def normalise_pullback(m, ct, r, a, *, eps):
    rest = m.sub(centred(m, ct), m.mul(r, spread(m, mean(m, m.mul(ct, r)), a)))
    return m.div(rest, spread(m, m.deviation(a, eps=eps), a)),

def mean_of(m, ct, a):                          return  m.div_k(ct, k=float(m.type_of(a).shape[1]))


# Their tangents: linear in da, and the same formulas, since the Jacobian of each row is symmetric but for scale.
def softmax_tangent(m, r, a, da):
    return m.mul(r, m.sub(da, spread(m, total(m, m.mul(da, r)), a)))

def log_softmax_tangent(m, r, a, da):
    return m.sub(da, spread(m, total(m, m.mul(m.softmax(a), da)), a))

def deviation_tangent(m, r, a, da, *, eps):     return  mean(m, m.mul(m.normalise(a, eps=eps), da))

def normalise_tangent(m, r, a, da, *, eps):
    rest = m.sub(centred(m, da), m.mul(r, spread(m, mean(m, m.mul(da, r)), a)))
    return m.div(rest, spread(m, m.deviation(a, eps=eps), a))


def same_shape(a: Type, **statics: float) -> Type:   return Array(rank_2(a))
def one_column(a: Type, **statics: float) -> Type:   return Array((rank_2(a)[0], 1))
def free(a, **statics):                              return {}


def evaluated(name: str, a: np.ndarray, **statics: float) -> np.ndarray:
    """The value at a matrix, in primitives."""
    machine = Counting({**RULES, **ARRAY_RULES})
    result = EXPANSIONS[name](machine, machine.given(a), **statics)
    return machine.read(result, machine.type_of(result))

def evaluate_softmax(a):                        return  evaluated("softmax", a)
def evaluate_log_softmax(a):                    return  evaluated("log_softmax", a)
def evaluate_deviation(a, *, eps):              return  evaluated("deviation", a, eps=eps)
def evaluate_normalise(a, *, eps):              return  evaluated("normalise", a, eps=eps)


COMPOSED: Rules = {rule.name: rule for rule in (
    Rule("softmax", same_shape, evaluate_softmax, softmax_pullback, softmax_tangent, free, "", REALS),
    Rule("log_softmax", same_shape, evaluate_log_softmax, log_softmax_pullback, log_softmax_tangent, free, "", REALS),
    Rule("deviation", one_column, evaluate_deviation, deviation_pullback, deviation_tangent, free, "", REALS),
    Rule("normalise", same_shape, evaluate_normalise, normalise_pullback, normalise_tangent, free, "", REALS),
)}
