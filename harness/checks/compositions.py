"""Soft maxima, in the rows of the table that stand for compositions: at logits where only the textbook form is right.

The rows of a matrix are far apart, so that exponentials overflow or vanish unless each row is shifted by a maximum of
its own; within a row the logits differ by multiples of 2^-10, so that a difference from the maximum is exact and the
result is good to the last places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np

from harness import reference
from harness.checks.examples import Example
from harness.checks.subject import Subject
from harness.nests import leaves
from transforms.composed_rules import COMPOSED
from transforms.syntax import Op, Program, Term, Var
from transforms.types import Array

SHAPE = (3, 4)
LEVELS = (1024.0, -1500.0, 3.0)
"""About where the logits of each row are."""


def _softmax(a: Term) -> Term:
    return Op("div", (e := Op("exp", (_shifted(a),)), _spread(_along(e, "sum"))))


def _log_softmax(a: Term) -> Term:
    return Op("sub", (s := _shifted(a), _spread(Op("log", (_along(Op("exp", (s,)), "sum"),)))))


def _shifted(a: Term) -> Term:
    return Op("sub", (a, _spread(_along(a, "max"))))


def _along(a: Term, kind: str) -> Term:
    return Op("reduce", (a,), (("axis", 1), ("kind", kind)))


def _spread(a: Term) -> Term:
    return Op("broadcast", (a,), (("shape", SHAPE),))


WRITTEN_OUT = {"softmax": _softmax, "log_softmax": _log_softmax}
"""What the compositions are, for the reference."""


def examples(seed: int) -> Iterator[tuple[Example, list[float], list[float]]]:
    """Each composition, with the numbers of its value and of its gradient in high precision.

    In each row one entry of the cotangent is a power of two, and the others are 0: nothing cancels.
    """
    for name, written_out in WRITTEN_OUT.items():
        rng = Random(f"{seed}/{name}/composition")
        rows = [[level + rng.randrange(-1024, 1024) / 1024 for _ in range(SHAPE[1])] for level in LEVELS]
        point = {"x": np.array(rows)}
        cotangent = np.zeros(SHAPE)
        for row in cotangent:
            row[rng.randrange(len(row))] = rng.choice((-1.0, 1.0)) * rng.choice((0.25, 0.5, 2.0, 4.0))
        context = (("x", Array(SHAPE)),)
        exact = Program(context, written_out(Var("x")))
        value = [float(x) for x in leaves(reference.evaluate(exact.term, point))]
        slopes = [float(x) for x in leaves(tuple(reference.vjp(exact, point, cotangent).values()))]
        program = Program(context, Op(name, (Var("x"),)))
        yield Example(f"{name} of rows far apart", program, point, cotangent), value, slopes


def knowing(subject: Subject) -> Subject:
    """The subject with the rows of compositions that its table lacks."""
    return subject.changed(subject.name, lambda judged: replace(judged, rules={**COMPOSED, **judged.rules}))
