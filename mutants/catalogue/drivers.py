"""Mutants of what surrounds the macro."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from mutants.catalogue.rows import COURSE, OURS
from mutants.mutant import Mutant, drivers
from transforms.machines.interface import Machine, Value
from transforms.mountain_goat.lines import Line, needed
from transforms.mountain_goat.located import located
from transforms.mountain_goat.straight import Straight
from transforms.syntax import Term


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
    ("seed-first-part", first_part, "the first component's cotangent for all", "flagos-ai/FlagGems#5212", ()),
)  # fmt: skip


def step_adds(m: Machine, parameter: Value, ct: Value, rate: float) -> Value:
    return m.add(parameter, m.mul_k(ct, k=rate))


def step_of_one(m: Machine, parameter: Value, ct: Value, rate: float) -> Value:
    return m.sub(parameter, ct)


def step_stays(m: Machine, parameter: Value, ct: Value, rate: float) -> Value:
    return parameter


STEPS = (
    ("descent-adds", step_adds, "a step of descent adds the gradient", COURSE),
    ("descent-ignores-rate", step_of_one, "a step of descent ignores the rate", COURSE),
    ("descent-stays", step_stays, "a step of descent changes nothing", COURSE),
)


def by_value(straight: Straight, names: Sequence[str], line: int) -> tuple[str, ...]:
    """The first input that has the value of the one that is named."""
    point = straight.point
    return tuple([next(x for x in point if np.array_equal(point[x], point[y])) for y in located(straight, names, line)])


def everything(lines: list[Line], results: Iterable[Term]) -> set[str]:
    """Dead code is kept: whatever there is counts as needed."""
    return needed(lines, results) | {name for name, _ in lines}


def forgetful(lines: list[Line], results: Iterable[Term]) -> set[str]:
    """The second operands of operations count as needed only where something else needs them."""
    return needed([(name, replace(operation, args=operation.args[:1])) for name, operation in lines], results)


PRUNES = (
    ("dead-code-kept", everything, "cost", "lines that nothing needs are kept", OURS, ("cost-exact",)),
    ("live-code-lost", forgetful, "value", "lines that second operands need are lost", OURS, ("hand-attention",)),
)

MUTANTS = (
    *[Mutant(f"drivers.{what}", "drivers.seed", "value", wrong, source, drivers(seed=seed), caught_by)
      for what, seed, wrong, source, caught_by in SEEDS],
    *[Mutant(f"drivers.{what}", "drivers.step", "value", wrong, source, drivers(step=step), ("training",))
      for what, step, wrong, source in STEPS],
    Mutant("drivers.names-by-value", "drivers.locate", "value", "a named matrix is known by its value", COURSE,
           drivers(locate=by_value), ("hand-transformer",)),
    *[Mutant(f"drivers.{what}", "drivers.prune", breaks, wrong, source, drivers(prune=prune), caught_by)
      for what, prune, breaks, wrong, source, caught_by in PRUNES],
)  # fmt: skip
