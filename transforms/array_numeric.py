"""Arithmetic on arrays of doubles: what the operations of the array table compute.

Sums are NumPy's, which adds in an order of its own, that depends on how an array lies in memory. So every result lies
row by row, and equal arguments give equal results. A maximum that meets a NaN is NaN.
"""

from __future__ import annotations

import numpy as np

from transforms import numeric
from transforms.numeric import R

REDUCTIONS = {"sum": np.sum, "max": np.max}


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a @ b


def transpose(a: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(a.T)


def reshape(a: np.ndarray, *, shape: tuple[int, ...]) -> np.ndarray:
    return a.reshape(shape)


def permute(a: np.ndarray, *, permutation: tuple[int, ...]) -> np.ndarray:
    return np.ascontiguousarray(a.transpose(permutation))


def reduce(a: np.ndarray, *, axis: int, kind: str) -> np.ndarray:
    """The sum or maximum along an axis, which stays with size 1."""
    return REDUCTIONS[kind](a, axis=axis, keepdims=True)


def broadcast(a: np.ndarray, *, shape: tuple[int, ...]) -> np.ndarray:
    return np.ascontiguousarray(np.broadcast_to(a, shape))


def add_k(a: R, *, k: float) -> R:
    return a + k


def sub_k(a: R, *, k: float) -> R:
    return a - k


def k_sub(a: R, *, k: float) -> R:
    return k - a


def mul_k(a: R, *, k: float) -> R:
    return a * k


def div_k(a: R, *, k: float) -> R:
    return a / k if isinstance(a, np.ndarray) else numeric.div(a, k)


def k_div(a: R, *, k: float) -> R:
    return numeric.div(k, a)
