"""Where the workloads' data comes from: a small generator of pseudo-random numbers that is the same everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np


def draws(seed: int) -> Iterator[float]:
    """Numbers in [0, 1): x / 2^31 for x <- (1103515245 x + 12345) mod 2^31, the first after one step from the seed."""
    x = seed
    while True:
        x = (1103515245 * x + 12345) % 2**31
        yield x / 2**31


def weights(drawn: Iterator[float], rows: int, columns: int, scale: float) -> np.ndarray:
    """The next draws as a matrix, row by row: in [-scale, scale], rounded to two decimals."""
    entries = [round((next(drawn) - 0.5) * 2 * scale, 2) for _ in range(rows * columns)]
    return np.reshape(entries, (rows, columns)) + 0.0  # which turns -0.0 into 0.0


def one_hot(indices: Sequence[int] | np.ndarray, size: int) -> np.ndarray:
    """A row for each index, 1 there and 0 elsewhere."""
    return np.eye(size)[np.asarray(indices)]
