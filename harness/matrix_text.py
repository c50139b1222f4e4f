"""The values that a Mountain Goat program prints, as text: for people, for scripts, and as MLIR's runner dumps them.

A value of shape 2x3 is `[[1, 2, 3], [4, 5, 6]]`, with a line for each row where people read it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from harness.records import to_json
from transforms.pretty import number


def text(values: Sequence[np.ndarray]) -> str:
    """The values with columns aligned, each number the shortest that reads back; a matrix is a literal of a program."""
    return "".join(f"{_aligned(value)}\n" for value in values)


def as_json(values: Sequence[np.ndarray]) -> str:
    """A JSON list of objects with `shape` and `data`, nested lists; NaN and infinities are strings."""
    return to_json([{"shape": list(value.shape), "data": value.tolist()} for value in values]) + "\n"


def memref(values: Sequence[np.ndarray]) -> str:
    """The values as MLIR's runner prints unranked memrefs, with six significant digits. Addresses are not told."""
    return "".join(map(_dump, values))


FORMATS: dict[str, Callable[[Sequence[np.ndarray]], str]] = {"text": text, "json": as_json, "memref": memref}


def _aligned(value: np.ndarray) -> str:
    cells = [number(entry) if math.isfinite(entry) else str(entry) for entry in value.ravel().tolist()]
    width = max(map(len, cells)) if value.ndim > 1 and value.shape[0] > 1 else 0
    return _nested(iter([cell.rjust(width) for cell in cells]), value.shape, 1, lambda depth: f",\n{' ' * depth}", ", ")


def _dump(value: np.ndarray) -> str:
    strides = [*accumulate(value.shape[:0:-1], int.__mul__, initial=1)][::-1] if value.ndim else []
    header = (
        f"Unranked Memref base@ = 0x0 rank = {value.ndim} offset = 0 sizes = {list(value.shape)} strides = {strides}"
    )
    cells = iter([f"{entry:.6g}" for entry in value.ravel().tolist()])
    # The spaces at the ends of lines are the runner's.
    data = _nested(cells, value.shape or (1,), 1, lambda depth: f", \n{' ' * depth}", f", {' ' * max(value.ndim, 1)}")
    return f"{header} data = \n{data}\n"


def _nested(cells: Iterator[str], sizes: Sequence[int], depth: int, between: Callable[[int], str], last: str) -> str:
    """The cells as nested lists; `between` is what separates lists at a depth from 1, `last` what separates cells."""
    if not sizes:
        return next(cells)
    parts = [_nested(cells, sizes[1:], depth + 1, between, last) for _ in range(sizes[0])]
    return f"[{(between(depth) if len(sizes) > 1 else last).join(parts)}]"
