"""Mutants of tangents, the rules of the forward macro: at least one for each row of the table.

Some are difference quotients, whose error is as small as their step.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from mutants.catalogue.rows import field
from mutants.catalogue.values import ten_digits
from transforms.array_rules import spread

STEP = 1e-7
"""Of a difference quotient: about where the errors of truncation and of rounding balance."""


def quotient(name):
    """The tangent of a primitive by a difference quotient of its values."""
    def tangent(m, r, *duals, **statics):
        primals, changes = duals[:len(duals) // 2], duals[len(duals) // 2:]
        moved = [m.add(a, m.mul_k(da, k=STEP)) for a, da in zip(primals, changes, strict=True)]
        return m.div_k(m.sub(m.apply(name, *moved, **statics), r), k=STEP)
    return tangent


def add_tangent(m, r, a, b, da, db):            return  da
def sub_tangent(m, r, a, b, da, db):            return  m.add(da, db)
def mul_tangent(m, r, a, b, da, db):            return  m.add(m.mul(da, a), m.mul(b, db))
def div_tangent(m, r, a, b, da, db):            return  m.add(m.div(da, b), m.mul0(db, m.div(r, b)))
def neg_tangent(m, r, a, da):                   return  da

def cos_tangent(m, r, a, da):                   return  m.mul(m.sin(a), da)
def sqrt_tangent(m, r, a, da):                  return  m.div0(da, r)
def tanh_tangent(m, r, a, da):                  return  m.div(da, m.cosh(a))
def pow_tangent(m, r, a, b, da, db):            return  m.mul0(da, m.pow_da(a, b))

def abs_tangent(m, r, a, da):                   return  da
def relu_tangent(m, r, a, da):                  return  da
def max_tangent(m, r, a, b, da, db):            return  m.mul(m.share(a, b), da)
def min_tangent(m, r, a, b, da, db):            return  m.add(m.mul(m.share(a, b), da), m.mul(m.share(b, a), db))

def transpose_tangent(m, r, a, da):             return  da
def reshape_tangent(m, r, a, da, *, shape):     return  da

def broadcast_tangent(m, r, a, da, *, shape):
    change = m.broadcast(da, shape=shape)
    return m.transpose(change) if shape[0] == shape[1] else change

def permute_tangent(m, r, a, da, *, permutation):
    return m.permute(da, permutation=tuple([permutation.index(axis) for axis in range(len(permutation))]))

def reduce_tangent(m, r, a, da, *, axis, kind):
    attained = m.constant_like(a, 1.0) if kind == "sum" else m.ge(a, spread(m, r, a))
    return m.reduce(m.mul(attained, da), axis=axis, kind="sum")

def add_k_tangent(m, r, a, da, *, k):           return  m.add_k(da, k=k)
def sub_k_tangent(m, r, a, da, *, k):           return  m.sub_k(da, k=k)
def k_sub_tangent(m, r, a, da, *, k):           return  da
def mul_k_tangent(m, r, a, da, *, k):           return  m.mul_k(da, k=ten_digits(k))
def div_k_tangent(m, r, a, da, *, k):           return  m.div_k(da, k=ten_digits(k))
def k_div_tangent(m, r, a, da, *, k):           return  m.div(m.mul(da, r), a)

def ge_tangent(m, r, a, b, da, db):             return  m.sub(da, db)
def div0_tangent(m, r, a, b, da, db):           return  m.add(m.div0(da, b), m.div0(m.mul(db, r), b))


MUTANTS = field("tangent", (
    ("add", "first-only", add_tangent, "the change of the second argument is dropped"),
    ("sub", "second-sign", sub_tangent, "the changes are added"),
    ("mul", "own-operand", mul_tangent, "each change is multiplied by its own argument"),
    ("div", "denominator-sign", div_tangent, "the divisor's part is added"),
    ("neg", "sign", neg_tangent, "the minus sign is lost"),
    ("cos", "sign", cos_tangent, "the minus sign is lost", "casadi/casadi#2585"),
    ("sqrt", "without-the-2", sqrt_tangent, "twice the derivative"),
    ("tanh", "not-squared", tanh_tangent, "divides by the hyperbolic cosine once, not twice"),
    ("pow", "exponent-constant", pow_tangent, "the change of the exponent is dropped"),
    ("abs", "positive-side-only", abs_tangent, "the sign of the argument is ignored", "chalk-lab/Mooncake.jl#1195"),
    ("relu", "without-a-mask", relu_tangent, "negative arguments pass their change on"),
    ("max", "first-only", max_tangent, "the change of the second argument is dropped"),
    ("min", "as-max", min_tangent, "the change of the larger argument"),
    ("transpose", "not-transposed", transpose_tangent, "the change keeps its shape"),
    ("reshape", "not-reshaped", reshape_tangent, "the change keeps its shape"),
    ("permute", "inverted", permute_tangent, "the inverse permutation: wrong for a 3-cycle"),
    ("reduce", "ties-summed", reduce_tangent, "a maximum changes by the sum over its ties, not by their mean"),
    ("broadcast", "square-other-way", broadcast_tangent, "the change of a square matrix is stretched the other way"),
    ("add_k", "adds-k", add_k_tangent, "the operation itself, on the change"),
    ("sub_k", "subtracts-k", sub_k_tangent, "the operation itself, on the change"),
    ("k_sub", "sign", k_sub_tangent, "the minus sign is lost"),
    ("mul_k", "ten-digits", mul_k_tangent, "multiplies by k with ten digits"),
    ("div_k", "ten-digits", div_k_tangent, "divides by k with ten digits"),
    ("k_div", "sign", k_div_tangent, "the minus sign is lost"),
    ("ge", "lets-through", ge_tangent, "a comparison changes with its arguments"),
    ("div0", "denominator-sign", div0_tangent, "the divisor's part is added"),
    *[(name, "quotient", quotient(name), "a difference quotient of values") for name in (
        "sin", "exp", "log", "sigmoid", "matmul")],
))
