"""Bounds and exponents: the constant of Baur and Strassen on random programs, and how costs of families grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from harness.checks.check import Measured
from harness.checks.claims import layer
from harness.checks.comparison import shown
from harness.checks.examples import direction
from harness.checks.subject import Subject
from harness.families import FAMILIES, at_ones
from harness.fit import growth
from harness.random_terms import ARITHMETIC, random_program
from harness.reference_double import evaluate
from transforms.drivers import gradient
from transforms.parse import parse
from transforms.pretty import pretty_program
from transforms.syntax import Op, Program, subterms
from transforms.types import REAL, Product, full, layout


@dataclass(frozen=True, slots=True)
class Bounded:
    """A program whose result is `results` reals, with its operations: each occurrence of one is performed once."""

    program: Program
    point: dict[str, Any]
    cotangent: Any
    operations: int
    results: int


RANDOM_PROGRAMS = 200
TIGHT = ("x / (let a = x in a)", "x / (let a = x in a) + y / (let a = y in a)", "let u = x / (let a = x in a) in u * u")
FAMILY = {"product": {"n": 8}, "square": {"m": 6, "n": 4}, "doubling": {"k": 8}, "projection": {"k": 5}}


def programs(seed: int) -> list[Bounded]:
    found = []
    for k in range(RANDOM_PROGRAMS):
        results = 3 if k % 4 == 0 else 1
        result = Product((REAL,) * results) if results > 1 else REAL
        rng = Random(f"{seed}/{k}/constant")
        sample = random_program(rng, size=rng.choice((1, 2, 3)), result=result, primitives=ARITHMETIC)
        found.append(_bounded(sample.program, sample.point, sample.cotangent, results))
    rng = Random(f"{seed}/tight")
    for program in (*map(parse, TIGHT), *[FAMILIES[name](**sizes) for name, sizes in FAMILY.items()]):
        point = {name: direction(one, rng) for name, one in at_ones(program).items()}
        found.append(_bounded(program, point, direction(1.0, rng), 1))
    return found


def _bounded(program: Program, point: dict[str, Any], cotangent: Any, results: int) -> Bounded:
    operations = sum(isinstance(term, Op) for term in subterms(program.term))
    return Bounded(program, point, cotangent, operations, results)


def constant(subject: Subject, prepared: list[Bounded]) -> Measured:
    """The largest ratio of operations, but for k - 1, to the source's, in the accumulator."""
    worst = Measured(0.0)
    judged = subject.transformations["accumulator"]
    for case in prepared:
        counts = gradient(judged, case.program, case.point, case.cotangent).counts
        extra = counts.operations - (case.results - 1)
        ratio = extra / case.operations if case.operations else float("inf") if extra > 0 else 0.0
        if ratio > worst.error:
            where = f"{counts.operations} operations for {case.operations}, {case.results} results"
            worst = Measured(ratio, f"{where}: {pretty_program(case.program)} at {shown(case.point)}")
    return worst


# Growth

GROWTH_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class Growing:
    """A program at growing sizes, at points of ones, and the exponents of operations and slot writes.

    `programs` are programs with point and cotangent; `exponents` are by representation.
    """

    label: str
    sizes: tuple[int, ...]
    programs: list[tuple[Program, dict[str, Any], Any]]
    exponents: Mapping[str, tuple[float, float]]


LINEAR = (1.0, 1.0)
CLAIMED: tuple[tuple[str, str, Mapping[str, int], tuple[int, ...], Mapping[str, tuple[float, float]]], ...] = (
    ("product", "n", {}, (16, 32), {"accumulator": LINEAR, "pointwise": (2.0, 2.0)}),
    ("square", "m", {"n": 4}, (24, 48), {"accumulator": LINEAR}),
    ("square", "m", {"n": 200}, (8, 16), {"pointwise": LINEAR}),
    ("square", "n", {"m": 4}, (64, 128), {"accumulator": (0.0, 0.0), "pointwise": LINEAR}),
    ("sigmoid-square", "n", {}, (64, 128), {"accumulator": (0.0, 0.0), "pointwise": LINEAR}),
    ("doubling", "k", {}, (40, 80), {"accumulator": LINEAR, "pointwise": (2.0, 2.0)}),
    ("projection", "k", {}, (16, 32), {"accumulator": LINEAR}),
    ("projection", "k", {}, (8, 16), {"pointwise": (2.0, 2.0)}),
    ("jacobian", "m", {"n": 3}, (28, 56), {"accumulator": (1.0, 0.0), "pointwise": LINEAR}),
)
"""Of each family: the size that grows, the others, and the exponents; sizes are as small as shows the exponent."""

LAYERS: tuple[tuple[str, Mapping[str, int], Mapping[str, tuple[float, float]]], ...] = (
    ("r", {"i": 4, "c": 4}, {"accumulator": LINEAR, "pointwise": LINEAR}),
    ("i", {"r": 4, "c": 4}, {"accumulator": LINEAR, "pointwise": LINEAR}),
    ("c", {"r": 4, "i": 4}, {"accumulator": LINEAR, "pointwise": LINEAR}),
)
LAYER_SIZES = (512, 1024)


def families(seed: int) -> list[Growing]:
    return [*_families(), *_layers()]


def _families() -> Iterator[Growing]:
    for name, size, others, sizes, exponents in CLAIMED:
        made = [_at_ones(FAMILIES[name](**others, **{size: n})) for n in sizes]
        yield Growing(f"{name} in {size}", sizes, made, exponents)


def _layers() -> Iterator[Growing]:
    for size, others, exponents in LAYERS:
        made = [_at_ones(layer(**others, **{size: n})) for n in LAYER_SIZES]
        yield Growing(f"layer in {size}", LAYER_SIZES, made, exponents)


def growing(subject: Subject, prepared: list[Growing]) -> Measured:
    """The largest distance of an exponent from the one that is claimed."""
    worst = Measured(0.0)
    for family in prepared:
        for name, (operations, writes) in family.exponents.items():
            if name not in subject.transformations:
                continue
            counts = [gradient(subject.transformations[name], *asked).counts for asked in family.programs]
            for metric, claimed in (("operations", operations), ("slot_writes", writes)):
                found = growth(family.sizes, [getattr(c, metric) for c in counts])
                error = abs(found.exponent - claimed) if found else float("inf")
                if error > worst.error:
                    exponent = found and found.exponent
                    worst = Measured(error, f"{family.label}, {name}: {metric} grow by {exponent}, expected {claimed}")
    return worst


def _at_ones(program: Program) -> tuple[Program, dict[str, Any], Any]:
    point = at_ones(program)
    return program, point, full(layout(evaluate(program, point)), 1.0)
