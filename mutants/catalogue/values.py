"""Mutants of what rules evaluate to: at least one for each row of the table.

Most are slightly wrong, or wrong at few arguments, as fast or cautious implementations are: a small number that is
added against zeros, a clipped result, single precision, constants with few digits. The derivative stays that of the
right function, except through the result, so that the two part.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from math import tau
from typing import Any

import numpy as np

from mutants.catalogue.rows import field
from transforms import array_numeric, numeric


def single(a) -> Any:
    """Rounded to single precision."""
    return a.astype(np.float32).astype(np.float64) if isinstance(a, np.ndarray) else float(np.float32(a))

def where(condition, a, b):
    """a where the condition holds, else b; floats for floats."""
    return np.where(condition, a, b) if isinstance(condition, np.ndarray) else a if condition else b

def ten_digits(k: float) -> float:
    """A number of the program, as text with ten digits has it."""
    return float(f"{k:.10g}")


def add(a, b):         return a + single(b)
def sub(a, b):         return where(abs(a - b) <= 1e-9 * abs(a), 0.0 * a, a - b)
def mul(a, b):         return a * single(b)
def neg_magnitude(a):  return -abs(a)

def sin(a):            return numeric.sin(a - 6.2831853 * (a // tau))
def cos(a):            return numeric.sin(a + 1.57079633)
def log(a):            return 0.6931471806 * (np.log2(a) if isinstance(a, np.ndarray) else float(np.log2(a)))
def sigmoid(a):        return where(a < -16.0, 0.0 * a + 1e-7, numeric.sigmoid(a))

def absolute(a):       return numeric.sqrt(a * a + 1e-14)
def relu(a):           return where(a < 0.0, 1e-8 * a, numeric.relu(a))
def minimum(a, b):     return where(a <= b + 1e-8, a, b)

def matmul(a, b):                  return (a.astype(np.float32) @ b.astype(np.float32)).astype(float)
def matmul_blocks(a, b):
    """Block after block of 48, and what is left over is lost."""
    inner = a.shape[1]
    whole = inner - inner % 48 or inner
    return a[:, :whole] @ b[:whole]

def matmul_rest(a, b):
    """Block after block of 56, and what is left over in single precision."""
    inner = a.shape[1]
    whole = inner - inner % 56 if inner > 56 else inner
    return a[:, :whole] @ b[:whole] + single(a[:, whole:]) @ single(b[whole:])

def transpose(a):                  return a.reshape(a.shape[::-1])
def reshape(a, *, shape):          return np.ascontiguousarray(a.reshape(shape, order="F"))
def permute(a, *, permutation):    return np.ascontiguousarray(a.transpose(np.argsort(permutation)))
def broadcast(a, *, shape):        return np.resize(a, shape)
def ge(a, b):                      return where(a > b, 1.0 + 0.0 * a, 0.0 * a)
def div0(a, b):                    return numeric.div(a, b)

def reduce(a, *, axis, kind):
    if kind == "max":
        return array_numeric.reduce(a, axis=axis, kind=kind)
    return np.sum(a, axis=axis, keepdims=True, dtype=np.float32).astype(float)

def add_k(a, *, k):                return a + ten_digits(k)
def sub_k(a, *, k):                return a - ten_digits(k)
def k_sub(a, *, k):                return ten_digits(k) - a
def mul_k(a, *, k):                return a * ten_digits(k)
def div_k(a, *, k):                return array_numeric.div_k(a, k=ten_digits(k))
def k_div(a, *, k):                return numeric.div(ten_digits(k), a)


MUTANTS = (*field("evaluate", (
    ("add", "single", add, "the second argument in single precision"),
    ("sub", "fuzzy", sub, "numbers that agree to nine digits count as equal"),
    ("mul", "single", mul, "the second argument in single precision"),
    ("neg", "of-magnitude", neg_magnitude, "the result is never positive"),
    ("sin", "short-turn", sin, "full turns are taken off with eight digits of pi"),
    ("cos", "short-quarter", cos, "the sine a quarter turn on, with nine digits of pi"),
    ("log", "short-ln-2", log, "the logarithm to base 2, times that of 2 with ten digits"),
    ("sigmoid", "clipped", sigmoid, "results are clipped to one ten-millionth", "tensorflow/tensorflow#56873"),
    ("abs", "smooth", absolute, "the square root of the square and a small number"),
    ("relu", "leaky", relu, "a slope of one hundred-millionth for negative arguments"),
    ("min", "fuzzy", minimum, "the first argument on a near tie"),
    ("matmul", "single", matmul, "products and sums in single precision"),
    ("matmul", "whole-blocks", matmul_blocks, "sums of more than 48 products stop at a multiple of 48"),
    ("matmul", "rest-single", matmul_rest, "what is left over of blocks of 56 products is rounded"),
    ("transpose", "as-reshape", transpose, "the entries stay in order"),
    ("reshape", "by-columns", reshape, "entries are read and written column by column",
     "torch/DEPRECEATED-torch7-distro#5"),
    ("permute", "inverted", permute, "the inverse permutation: wrong for a 3-cycle"),
    ("reduce", "single-sum", reduce, "sums in single precision"),
    ("broadcast", "repeated", broadcast, "entries are repeated in order: wrong for columns"),
    ("add_k", "ten-digits", add_k, "k with ten digits"),
    ("sub_k", "ten-digits", sub_k, "k with ten digits"),
    ("k_sub", "ten-digits", k_sub, "k with ten digits"),
    ("mul_k", "ten-digits", mul_k, "k with ten digits"),
    ("div_k", "ten-digits", div_k, "k with ten digits"),
    ("k_div", "ten-digits", k_div, "k with ten digits"),
    ("ge", "strict", ge, "0 on a tie"),
    ("div0", "unguarded", div0, "a zero over zero is NaN", "tensorflow/tensorflow#56830"),
)),
)
