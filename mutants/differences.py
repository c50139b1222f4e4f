"""The search for a small program on which a mutant differs: what a check would have to ask to notice it.

Programs are tried from small to large: every rule alone, at ordinary and at special points, and in company; every
construct; random programs. A difference in a value or a gradient is sought first, then one in their last bits, then one
in what they cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import nan
from random import Random
from typing import Any

from harness.checks.comparison import runs
from harness.checks.examples import BINARY, REAL_USES, Example, constructs, every_rule
from harness.checks.subject import Subject
from harness.random_terms import random_program
from harness.records import Record
from harness.values import show
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


def difference(before: Subject, after: Subject, seed: int) -> Record | None:
    """The smallest program tried on which two subjects differ, with its point and what each finds, if one does."""
    examples = sorted(_examples(seed), key=lambda example: sum(1 for _ in subterms(example.program.term)))
    for kind in (_in_value, _in_bits, _in_cost):
        for example in examples:
            if found := kind(before, after, example):
                return {
                    "program": _text(example), "label": example.label,
                    "point": {name: show(value) for name, value in example.point.items()},
                    "cotangent": show(example.cotangent), **found,
                }  # fmt: skip
    return None


def _examples(seed: int) -> Iterator[Example]:
    yield from every_rule(seed)
    yield from constructs(seed)
    for use in REAL_USES:
        names = ("x0", "x1") if use.rule in BINARY else ("x0",)
        program = Program(tuple((name, REAL) for name in names), Op(use.rule, tuple(map(Var, names))))
        for values in product(SPECIAL, repeat=len(names)):
            yield Example(f"{use.label} at a special point", program, dict(zip(names, values, strict=True)), 1.5)
    for k in range(RANDOM):
        sample = random_program(Random(f"{seed}/difference/{k}"), size=1 + k // 5, result=None, branching=k % 3 == 0)
        yield Example(f"random program {k}", sample.program, sample.point, sample.cotangent)


def _in_value(before: Subject, after: Subject, example: Example) -> Record | None:
    return _differing(before, after, example, LARGE)


def _in_bits(before: Subject, after: Subject, example: Example) -> Record | None:
    return _differing(before, after, example, 0.0)


def _differing(before: Subject, after: Subject, example: Example, tolerance: float) -> Record | None:
    what = "value" if tolerance else "last bits"
    right, wrong = _found(before, example), _found(after, example)
    if isinstance(right, str) or isinstance(wrong, str):
        return {"differs": what, "in": "", "before": str(right), "after": str(wrong)} if right != wrong else None
    for (name, expected), (_, found) in zip(right, wrong, strict=True):
        pairs = list(zip(expected, found, strict=False))
        differs = len(expected) != len(found) or any(not _close(a, b, tolerance) for a, b in pairs)
        if differs:
            return {"differs": what, "in": name, "before": repr(expected), "after": repr(found)}
    return None


def _found(subject: Subject, example: Example) -> list[tuple[str, list[Any]]] | str:
    """The numbers of the value and the gradient in each representation, or the error."""
    try:
        return [(name, [*value, *gradient]) for name, value, gradient in runs(subject, example)]
    except AdjudgeError as error:
        return f"refused: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _close(a: float, b: float, tolerance: float) -> bool:
    if a == b or (a != a and b != b):
        return True
    return abs(a - b) <= tolerance * max(1.0, abs(a))


def _in_cost(before: Subject, after: Subject, example: Example) -> Record | None:
    for name, judged in before.transformations.items():
        counts = []
        for each in (judged, after.transformations[name]):
            try:
                found = gradient(each, example.program, example.point, example.cotangent).counts
            except Exception:  # outside its domain for both, or the difference would have been one in the value
                break
            counts.append({count: getattr(found, count, nan) for count in COUNTS})
        if len(counts) == 2 and counts[0] != counts[1]:
            return {"differs": "cost", "in": name, "before": repr(counts[0]), "after": repr(counts[1])}
    return None


def _text(example: Example) -> str:
    """The program, and the static parameters that its text leaves out."""
    terms = subterms(example.program.term)
    statics = [f"{op.name} with {dict(op.statics)}" for op in terms if isinstance(op, Op) and op.statics]
    return "; ".join([pretty_program(example.program), *statics])
