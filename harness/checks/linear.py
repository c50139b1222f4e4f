"""Gradients held beside each other: forwards and backwards, pointwise and accumulated, separately and in one sum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from harness import reference, reference_double
from harness.checks.check import Measured
from harness.checks.comparison import Answer, Comparison, runs, tables
from harness.checks.examples import (
    ARRAY_USES,
    REAL_USES,
    Example,
    constructs,
    direction,
    inside,
    signed,
    small_programs,
)
from harness.checks.subject import Subject
from harness.nests import leaves
from harness.random_terms import random_program
from transforms.drivers import tangent
from transforms.types import Injected

RANDOM_PROGRAMS = 14


def with_directions(seed: int) -> list[tuple[Example, dict[str, Any]]]:
    rng = Random(f"{seed}/directions")
    return [
        (example, {x: direction(_unmarked(v), rng) for x, v in example.point.items()})
        for example in small_programs(seed)
    ]


def dot_products(subject: Subject, prepared: list[tuple[Example, dict[str, Any]]]) -> Measured:
    comparison = Comparison()
    for example, along in prepared:
        (forwards,) = [tangent(example.program, example.point, along, rules)[1] for rules in tables(subject)]
        v, d = list(leaves(tuple(along.values()))), list(leaves(example.cotangent))
        for name, _, cotangent in runs(subject, example):
            left = [a * b for a, b in zip(d, leaves(forwards), strict=True)]
            right = [a * b for a, b in zip(cotangent, v, strict=True)]
            size = sum(map(abs, left)) + sum(map(abs, right))
            comparison.add(example, f"<d, Jv> and <v, J^t d>, {name}", [sum(left)], [sum(right)], [max(1.0, size)])
    return comparison.measured()


def random_examples(seed: int) -> list[Answer]:
    """Random programs, some with sums; errors are measured in the sums of their absolute contributions."""
    answers = []
    for k in range(RANDOM_PROGRAMS):
        sample = random_program(Random(f"{seed}/{k}/representations"), size=12, result=None, branching=k % 3 == 0)
        program, point, cotangent = sample.program, sample.point, sample.cotangent
        scale = [max(1.0, x) for x in leaves(tuple(reference.magnitude(program, point, cotangent).values()))]
        answers.append(Answer(Example(f"random program {k}", program, point, cotangent), [], [], scale))
    return answers


def agreement(subject: Subject, prepared: list[Answer]) -> Measured:
    comparison = Comparison()
    for answer in prepared:
        (first, _, expected), *others = runs(subject, answer.example)
        for name, _, found in others:
            scale = answer.scale[-len(expected) :] if expected else []
            comparison.add(answer.example, f"{name} against {first}", found, expected, scale)
    return comparison.measured()


@dataclass(frozen=True, slots=True)
class Combination:
    """One example with cotangents d, e and s*d + t*e."""

    s: float
    t: float
    d: Example
    e: Example
    both: Example


def combinations(seed: int) -> list[Combination]:
    rng = Random(f"{seed}/linearity")
    uses = [*rng.sample(REAL_USES, 6), *rng.sample(ARRAY_USES, 6)]
    examples = [*[inside(use, seed) for use in uses], *constructs(seed)]
    return [_combination(replace(example, turn=k), rng) for k, example in enumerate(examples)]


def _combination(example: Example, rng: Random) -> Combination:
    s, t = (signed(rng, 1.0, 2.0) * 2.0 ** rng.randint(-20, 20) for _ in range(2))
    e = replace(example, cotangent=direction(example.cotangent, rng))
    pairs = zip(leaves(example.cotangent), leaves(e.cotangent), strict=True)
    both = reference_double.like(example.cotangent, iter([s * a + t * b for a, b in pairs]))
    return Combination(s, t, example, e, replace(example, cotangent=both))


def combined(subject: Subject, prepared: list[Combination]) -> Measured:
    comparison = Comparison()
    for c in prepared:
        for (name, _, d), (_, _, e), (_, _, both) in zip(
            runs(subject, c.d), runs(subject, c.e), runs(subject, c.both), strict=True
        ):
            expected = [c.s * a + c.t * b for a, b in zip(d, e, strict=True)]
            scale = [abs(c.s) * max(1.0, abs(a)) + abs(c.t) * max(1.0, abs(b)) for a, b in zip(d, e, strict=True)]
            comparison.add(c.both, f"b(s d + t e) against s b(d) + t b(e), {name}", both, expected, scale)
    return comparison.measured()


def _unmarked(value: Any) -> Any:
    """What a value of a sum injects: its tangents are of that type."""
    while isinstance(value, Injected):
        value = value.value
    return tuple([_unmarked(part) for part in value]) if isinstance(value, tuple) else value
