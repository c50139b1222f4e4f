"""Cases of the suite `random`: bounds and agreement on seeded random programs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from harness import reference
from harness.nests import leaves
from harness.random_terms import ARITHMETIC, Sample, random_program
from harness.records import Record, bounded
from harness.sample_statistics import LARGE, statistics
from transforms.drivers import TRANSFORMATIONS, Transformation, counts, everywhere, gradient, tangent
from transforms.parse import parse
from transforms.pretty import pretty_program
from transforms.syntax import Program
from transforms.types import REAL, Product, full, layout, units

BAUR_STRASSEN = 5
"""The most that a real's value and gradient cost, as a multiple of the value's operations: W. Baur and V. Strassen,
The complexity of partial derivatives, 1983."""

WITNESS = "x / (let a = x in a)"
"""A program that costs exactly BAUR_STRASSEN times as much: the bound is tight."""

TOLERANCE = 1e-10
"""Of the sum of absolute contributions to an entry. The programs are a few dozen operations on moderate numbers, so
rounding stays some 10^4 below, and a wrong derivative is off by about the whole sum."""


ERROR = "error / sum of |contributions|"


def samples(seed: int, programs: int, **options: Any) -> Iterator[Sample]:
    """Random programs, each from a generator of its own, so that one can be made again alone."""
    for k in range(programs):
        yield random_program(random.Random(f"{seed}/{k}"), **options)


def bound(suite: str, case: str, programs: int, results: int, seed: int) -> list[Record]:
    """Operations of primal and backpropagator, accumulator, over + - * / neg: at most 5 times the source's, plus k-1.

    The value recorded is the largest (operations - (k-1)) / source operations, with the program that shows it.
    """
    result = REAL if results == 1 else Product((REAL,) * results)
    worst, shown = 0.0, ""
    for sample in samples(seed, programs, primitives=ARITHMETIC, result=result):
        ratio = _ratio(sample.program, results)
        if not ratio <= worst:
            worst, shown = ratio, pretty_program(sample.program)
    sizes = {"programs": programs, "results": results}
    more = f" - {results - 1}" if results > 1 else ""
    records = [
        bounded(
            suite,
            case,
            sizes,
            f"largest ratio: accumulator operations{more} to source operations",
            BAUR_STRASSEN,
            worst,
            program=shown,
        )
    ]
    if results == 1:
        ratio = _ratio(parse(WITNESS), 1)
        witness = bounded(
            suite, case, {}, "ratio on a witness that the bound is tight", BAUR_STRASSEN, ratio, program=WITNESS
        )
        records.append({**witness, "holds": ratio == BAUR_STRASSEN})
    return records


def _ratio(program: Program, results: int) -> float:
    source = counts(TRANSFORMATIONS["accumulator"], program)
    extra = source.operations - (results - 1)
    return extra / source.primal_operations if source.primal_operations else float(extra > 0)


def agreement(suite: str, case: str, programs: int, seed: int, branching: bool = False) -> list[Record]:
    """Both representations against each other, the forward macro and the high-precision reference, at every entry."""
    worst: dict[str, tuple[float, str]] = dict.fromkeys(("accumulator", "forward", "reference"), (0.0, ""))
    seen = []
    for sample in samples(seed, programs, result=None, branching=branching):
        seen.append(sample)
        for against, error in errors(sample).items():
            if not error <= worst[against][0]:
                worst[against] = error, pretty_program(sample.program)
    sizes = {"programs": programs}
    found = statistics(seen)
    large = bounded(suite, case, sizes, f"share of programs above {LARGE} operations >= 0.5", 0.5, found.share_large)
    rare = bounded(suite, case, sizes, "occurrences of the rarest primitive >= 1", 1, min(found.primitives.values()))
    return [
        *(
            bounded(suite, case, sizes, f"pointwise and {against}: {ERROR}", TOLERANCE, error, program=program)
            for against, (error, program) in worst.items()
        ),
        {**large, "holds": found.share_large >= 0.5},
        {**rare, "holds": len(found.primitives) == 17},
        {
            "kind": "statistics", "suite": suite, "case": case, "samples": found.samples,
            "mean_operations": round(found.mean_operations, 1), "share_large": found.share_large,
            "primitives": dict(sorted(found.primitives.items())), "lets": found.lets, "dead_lets": found.dead_lets,
            "cases": found.cases, "matches": found.matches, "tuples": found.tuples,
            "shared": found.shared, "shadowing": found.shadowing,
            "unused_inputs": found.unused_inputs, "cancellations": found.cancellations,
        },
    ]  # fmt: skip


def branching(suite: str, case: str, programs: int, seed: int) -> list[Record]:
    """As `agreement`, on programs with sums: only the branch that is taken is differentiated."""
    return agreement(suite, case, programs, seed, branching=True)


def errors(sample: Sample) -> dict[str, float]:
    """How far the pointwise gradient is from the others, over the sum of absolute contributions; the worst entry."""
    program, point, cotangent = sample.program, sample.point, sample.cotangent
    judged = {name: gradient(t, program, point, cotangent).cotangent for name, t in TRANSFORMATIONS.items()}
    pointwise = np.array(list(leaves([*judged["pointwise"].values()])))
    scale = np.array(list(leaves([*reference.magnitude(program, point, cotangent).values()])), dtype=float)
    exact = reference.vjp(program, point, cotangent)
    others = {
        "accumulator": leaves([*judged["accumulator"].values()]),
        "forward": _from_sweeps(program, point, cotangent),
        "reference": (float(entry) for entry in leaves([*exact.values()])),
    }
    return {name: _worst(pointwise, np.array(list(entries), dtype=float), scale) for name, entries in others.items()}


def _worst(found: np.ndarray, expected: np.ndarray, scale: np.ndarray) -> float:
    """The largest error over scale; an error where nothing arrives is infinite, and NaN stays NaN."""
    difference = np.abs(found - expected)
    ratios = np.divide(difference, scale, out=np.where(difference == 0.0, 0.0, np.inf), where=scale > 0.0)
    return float(np.max(ratios, initial=0.0))


def _from_sweeps(program: Program, point: dict[str, Any], cotangent: Any) -> Iterator[float]:
    """The transposed Jacobian applied to a cotangent, one entry for each forward sweep."""
    weights = list(leaves(cotangent))
    names = [name for name, _ in program.context]
    for unit in units(layout(tuple([point[name] for name in names]))):
        _, change, _ = tangent(program, point, dict(zip(names, unit, strict=True)))
        yield sum(w * t for w, t in zip(weights, leaves(change), strict=True))


def points(suite: str, case: str, programs: int, points: int, seed: int) -> list[Record]:
    """Counts at random points of one program, inside its domain or not: all equal, in both representations."""
    different = 0
    for k, sample in enumerate(samples(seed, programs, result=None, smooth=False)):
        rng = random.Random(f"{seed}/{k}/points")
        for judged in TRANSFORMATIONS.values():
            found = {_counts_at(judged, sample, rng) for _ in range(points)}
            different += len(found) != 1
    sizes = {"programs": programs, "points": points}
    return [bounded(suite, case, sizes, "programs whose counts depend on the point", 0, different)]


def _counts_at(judged: Transformation, sample: Sample, rng: random.Random) -> str:
    point = {name: _anywhere(full(type_, 0.0), rng) for name, type_ in sample.program.context}
    return repr(gradient(everywhere(judged), sample.program, point, sample.cotangent).counts)


def _anywhere(zero: Any, rng: random.Random) -> Any:
    """A value of the shape of `zero`, often with zeros and repeated whole numbers in it, so that kinks are met."""
    if isinstance(zero, tuple):
        return tuple([_anywhere(part, rng) for part in zero])
    return rng.choice((0.0, float(rng.randint(-2, 2)), rng.uniform(-3.0, 3.0), rng.uniform(-1e3, 1e3)))
