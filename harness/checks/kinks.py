"""What gradients are where the mathematics leaves a choice, and where numbers leave the ordinary range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

import numpy as np

from harness.checks import hard_points
from harness.checks.check import Check, Measured, Needs, Question
from harness.checks.comparison import Answer, Comparison, shown, tables
from harness.checks.examples import Example, signed
from harness.checks.subject import Subject
from harness.nests import leaves
from harness.reference_double import evaluate, like
from transforms.drivers import tangent
from transforms.parse import parse
from transforms.rules import Rules
from transforms.syntax import Op, Program, Var
from transforms.types import Array


@dataclass(frozen=True, slots=True)
class Stated:
    """The partial derivatives of a rule at a point, by convention: entry by entry of its arguments, in order."""

    rule: str
    at: tuple[float, ...]
    partials: tuple[float, ...]


CONVENTIONS = (
    Stated("abs", (0.0,), (0.0,)),
    Stated("relu", (0.0,), (1.0,)),
    Stated("max", (2.0, 2.0), (0.5, 0.5)),
    Stated("min", (2.0, 2.0), (0.5, 0.5)),
    Stated("sqrt", (0.0,), (inf,)),
    Stated("pow", (0.0, 0.0), (0.0, 0.0)),
    Stated("pow", (0.0, 0.5), (inf, 0.0)),
    Stated("pow", (0.0, 1.0), (1.0, 0.0)),
    Stated("pow", (0.0, 2.0), (0.0, 0.0)),
    Stated("pow", (-3.0, 2.0), (-6.0, 0.0)),
    Stated("pow", (-2.0, 3.0), (12.0, 0.0)),
    Stated("pow", (-2.0, -1.0), (-0.25, 0.0)),
    Stated("ge", (2.0, 2.0), (0.0, 0.0)),
    Stated("div0", (0.0, 0.0), (inf, 0.0)),
    Stated("reduce", (1.0, 3.0, 3.0), (0.0, 0.5, 0.5)),
)
"""Every convention of the table of rules; that of `reduce` is a maximum over a row."""

MORE = (
    *[Stated(name, (x, x), (0.5, 0.5)) for name in ("max", "min") for x in (0.0, -1.5)],
    *[Stated("reduce", row, shares) for row, shares in (
        ((1.0, 1.0, 0.0), (0.5, 0.5, 0.0)), ((-2.0, -2.0, -2.0, -2.0), (0.25,) * 4),
        ((5.0, 1.0, 4.0), (1.0, 0.0, 0.0)))],
    *[Stated("ge", at, (0.0, 0.0)) for at in ((1.0, 2.0), (2.0, 1.0), (0.0, 0.0))],
    *[Stated("pow", (0.0, y), (0.0, 0.0)) for y in (1.5, 3.0, 4.0)],
    Stated("pow", (-1.5, 0.0), (0.0, 0.0)),
    Stated("div0", (0.0, 2.0), (0.5, 0.0)),
)  # fmt: skip
"""Further points at which the same conventions decide."""

COMPOSITES: tuple[tuple[str, Mapping[str, float], Mapping[str, float]], ...] = (
    ("max(x, x)", {"x": 1.5}, {"x": 1.0}),
    ("min(x, x)", {"x": -1.5}, {"x": 1.0}),
    ("max(x, 0) - max(-x, 0)", {"x": 0.0}, {"x": 1.0}),
    ("abs(x) * abs(x)", {"x": 0.0}, {"x": 0.0}),
    ("abs(x) * x", {"x": 0.0}, {"x": 0.0}),
    ("abs(x) * abs(x)", {"x": -2.0}, {"x": -4.0}),
    ("max(sin(x), 2)", {"x": 0.7}, {"x": 0.0}),
    ("max(2, x * x) + x", {"x": 1.0}, {"x": 1.0}),
    ("max(abs(x), abs(y))", {"x": 2.0, "y": -2.0}, {"x": 0.5, "y": -0.5}),
    ("let m = max(x, y) in m + y", {"x": 1.25, "y": 1.25}, {"x": 0.5, "y": 1.5}),
    ("0 * sqrt(x) + x", {"x": 0.0}, {"x": 1.0}),
    ("0 * pow(x, 0.5) + x", {"x": 0.0}, {"x": 1.0}),
    ("let s = sqrt(x) in y * y", {"x": 0.0, "y": 2.0}, {"x": 0.0, "y": 4.0}),
    ("pow(x - y, y)", {"x": 1.0, "y": 1.0}, {"x": 1.0, "y": -1.0}),
    ("match sign(x) with inl s -> match s with inl n -> -x | inr p -> x | inr z -> 0", {"x": 0.0}, {"x": 0.0}),
)
"""Programs on reals with their true gradients, or what the conventions make of them."""

TIED = (
    ((1.0, 1.0, 0.0), (0.5, 0.5, 0.0)),
    ((2.0, 5.0, 2.0), (0.0, 1.0, 0.0)),
    ((-3.0, -3.0, -3.0), (1 / 3, 1 / 3, 1 / 3)),
)
"""Rows of one matrix, with what each of their entries gets of their maximum."""


@dataclass(frozen=True, slots=True)
class Kink:
    """An answer at a kink, with a tangent of the point and the numbers that it gives forwards; none for a composite."""

    answer: Answer
    along: Mapping[str, Any] | None
    change: list[float]


def kinks(seed: int) -> list[Kink]:
    rng = Random(f"{seed}/kinks")
    found = [kink for stated in (*CONVENTIONS, *MORE) for kink in _stated(stated, rng)]
    for axis in (0, 1):
        rows, shares = [np.array(part).reshape(3, 3) for part in zip(*TIED, strict=True)]
        point, partials = {"x": rows if axis else rows.T}, list(leaves(shares if axis else shares.T))
        found.append(_kink("reduce", point, {"axis": axis, "kind": "max"}, partials, rng))
    for text, values, slopes in COMPOSITES:
        program, d = parse(text), signed(rng, 0.3, 3.0)
        example = Example(text, program, dict(values), d)
        found.append(Kink(_answer(example, [d * slopes[x] for x, _ in program.context]), None, []))
    return found


def _stated(stated: Stated, rng: Random) -> Iterator[Kink]:
    """A convention on reals and arrays, or on a row and a column; without a change too where a slope is infinite."""
    partials = list(stated.partials)
    if stated.rule == "reduce":
        for axis, shape in ((1, (1, len(stated.at))), (0, (len(stated.at), 1))):
            point = {"x": np.array(stated.at).reshape(shape)}
            yield _kink("reduce", point, {"axis": axis, "kind": "max"}, partials, rng)
        return
    reals = {f"x{k}": x for k, x in enumerate(stated.at)}
    yield _kink(stated.rule, reals, {}, partials, rng)
    yield _kink(stated.rule, {name: np.full((1, 1), x) for name, x in reals.items()}, {}, partials, rng)
    if inf in partials:
        yield _kink(stated.rule, reals, {}, partials, rng, still=True)


def _kink(
    rule: str, point: dict[str, Any], statics: dict[str, Any], partials: list[float], rng: Random, still: bool = False
) -> Kink:
    """A rule with stated partial derivatives, entry by entry; `still`: nothing arrives, and nothing is infinite."""
    term = Op(rule, tuple(map(Var, point)), tuple(statics.items()))
    program = Program(tuple([(name, Array(np.shape(value))) for name, value in point.items()]), term)
    value = evaluate(program, point)
    d = np.array([0.0 if still else signed(rng, 0.3, 3.0) for _ in range(np.size(value))]).reshape(np.shape(value))
    example = Example(
        f"{rule} at {shown(point)}", program, point, like(value, iter(d.ravel().tolist())), rng.randrange(2)
    )
    infinite = inf in partials
    moves = [0.0 if infinite and (p == inf) == still else signed(rng, 0.3, 3.0) for p in partials]
    x = next(iter(point.values()))
    spread = np.broadcast_to(d, np.shape(x)).ravel().tolist() * len(point)
    products = np.array([p * dx if p and dx else 0.0 for p, dx in zip(partials, moves, strict=True)])
    if rule == "reduce":
        change = products.reshape(np.shape(x)).sum(axis=statics["axis"]).tolist()
    else:
        change = [float(products.sum())]
    slopes = [p * dy if p and dy else 0.0 for p, dy in zip(partials, spread, strict=True)]
    rest = iter(moves)
    return Kink(_answer(example, slopes), {name: like(part, rest) for name, part in point.items()}, change)


def _answer(example: Example, cotangent: list[float]) -> Answer:
    value = [float(x) for x in leaves(evaluate(example.program, example.point))]
    return Answer(example, value, cotangent, [1.0 if abs(x) == inf else max(1.0, abs(x)) for x in value + cotangent])


def at_kinks(subject: Subject, prepared: list[Kink]) -> Measured:
    comparison = Comparison().ask(subject, [kink.answer for kink in prepared])
    for rules in tables(subject):
        for kink in prepared:
            example = kink.answer.example
            if kink.along is not None:
                _, change, _ = tangent(example.program, example.point, kink.along, rules)
                found, scale = list(leaves(change)), [1.0] * len(kink.change)
                comparison.add(example, "the forward macro", found, kink.change, scale)
        listed = _listed(rules)
        if listed != {(s.rule, s.at): s.partials for s in CONVENTIONS}:
            return Measured(inf, f"the conventions that the rules list are {listed}")
    return comparison.measured()


def _listed(rules: Rules) -> dict[tuple[str, tuple[float, ...]], tuple[float, ...]]:
    """What the rows themselves say of conventions."""
    return {(name, c.at): c.partials for name, rule in rules.items() for c in rule.conventions}


CHECKS = (
    Check(
        "ties-and-kinks", Question.RIGHT,
        "every tie and kink has the stated derivative, and the composites that are guaranteed come out right",
        1e-10, "of max(1, |expected|); most are exact, or infinite", kinks, at_kinks, Needs.GRADIENTS,
    ),
    Check(
        "hard-points", Question.RIGHT,
        "zeros, tiny, huge and saturated inputs: no NaN, no infinity, every digit asked for",
        1e-10, "relative, since gradients there may be tiny", hard_points.answers, hard_points.compared,
        Needs.GRADIENTS,
    ),
)  # fmt: skip
