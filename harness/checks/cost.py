"""What gradients cost: exact counts against claims that are stated independently; never a clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

from harness.checks import bounds, generated, model, visits
from harness.checks.check import Check, Measured, Needs, Question
from harness.checks.claims import FAMILIES, FIXED, LAYER, Totals, alone_costs, claim, layer
from harness.checks.comparison import tables
from harness.checks.examples import ARRAY_FORM_USES, ARRAY_USES, ELEMENTWISE_USES, Example, Use, alone
from harness.checks.generated import Lengths
from harness.checks.subject import Subject
from harness.families import FAMILIES as PROGRAMS
from harness.families import at_ones
from harness.reference_double import evaluate
from transforms.drivers import Transformation, gradient, write
from transforms.machines.counting import Counts
from transforms.parse import parse
from transforms.syntax import Case, Let, Op, Program
from transforms.types import full, layout


@dataclass(frozen=True, slots=True)
class Costed:
    """A program at a point, and what it costs by representation."""

    label: str
    program: Program
    point: dict[str, Any]
    cotangent: Any
    claims: Mapping[str, Totals]


@dataclass(frozen=True, slots=True)
class Applied:
    """A rule applied to variables: what its row has to claim of its pullback, and what it costs by representation."""

    use: Use
    example: Example
    statics: dict[str, Any]
    pullback: dict[str, int]
    costs: Mapping[str, Totals]


@dataclass(frozen=True, slots=True)
class Claims:
    rules: list[Applied]
    programs: list[Costed]
    generated: list[Lengths]


SMALL = {
    "product": ({"n": 4},), "square": ({"m": 2, "n": 4},), "sigmoid-square": ({"n": 2},), "doubling": ({"k": 4},),
    "projection": ({"k": 3},), "jacobian": ({"n": 3, "m": 2},),
}  # fmt: skip


SQUARE = {(3, 3), (2, 2, 2)}
COSTED = (*ELEMENTWISE_USES, *ARRAY_FORM_USES, *[use for use in ARRAY_USES if SQUARE.isdisjoint(use.shapes)])
"""Every rule, on arrays of several sizes: a count tells which of them it depends on."""


def exact(seed: int) -> Claims:
    rng = Random(f"{seed}/cost")
    rules = [_applied(use, seed) for use in COSTED]
    programs = [
        *[_family(name, sizes) for name, several in SMALL.items() for sizes in several],
        _layer(rng.randint(2, 6), rng.randint(2, 6), rng.randint(2, 6)),
        *[_costed(text, parse(text), claims) for text, claims in FIXED],
    ]
    return Claims(rules, programs, generated.lengths(seed))


def _applied(use: Use, seed: int) -> Applied:
    example, stated = alone(use, seed), claim(use)
    assert isinstance(example.program.term, Op)
    costs = {name: alone_costs(use, stated, name) for name in LAYER}
    return Applied(use, example, dict(example.program.term.statics), _nonzero(stated.pullback), costs)


def _family(name: str, sizes: Mapping[str, int]) -> Costed:
    claims = {representation: form(**sizes) for representation, form in FAMILIES[name].items()}
    return _costed(f"{name} at {dict(sizes)}", PROGRAMS[name](**sizes), claims)


def _layer(r: int, i: int, c: int) -> Costed:
    claims = {representation: form(r, i, c) for representation, form in LAYER.items()}
    return _costed(f"layer of {r} rows, {i} inner, {c} columns", layer(r, i, c), claims)


def _costed(label: str, program: Program, claims: Mapping[str, Totals]) -> Costed:
    point = at_ones(program)
    return Costed(label, program, point, full(layout(evaluate(program, point)), 1.0), claims)


def as_claimed(subject: Subject, prepared: Claims) -> Measured:
    """The largest difference between a count and what is claimed of it; infinite where a row claims something else."""
    wrong: list[tuple[float, str]] = []
    for applied in prepared.rules:
        wrong += _of_rule(subject, applied)
    for costed in prepared.programs:
        for name, stated in costed.claims.items():
            if name in subject.transformations:
                found = _run(subject.transformations[name], costed, lines=True)
                wrong += _differences(f"{costed.label}, {name}", found, stated)
    if "accumulator" in subject.transformations:  # what the lengths of generated programs are claimed of
        wrong += generated.gradients(subject, prepared.generated)
    return _worst(wrong)


def _of_rule(subject: Subject, applied: Applied) -> list[tuple[float, str]]:
    use, example, wrong = applied.use, applied.example, []
    for name, totals in applied.costs.items():
        if name not in subject.transformations:
            continue
        judged = subject.transformations[name]
        counts = gradient(judged, example.program, example.point, example.cotangent).counts
        written = name == "accumulator"  # a pullback has the same lines in each
        label = f"{use.label}, {name}"
        wrong += _differences(label, _found(counts, _lines(judged, example.program) if written else None), totals)
    types = [type_ for _, type_ in example.program.context]
    for rules in tables(subject):
        claimed = _nonzero(rules[use.rule].cost(*types, **applied.statics))
        if claimed != applied.pullback:
            wrong.append((inf, f"the row of {use.label} claims {claimed}, expected {applied.pullback}"))
    return wrong


def _run(judged: Transformation, costed: Costed, lines: bool = False) -> Totals:
    counts = gradient(judged, costed.program, costed.point, costed.cotangent).counts
    return _found(counts, _lines(judged, costed.program) if lines else None)


def _found(counts: Counts, lines: int | None) -> Totals:
    return Totals(counts.operations, counts.slot_writes, counts.peak_slots, counts.saved, lines)


def _lines(judged: Transformation, program: Program) -> int:
    """How many `let`s the transformed program has."""
    term, lines = write(judged, program).program.term, 0
    while isinstance(term, (Let, Case)):
        lines += isinstance(term, Let)
        term = term.body
    return lines


def _differences(
    label: str, found: Totals, stated: Totals, only: Iterable[str] = ("operations", "slot_writes", "saved", "lines")
) -> list[tuple[float, str]]:
    wrong = []
    for name in only:
        count, expected = getattr(found, name), getattr(stated, name)
        if count is not None and expected is not None and count != expected:
            wrong.append((abs(count - expected), f"{label}: {name} is {count}, expected {expected}"))
    return wrong


def _worst(wrong: list[tuple[float, str]]) -> Measured:
    error, where = max(wrong, default=(0.0, ""))
    return Measured(float(error), where)


def _nonzero(kinds: Mapping[str, int]) -> dict[str, int]:
    return {kind: n for kind, n in sorted(kinds.items()) if n}


# cost-memory

LARGE = {
    "product": ({"n": 24},), "square": ({"m": 20, "n": 12},), "sigmoid-square": ({"n": 60},), "doubling": ({"k": 24},),
    "projection": ({"k": 12},), "jacobian": ({"n": 12, "m": 16},),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    programs: list[Costed]
    generated: list[Lengths]


def memory(seed: int) -> Held:
    rng = Random(f"{seed}/memory")
    several = [(name, sizes) for made in (SMALL, LARGE) for name, chosen in made.items() for sizes in chosen]
    layers = [_layer(rng.randint(2, 12), rng.randint(2, 12), rng.randint(2, 12)) for _ in range(2)]
    texts = [_costed(text, parse(text), claims) for text, claims in FIXED]
    return Held([*[_family(name, sizes) for name, sizes in several], *layers, *texts], generated.lengths(seed))


def remembered(subject: Subject, prepared: Held) -> Measured:
    """The largest difference between what is held, or kept for the backward part, and what is claimed of it."""
    wrong: list[tuple[float, str]] = []
    for costed in prepared.programs:
        for name, stated in costed.claims.items():
            if name in subject.transformations:
                found = _run(subject.transformations[name], costed)
                wrong += _differences(f"{costed.label}, {name}", found, stated, ("peak_slots", "saved"))
    if "accumulator" in subject.transformations:
        wrong += generated.descents(subject, prepared.generated)
    return _worst(wrong)


COUNTS = "counts are whole numbers and do not depend on the point"

CHECKS = (
    Check(
        "cost-constant", Question.COST,
        "over + - * / neg, value and gradient cost at most 5 times the source's operations, and k - 1 for k results",
        5.0, "the constant of Baur and Strassen, which is reached", bounds.programs, bounds.constant,
        Needs.ACCUMULATOR,
    ),
    Check(
        "cost-exact", Question.COST,
        "operations, slot writes, saved numbers and lines of every rule and family are the closed forms",
        0.0, COUNTS, exact, as_claimed, Needs.CLAIMED,
    ),
    Check(
        "cost-growth", Question.COST,
        "operations and slot writes of the families grow with the stated exponents",
        bounds.GROWTH_TOLERANCE, "at finite sizes the lower terms still show", bounds.families, bounds.growing,
        Needs.CLAIMED,
    ),
    Check(
        "cost-theorem", Question.COST,
        "in the efficiency theorem's cost model, the reference figures are met and the bound holds",
        0.0, COUNTS, model.cases, model.costs, Needs.CORE,
    ),
    Check(
        "cost-visits", Question.COST,
        "every term is evaluated at most once, and its backpropagator runs at most once for each evaluation",
        0.0, COUNTS, visits.programs, visits.repeated,
    ),
    Check(
        "cost-memory", Question.COST,
        "what is alive at once and what is kept for the backward part are the closed forms, linear in the program",
        0.0, COUNTS, memory, remembered, Needs.CLAIMED,
    ),
)  # fmt: skip
