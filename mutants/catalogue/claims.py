"""Mutants of what rules claim, at least two for each row: the type of a result, and the operations of a pullback.

A wrong type is found where a program is typechecked, or its gradient written down; values stay as they are.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import numpy as np

from mutants.catalogue.rows import field
from transforms.types import REAL, Array

BINARY = ("add", "sub", "mul", "div", "pow", "max", "min", "ge", "div0")
UNARY = ("neg", "sin", "cos", "exp", "log", "sqrt", "tanh", "sigmoid", "abs", "relu")
WITH_K = ("add_k", "sub_k", "k_sub", "mul_k", "div_k", "k_div")


def stretching(a, b):
    """Axes of size 1 stretch, of their own accord."""
    try:
        return Array(np.broadcast_shapes(a.shape, b.shape))
    except ValueError:
        return a

def one_number(a, **statics):                     return REAL
def as_column(a, **statics):                      return Array((a.size, 1)) if a.shape else a
def matmul_shape(a, b):                           return Array((a.shape[0], b.shape[1]))
def transpose_shape(a):                           return a
def reshape_shape(a, *, shape):                   return Array(tuple(shape))
def broadcast_shape(a, *, shape):                 return Array(tuple(shape))
def permute_shape(a, *, permutation):             return Array(tuple([a.shape[permutation.index(axis)]
                                                                      for axis in range(len(permutation))]))
def reduce_shape(a, *, axis, kind):               return Array((1, a.shape[1]) if axis else (a.shape[0], 1))


def entrywise(**kinds: int) -> Callable[..., Mapping[str, int]]:
    """The claim of so many operations of each kind for each entry."""
    return lambda a, *others, **statics: {kind: n * a.size for kind, n in kinds.items()}

def matmul_cost(a, b):
    (rows, inner), columns = a.shape, b.shape[1]
    return {"mul": 2 * rows * inner * columns, "add": 2 * rows * inner * columns}

def reduce_cost(a, *, axis, kind):
    rows = a.size // a.shape[1 - axis]
    return {} if kind == "sum" else {"ge": a.size, "add": a.size - rows, "div": rows, "mul": a.size}

def broadcast_cost(a, *, shape):
    return {"add": prod(shape)}


MUTANTS = (
    *field("shape", (
        *[(name, "stretching", stretching, "shapes that differ are accepted", "pytorch/pytorch#78355")
          for name in BINARY],
        *[(name, "one-number", one_number, "the result is said to be one number") for name in UNARY],
        *[(name, "column", as_column, "the result is said to be a column") for name in WITH_K],
        ("matmul", "unchecked", matmul_shape, "inner dimensions may differ"),
        ("transpose", "same", transpose_shape, "the shape stays"),
        ("reshape", "unchecked", reshape_shape, "the number of entries may differ"),
        ("permute", "inverted", permute_shape, "the inverse permutation: wrong for a 3-cycle"),
        ("reduce", "other-axis", reduce_shape, "the other axis has size 1"),
        ("broadcast", "unchecked", broadcast_shape, "any shape stretches to any other"),
    )),
    *field("cost", (
        *[(name, "accumulation", entrywise(add=1), "an addition into the slot is claimed for the pullback")
          for name in ("add", "add_k", "sub_k", "transpose", "reshape", "permute")],
        *[(name, "negation", entrywise(neg=1), "the minus sign is claimed to be performed")
          for name in ("sub", "neg", "k_sub")],
        *[(name, "half", entrywise(**{kind: 1}), "one argument's part is not claimed") for name, kind in (
            ("mul", "mul"), ("div", "div"), ("pow", "pow_da"), ("max", "share"), ("min", "share"), ("div0", "div0"))],
        *[(name, "product-only", entrywise(mul=1), "the function inside the derivative is not claimed")
          for name in ("sin", "cos", "sigmoid", "abs", "relu", "k_div")],
        ("exp", "again", entrywise(mul=1, exp=1), "the exponential is claimed to be computed again"),
        ("log", "reciprocal", entrywise(div=1, mul=1), "a reciprocal and a product are claimed for a quotient"),
        ("sqrt", "by-2", entrywise(mul=1, div0=1), "a product by 2 is claimed for a sum"),
        ("tanh", "one-division", entrywise(cosh=1, div=1), "one of two divisions is claimed"),
        ("mul_k", "free", entrywise(), "nothing is claimed"),
        ("div_k", "free", entrywise(), "nothing is claimed"),
        ("ge", "comparison", entrywise(ge=1), "the comparison is claimed to be made again"),
        ("matmul", "additions", matmul_cost, "an addition is claimed for every product: one too many in each sum"),
        ("reduce", "other-axis", reduce_cost, "rows are counted as columns"),
        ("broadcast", "additions", broadcast_cost, "an addition is claimed for every entry: one too many in each sum"),
    ), breaks="cost"),
)
