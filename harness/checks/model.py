"""The efficiency theorem's cost model: reference figures, and random programs of the core language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

from harness.checks.check import Measured
from harness.checks.subject import Subject
from harness.core_costs import sum_of_constructs
from harness.families import projection
from harness.random_core import random_sample
from harness.theorem import FIGURES
from transforms.chad.elaborate import elaborate
from transforms.chad.pretty import show_program
from transforms.chad.syntax import Program
from transforms.chad.theorem import judge
from transforms.chad.types import REAL

RANDOM_PROGRAMS, SIZE, LARGEST, WIDEST = 8, 12, 60, 64
"""How many random programs, of how many constructs, and of the figures that are asked for the largest source cost and
the most variables."""


@dataclass(frozen=True, slots=True)
class Case:
    label: str
    program: Program
    inputs: Sequence[Any]
    cotangent: Any
    cost: int


def cases(seed: int) -> list[Case]:
    found = []
    for name, program, cotangent, source, cost in FIGURES:
        if source <= LARGEST and len(program.context) <= WIDEST:
            inputs = [2.0 if x.type is REAL else (2.0, 3.0) for x in program.context]
            found.append(Case(name, program, inputs, cotangent, cost))
    nested = elaborate(projection(3))  # a tuple whose parts are tuples: what is absent there may be large
    ones = [1.0 for _ in nested.context]
    found.append(Case("projection at 3", nested, ones, 1.0, sum_of_constructs(nested, ones, 1.0)))
    for k in range(RANDOM_PROGRAMS):
        sample = random_sample(Random(f"{seed}/{k}/model"), size=SIZE)
        cost = sum_of_constructs(sample.program, sample.inputs, sample.cotangent)
        found.append(Case(show_program(sample.program), sample.program, sample.inputs, sample.cotangent, cost))
    return found


def costs(subject: Subject, prepared: list[Case]) -> Measured:
    """The largest difference from the figures, and from an independent sum; infinite where the bound is broken."""
    assert subject.core is not None
    worst = Measured(0.0)
    for case in prepared:
        verdict = judge(case.program, case.inputs, case.cotangent, subject.core)
        error = abs(verdict.cost - case.cost) if verdict.holds else inf
        if error > worst.error:
            where = f"{case.label} costs {verdict.cost}, expected {case.cost}, bound {verdict.bound}"
            worst = Measured(float(error), where)
    return worst
