"""Programs to simplify: random ones and their gradients, many compiled as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import numpy as np

from harness.compiled import Emitted
from harness.random_matrices import random_matrices
from transforms.array_rules import TABLE
from transforms.machines.emit_c import EmitC, Number
from transforms.mountain_goat.gradients import gradient
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.straight import Straight

Emit = Callable[[EmitC, Straight], tuple[Number, ...]]


def straight(source: str) -> Straight:
    return inline(lower(source, "p.mg"), source)


def random_programs(first: int, count: int) -> Iterator[Straight]:
    """Programs with seeds from `first` on; every second is the gradient of the one before."""
    for seed in range(first, first + (count + 1) // 2):
        rng = Random(seed)
        sample = random_matrices(rng, size=rng.choice((12, 24, 40)))
        line = straight(sample.source)
        yield line
        yield gradient(line, sample.wrt, sample.loss).straight if sample.wrt else line


def results(programs: list[Straight], emit: Emit, level: str = "O0") -> list[list[np.ndarray]]:
    """What the programs print, compiled together."""
    machine = EmitC(TABLE)
    return Emitted(machine, tuple([emit(machine, line) for line in programs])).run(level)


def identical(found: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    """Whether results are the same to the last bit; NaN is NaN."""
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(found, expected, strict=True)]
    return all(
        a.shape == b.shape and np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b)))
        for a, b in pairs
    )
