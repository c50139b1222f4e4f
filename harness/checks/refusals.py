"""What is refused: a primitive without a row never gets a default derivative, nor does a point outside a domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from harness.checks.check import Measured, counted
from harness.checks.examples import ELEMENTWISE_USES, Example, alone, direction
from harness.checks.matrices import not_refused, refusing
from harness.checks.subject import Subject
from transforms.drivers import Transformation, gradient, tangent
from transforms.syntax import Op, Program, Var
from transforms.types import REAL

OUTSIDE: tuple[tuple[str, tuple[float, ...], dict[str, float]], ...] = (
    ("div", (1.0, 0.0), {}), ("div", (0.0, 0.0), {}), ("div", (1.0, -0.0), {}),
    ("log", (0.0,), {}), ("log", (-1.0,), {}), ("log", (-1e-300,), {}),
    ("sqrt", (-1.0,), {}), ("sqrt", (-1e-300,), {}),
    ("pow", (-1.0, 0.5), {}), ("pow", (0.0, -1.0), {}), ("pow", (-2.0, 1.5), {}),
    ("div_k", (1.0,), {"k": 0.0}), ("k_div", (0.0,), {"k": 2.0}),
)  # fmt: skip
"""Points outside the domains of primitives."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What has no derivative.

    nowhere   primitives that the table lacks, though machines may have them as operations
    removed   applications of a primitive whose row will be taken out of the table
    outside   points outside a domain
    matrices  tasks on matrix programs that are refused
    """

    nowhere: list[Example]
    removed: list[tuple[str, Example]]
    outside: list[Example]
    matrices: list[tuple[str, Callable[[Subject], object]]]


def refusals(seed: int) -> Refused:
    rng = Random(f"{seed}/refusals")
    names = ["cosh", "sgn", "share", "mul0", "pow_da", "pow_db", "softplus", "identity", ""]
    two = ("share", "mul0", "pow_da", "pow_db")
    nowhere = [
        _applied(name, tuple(rng.uniform(0.5, 2.0) for _ in range(1 + (name in two))), {}, rng) for name in names
    ]
    removed = [(use.rule, alone(use, seed)) for use in ELEMENTWISE_USES]
    outside = [_applied(name, args, statics, rng) for name, args, statics in OUTSIDE]
    return Refused(nowhere, removed, outside, refusing(seed))


def _applied(name: str, args: tuple[float, ...], statics: dict[str, Any], rng: Random) -> Example:
    point = {f"x{k}": arg for k, arg in enumerate(args)}
    program = Program(tuple([(x, REAL) for x in point]), Op(name, tuple(map(Var, point)), tuple(statics.items())))
    return Example(f"{name or 'a primitive without a name'} at {args}", program, point, direction(1.0, rng))


def refused(subject: Subject, prepared: Refused) -> Measured:
    """How many applications get a derivative that none can have."""
    answered = []
    for name, judged in subject.transformations.items():
        for example in (*prepared.nowhere, *prepared.outside):
            answered += [f"{example.label}: {way} gives an answer ({name})" for way in _answers(judged, example)]
        for primitive, example in prepared.removed:
            lacking = replace(judged, rules={rule: row for rule, row in judged.rules.items() if rule != primitive})
            ways = _answers(lacking, example)
            answered += [f"{primitive} without a row: {way} gives an answer ({name})" for way in ways]
    answered += [f"{what} is not refused" for what in not_refused(subject, prepared.matrices)]
    return counted(answered)


def _answers(judged: Transformation, example: Example) -> Iterator[str]:
    """Which ways of differentiating give an answer. Whatever is raised is a refusal."""
    program, point = example.program, example.point
    ways = {
        "the macro": lambda: gradient(judged, program, point, example.cotangent),
        "the forward macro": lambda: tangent(program, point, point, judged.rules),
    }
    for way, run in ways.items():
        try:
            run()
        except Exception:
            continue
        yield way
