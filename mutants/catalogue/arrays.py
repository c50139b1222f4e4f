"""Mutants of the pullbacks of the primitives on arrays: layout, reductions, stretching, and an array and a number.

The functions are as `transforms.array_rules` says. Those of the course come first.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

import numpy as np

from mutants.catalogue.rows import COURSE, row
from mutants.catalogue.rules import MODELS
from mutants.catalogue.values import ten_digits
from transforms.array_rules import spread
from transforms.derivative_rules import NOTHING

REFERENCE = ("reference",)


# Products and rearrangements.                          a receives                      b receives
def matmul_left(m, ct, r, a, b):                return  m.matmul(ct, b),                m.matmul(m.transpose(a), ct)
def matmul_right(m, ct, r, a, b):               return  m.matmul(ct, m.transpose(b)),   m.matmul(ct, m.transpose(a))
def transpose_not_undone(m, ct, r, a):          return  ct,
def transpose_as_reshape(m, ct, r, a):          return  m.reshape(ct, shape=m.type_of(a).shape),
def reshape_not_undone(m, ct, r, a, *, shape):  return  ct,
def permute_again(m, ct, r, a, *, permutation):  return  m.permute(ct, permutation=permutation),

def matmul_symmetric(m, ct, r, a, b):
    """Transposes where the shapes ask for it: a square matrix is taken to be symmetric."""
    rows, columns = m.type_of(b).shape
    return m.matmul(ct, b if rows == columns else m.transpose(b)), m.matmul(m.transpose(a), ct)

def reshape_by_columns(m, ct, r, a, *, shape):
    turned = m.permute(ct, permutation=tuple(range(len(shape)))[::-1])
    back = m.reshape(turned, shape=m.type_of(a).shape[::-1])
    return m.permute(back, permutation=tuple(range(len(m.type_of(back).shape)))[::-1]),

def reshape_as_transpose(m, ct, r, a, *, shape):
    back = m.type_of(a).shape
    return m.transpose(ct) if len(shape) == 2 and back == shape[::-1] else m.reshape(ct, shape=back),


# Sums and maxima along an axis, and their opposite.
def reduce_not_spread(m, ct, r, a, *, axis, kind):
    return (ct,) if kind == "sum" else reduce_ties(m, ct, r, a, axis, lambda attained, count: m.div(ct, count))

def reduce_ties(m, ct, r, a, axis, portion, count_axis=None):
    """A maximum's pullback: `portion` says, of the marks and their count, what each entry that attains it receives."""
    attained = m.ge(a, spread(m, r, a))
    count = m.reduce(attained, axis=axis if count_axis is None else count_axis, kind="sum")
    return m.mul(spread(m, portion(attained, count), a), attained),

def reduce_full_ties(m, ct, r, a, *, axis, kind):
    if kind == "sum":
        return spread(m, ct, a),
    return m.mul(spread(m, ct, a), m.ge(a, spread(m, r, a))),

def reduce_first_of_ties(m, ct, r, a, *, axis, kind):
    if kind == "sum":
        return spread(m, ct, a),
    attained, n = m.ge(a, spread(m, r, a)), m.type_of(a).shape[axis]
    before = m.constant(np.triu(np.ones((n, n)), 1))
    earlier = m.matmul(attained, before) if axis else m.matmul(m.transpose(before), attained)
    first = m.mul(attained, m.ge(m.constant_like(a, 0.0), earlier))
    return m.mul(spread(m, ct, a), first),

def reduce_count_other_axis(m, ct, r, a, *, axis, kind):
    if kind == "sum":
        return spread(m, ct, a),
    other = 1 - axis
    return reduce_ties(m, ct, r, a, axis, lambda attained, count: m.div(spread(m, ct, a), spread(m, count, a)), other)

def reduce_square_wrong_way(m, ct, r, a, *, axis, kind):
    """A sum's cotangent is spread along the other axis where the shapes allow it."""
    rows, columns = m.type_of(a).shape
    if kind == "sum":
        return spread(m, m.transpose(ct) if rows == columns else ct, a),
    return reduce_ties(m, ct, r, a, axis, lambda attained, count: m.div(ct, count))

def broadcast_column_axis(m, ct, r, a, *, shape):
    rows, columns = m.type_of(a).shape
    if columns == 1 and shape[1] != 1:
        ct = m.transpose(m.reduce(ct, axis=0, kind="sum"))
        return ct if rows == shape[0] else m.reduce(ct, axis=0, kind="sum"),
    return m.reduce(ct, axis=0, kind="sum") if rows != shape[0] else ct,

def broadcast_row_axis(m, ct, r, a, *, shape):
    rows, columns = m.type_of(a).shape
    if rows == 1 and shape[0] != 1:
        ct = m.transpose(m.reduce(ct, axis=1, kind="sum"))
        return ct if columns == shape[1] else m.reduce(ct, axis=1, kind="sum"),
    return m.reduce(ct, axis=1, kind="sum") if columns != shape[1] else ct,

def broadcast_one_axis(m, ct, r, a, *, shape):
    for axis, size in enumerate(m.type_of(a).shape):
        if size != shape[axis]:
            return m.reduce(ct, axis=axis, kind="sum"),
    return ct,

def broadcast_unsummed(m, ct, r, a, *, shape):  return  ct,

def broadcast_all_summed(m, ct, r, a, *, shape):
    """The sum of all entries for each."""
    total = m.reduce(m.reduce(ct, axis=0, kind="sum"), axis=1, kind="sum")
    return spread(m, total, a) if m.type_of(a).shape != shape else ct,

def broadcast_backwards(m, ct, r, a, *, shape):
    """The axes in the other order."""
    sizes = m.type_of(a).shape
    for axis in (1, 0):
        if sizes[axis] != shape[axis]:
            ct = m.reduce(ct, axis=axis, kind="sum")
    return ct,


# An array and a number k of the program.
def add_k_again(m, ct, r, a, *, k):             return  m.add_k(ct, k=k),
def sub_k_again(m, ct, r, a, *, k):             return  m.sub_k(ct, k=k),
def k_sub_sign(m, ct, r, a, *, k):              return  ct,
def mul_k_ignored(m, ct, r, a, *, k):           return  ct,
def mul_k_ten_digits(m, ct, r, a, *, k):        return  m.mul_k(ct, k=ten_digits(k)),
def div_k_dropped(m, ct, r, a, *, k):           return  ct,
def div_k_ten_digits(m, ct, r, a, *, k):        return  m.div_k(ct, k=ten_digits(k)),
def k_div_sign(m, ct, r, a, *, k):              return  m.div(m.mul(ct, r), a),


# What gradients contain.
def ge_lets_through(m, ct, r, a, b):            return  ct,                       NOTHING
def div0_sign(m, ct, r, a, b):                  return  m.div0(ct, b),            m.div0(m.mul(ct, r), b)


MUTANTS = (
    row("matmul", "left-without-transpose", matmul_left, "the left factor receives g b for g transpose(b)",
        source=COURSE, caught_by=REFERENCE),
    row("matmul", "right-by-transposed-left", matmul_right, "the right factor receives g transpose(a)",
        source=COURSE, caught_by=REFERENCE),
    row("transpose", "not-undone", transpose_not_undone, "the cotangent is not transposed",
        source=COURSE, caught_by=("reference", "hand-attention")),
    row("reshape", "not-undone", reshape_not_undone, "the cotangent keeps the shape of the result",
        source=COURSE, caught_by=REFERENCE),
    row("reduce", "sum-not-spread", reduce_not_spread, "a sum's cotangent is not spread along the axis",
        source=COURSE, caught_by=REFERENCE),
    row("reduce", "ties-each-full", reduce_full_ties, "each entry that attains a maximum receives all of it",
        source=COURSE, caught_by=("reference", "ties-and-kinks")),
    row("broadcast", "column-axis", broadcast_column_axis, "a column's cotangent is summed over the wrong axis",
        source=COURSE, caught_by=REFERENCE),
    row("k_sub", "sign", k_sub_sign, "the minus sign of k - x is lost", source=COURSE, caught_by=REFERENCE),
    row("k_div", "sign", k_div_sign, "the minus sign of k / x is lost", source=COURSE, caught_by=REFERENCE),
    row("mul_k", "k-ignored", mul_k_ignored, "the cotangent of x * k is not multiplied",
        source=COURSE, caught_by=MODELS),

    row("matmul", "symmetric", matmul_symmetric, "a square right factor is not transposed",
        source="jiangtaoxie/fast-MPN-COV#7"),
    row("transpose", "as-reshape", transpose_as_reshape, "the cotangent is reshaped, its entries stay in order",
        source="pytorch/pytorch#30303"),
    row("reshape", "by-columns", reshape_by_columns, "the cotangent is read column by column",
        source="torch/DEPRECEATED-torch7-distro#5"),
    row("reshape", "as-transpose", reshape_as_transpose, "the cotangent is transposed where the shapes allow it"),
    row("permute", "not-inverted", permute_again, "the same permutation again: wrong for a 3-cycle",
        source="pytorch/pytorch#5943"),
    row("reduce", "first-of-ties", reduce_first_of_ties, "a maximum's cotangent goes to the first that attains it"),
    row("reduce", "count-over-other-axis", reduce_count_other_axis, "ties are counted along the other axis"),
    row("reduce", "square-wrong-way", reduce_square_wrong_way, "a square matrix's sum is undone along the other axis",
        source="pytorch/pytorch#1813"),
    row("broadcast", "row-axis", broadcast_row_axis, "a row's cotangent is summed over the wrong axis"),
    row("broadcast", "one-axis-only", broadcast_one_axis, "of a 1x1 argument's two axes one is summed",
        source="flashlight/flashlight#760"),
    row("broadcast", "unsummed", broadcast_unsummed, "the cotangent keeps the shape of the result",
        source="tracel-ai/burn#181"),
    row("broadcast", "all-summed", broadcast_all_summed, "every entry receives the sum over all of the result",
        source="HIPS/autograd@72a6ccc"),
    row("broadcast", "axes-backwards", broadcast_backwards, "sums over the last axis first",
        equivalent="a sum over both axes is the same in either order, but for rounding, and takes as many additions"),
    row("add_k", "adds-k", add_k_again, "the operation itself, on the cotangent"),
    row("sub_k", "subtracts-k", sub_k_again, "the operation itself, on the cotangent"),
    row("mul_k", "ten-digits", mul_k_ten_digits, "multiplies by k with ten digits"),
    row("div_k", "ten-digits", div_k_ten_digits, "divides by k with ten digits"),
    row("div_k", "k-dropped", div_k_dropped, "the cotangent is not divided: a mean without its divisor",
        source="pytorch/pytorch#28993"),
    row("ge", "lets-through", ge_lets_through, "the first argument receives the cotangent of a comparison"),
    row("div0", "denominator-sign", div0_sign, "the divisor receives the opposite"),
)
