"""Mutants of what surrounds the macro."""

from __future__ import annotations

from collections.abc import Callable

from mutants.catalogue.rows import COURSE, OURS
from mutants.mutant import Mutant, drivers
from transforms.machines.interface import Machine, Value


def each(change: Callable[[Machine, Value], Value]) -> Callable[[Machine, Value], Value]:
    """A seed made by a change of every number of the cotangent that was given."""

    def seed(machine: Machine, ct: Value) -> Value:
        if isinstance(ct, tuple):
            return tuple([seed(machine, part) for part in ct])
        return change(machine, ct)

    return seed


def first_part(machine: Machine, ct: Value) -> Value:
    """Of a tuple, the first component's cotangent for all that are of its type."""
    if not isinstance(ct, tuple) or not ct:
        return ct
    return tuple([ct[0] if machine.type_of(part) == machine.type_of(ct[0]) else part for part in ct])


SEEDS = (
    ("seed-2", each(lambda m, ct: m.add(ct, ct)), "twice the cotangent", COURSE,
     ("reference", "ties-and-kinks", "hand-attention", "hand-layernorm", "hand-transformer", "training")),
    ("seed-1", each(lambda m, ct: m.constant_like(ct, 1.0)), "1 for the cotangent", "tensorflow/tensorflow#1847", ()),
    ("seed-squared", each(lambda m, ct: m.mul(ct, ct)), "the cotangent squared", OURS, ()),
    ("seed-magnitude", each(lambda m, ct: m.apply("abs", ct)), "the cotangent without its sign", OURS, ()),
    ("seed-first-part", first_part, "the first component's cotangent for all", "flagos-ai/FlagGems#5212", ()),
)  # fmt: skip

MUTANTS = tuple([
    Mutant(f"drivers.{what}", "drivers.seed", "value", wrong, source, drivers(seed=seed), caught_by)
    for what, seed, wrong, source, caught_by in SEEDS
])  # fmt: skip
