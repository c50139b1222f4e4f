"""The search for a small program on which a mutant differs: what a check would have to ask to notice it.

Programs are tried from small to large: every rule alone, at ordinary and at special points, and in company; every
construct; random programs. A difference in a value or a gradient is sought first, then one in their last bits, then one
in what they cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from random import Random
from typing import Any

from harness.checks.comparison import runs
from harness.checks.examples import BINARY, REAL_USES, Example, constructs, every_rule
from harness.checks.subject import Subject
from harness.random_terms import random_program
from harness.records import Record
from harness.values import show
from mutants import matrix_differences
from transforms.drivers import gradient
from transforms.errors import AdjudgeError
from transforms.pretty import pretty_program
from transforms.syntax import Op, Program, Var, subterms
from transforms.types import REAL

SPECIAL = (0.0, 1.0, -1.0, 2.0, 1e-9, 40.0, -40.0, 1e200)
"""Points where rules have kinks, saturate, or leave the range of doubles."""

RANDOM = 150
"""The number of random programs that are tried."""

COUNTS = ("operations", "slot_writes", "peak_slots", "saved")
LARGE = 1e-9
"""A relative difference above this is one in the value; below, one in the last bits."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An example, and what a subject makes of it: in each representation its numbers and its counts, or an error."""

    example: Example
    found: list[tuple[str, list[Any]]] | str
    counts: dict[str, Record]


def difference(before: Subject, after: Subject, seed: int) -> Record | None:
    """The smallest program tried on which two subjects differ, with its point and what each finds, if there is one.

    Matrix programs come last: whatever shows in a term shows in a smaller one.
    """
    tried: list[tuple[Asked, Asked]] = []

    def pairs() -> Iterator[tuple[Asked, Asked]]:
        for example in _examples(seed):
            tried.append((_ask(before, example), _ask(after, example)))
            yield tried[-1]

    in_bits = partial(_in_value, tolerance=0.0)
    for kind, asked in ((_in_value, pairs()), (in_bits, tried), (_in_cost, tried)):
        for right, wrong in asked:
            if found := kind(right, wrong):
                example = right.example
                return {
                    "program": _text(example), "label": example.label,
                    "point": {name: show(value) for name, value in example.point.items()},
                    "cotangent": show(example.cotangent), **found,
                }  # fmt: skip
    return matrix_differences.difference(before, after, partial(_close, tolerance=LARGE))


def _examples(seed: int) -> Iterator[Example]:
    """Small programs by their size, then random ones that grow."""
    yield from sorted(_systematic(seed), key=lambda example: sum(1 for _ in subterms(example.program.term)))
    for k in range(RANDOM):
        sample = random_program(Random(f"{seed}/difference/{k}"), size=1 + k // 5, result=None, branching=k % 3 == 0)
        yield Example(f"random program {k}", sample.program, sample.point, sample.cotangent)


def _systematic(seed: int) -> Iterator[Example]:
    yield from every_rule(seed)
    yield from constructs(seed)
    for use in REAL_USES:
        names = ("x0", "x1") if use.rule in BINARY else ("x0",)
        program = Program(tuple((name, REAL) for name in names), Op(use.rule, tuple(map(Var, names))))
        for values in product(SPECIAL, repeat=len(names)):
            yield Example(f"{use.label} at a special point", program, dict(zip(names, values, strict=True)), 1.5)


def _ask(subject: Subject, example: Example) -> Asked:
    program, point, cotangent = example.program, example.point, example.cotangent
    try:
        found = [(name, [*value, *ct]) for name, value, ct in runs(subject, example)]
        runs_ = {name: gradient(j, program, point, cotangent).counts for name, j in subject.transformations.items()}
    except AdjudgeError as error:
        return Asked(example, f"refused: {error}", {})
    except Exception as error:
        return Asked(example, f"{type(error).__name__}: {error}", {})
    return Asked(example, found, {name: {c: getattr(counts, c) for c in COUNTS} for name, counts in runs_.items()})


def _in_value(right: Asked, wrong: Asked, tolerance: float = LARGE) -> Record | None:
    what = "value" if tolerance else "last bits"
    if isinstance(right.found, str) or isinstance(wrong.found, str):
        same = right.found == wrong.found
        return None if same else {"differs": what, "in": "", "before": str(right.found), "after": str(wrong.found)}
    for (name, expected), (_, found) in zip(right.found, wrong.found, strict=True):
        fits = len(expected) == len(found)
        if not fits or not all(_close(a, b, tolerance) for a, b in zip(expected, found, strict=True)):
            return {"differs": what, "in": name, "before": repr(expected), "after": repr(found)}
    return None


def _close(a: float, b: float, tolerance: float) -> bool:
    if a == b or (a != a and b != b):
        return True
    return abs(a - b) <= tolerance * max(1.0, abs(a))


def _in_cost(right: Asked, wrong: Asked) -> Record | None:
    for name, expected in right.counts.items():
        found = wrong.counts.get(name)
        if found != expected:
            return {"differs": "cost", "in": name, "before": repr(expected), "after": repr(found)}
    return None


def _text(example: Example) -> str:
    """The program, and the static parameters that its text leaves out."""
    terms = subterms(example.program.term)
    statics = [f"{op.name} with {dict(op.statics)}" for op in terms if isinstance(op, Op) and op.statics]
    return "; ".join([pretty_program(example.program), *statics])
