"""Cases of the suite `native`: the instructions that compiled gradients execute, at growing sizes.

Source and gradients are compiled at -O0 and at -O2 and counted exactly. The claim is that instructions grow as
operations do. Each level is a case of its own in the records, which also name the toolchain: counts of different ones
are never compared. Where a tool is missing, the case is skipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

from harness import callgrind, compiled, families, native
from harness.errors import ToolMissing
from harness.fit import TOLERANCE, growth
from harness.records import Record, bounded, skipped
from transforms.drivers import TRANSFORMATIONS, gradient, value
from transforms.machines.counting import Counts
from transforms.syntax import Program
from transforms.typecheck import typecheck
from transforms.types import full

OPERATIONS = "operations"
INSTRUCTIONS = "instructions"

CLOSE = 1e-12
"""Relative: the mathematical functions of C and of Python may round differently."""


def growing(
    suite: str,
    case: str,
    family: str,
    against: str,
    sizes: Sequence[int],
    expected: Mapping[str, int],
    fixed: Mapping[str, int] | None = None,
) -> list[Record]:
    """Operations and instructions of a family: counts, growth, and whether what is compiled computes the same."""
    try:
        series = callgrind.series()
    except ToolMissing as missing:
        what = f"instruction counts of {case.replace('-', ' ')}"
        return [skipped(suite, what, missing)]
    fixed = fixed or {}
    programs = {n: families.FAMILIES[family](**fixed, **{against: n}) for n in sizes}
    emitted = {(n, subject): _emitted(subject, program) for n, program in programs.items() for subject in expected}
    sources = [program.source() for program in emitted.values()]
    interpreted = {(n, subject): _interpreted(subject, programs[n]) for n, subject in emitted}
    counts = {key: found.operations for key, (_, found) in interpreted.items()}
    kinds = {key: found.by_kind for key, (_, found) in interpreted.items()}
    records = _series(suite, case, OPERATIONS, counts, kinds, against, expected, fixed)
    for level in native.LEVELS:
        name, labels = f"{case}-{level}", {"level": level, "toolchain": series}
        profiles = callgrind.count_many(sources, level)
        counts = {key: profile.instructions for key, profile in zip(emitted, profiles, strict=True)}
        records += _series(suite, name, INSTRUCTIONS, counts, kinds, against, expected, fixed, labels)
        wrong = [key for key, program in emitted.items() if not _agree(program.run(level), interpreted[key][0])]
        claim = f"compiled programs whose results are not the interpreted ones to {CLOSE:g}"
        records.append(bounded(suite, name, {**fixed, against: max(sizes)}, claim, 0, len(wrong)))
    return records


def _agree(found: Any, expected: Any) -> bool:
    """Whether numbers in nested tuples are those expected."""
    if isinstance(expected, tuple):
        return all(_agree(a, b) for a, b in zip(found, expected, strict=True))
    return isclose(found, expected, rel_tol=CLOSE)


def _emitted(subject: str, program: Program) -> compiled.Emitted:
    point = families.at_ones(program)
    if subject == "source":
        return compiled.value(program, point)
    return compiled.gradient(TRANSFORMATIONS[subject], program, point, full(typecheck(program), 1.0))


def _interpreted(subject: str, program: Program) -> tuple[Any, Counts]:
    """What a compiled program should result in, and what it performs."""
    point = families.at_ones(program)
    if subject == "source":
        result, counts = value(program, point)
        return result, counts
    found = gradient(TRANSFORMATIONS[subject], program, point, full(typecheck(program), 1.0))
    return (found.primal, tuple(found.cotangent.values())), found.counts


def _series(
    suite: str,
    case: str,
    metric: str,
    values: Mapping[tuple[int, str], int],
    kinds: Mapping[tuple[int, str], Mapping[str, int]],
    against: str,
    expected: Mapping[str, int],
    fixed: Mapping[str, int],
    labels: Mapping[str, str] | None = None,
) -> list[Record]:
    """One measure at all sizes, and its growth; of operations nothing is claimed here, other suites do that.

    `kinds` are the operations by kind, of instructions too: they say what more there is to execute.
    """
    sizes = list(dict.fromkeys(n for n, _ in values))
    key = {"suite": suite, "case": case, **(labels or {})}
    records: list[Record] = [
        {
            "kind": "measurement", **key, "sizes": {**fixed, against: n}, "subject": subject, "metric": metric,
            "value": count, "unit": metric, "source_value": values[n, "source"],
            "ratio": count / values[n, "source"], "by_kind": kinds[n, subject],
        }
        for (n, subject), count in values.items()
    ]  # fmt: skip
    for subject, exponent in expected.items():
        slope = growth(sizes, [values[n, subject] for n in sizes])
        claim = None if metric == OPERATIONS else exponent
        records.append(
            {
                "kind": "fit", **key, "subject": subject, "metric": metric, "against": against, "points": len(sizes),
                "expected": claim,
                "exponent": slope and slope.exponent, "low": slope and slope.low, "high": slope and slope.high,
                "holds": None if claim is None else bool(slope and abs(slope.exponent - claim) <= TOLERANCE),
                "polynomial": None,
            }
        )  # fmt: skip
    return records
