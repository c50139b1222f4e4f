"""The suites: what is measured, at which sizes, and what it is expected to show.

A suite is a list of cases; a case is a pure function of its parameters that returns records, so cases can run in any
process, and twice. Clocks play no part: every figure is an exact count, or follows from counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from harness import (
    families,
    native_suite,
    needs,
    randomised,
    search_constant,
    simplification_suite,
    theorem,
    workload_suite,
)
from harness.fit import TOLERANCE, growth, polynomial
from harness.records import Record
from transforms.drivers import TRANSFORMATIONS, gradient, tangent, value
from transforms.machines.counting import Counts
from transforms.syntax import Program
from transforms.typecheck import typecheck
from transforms.types import full


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a suite; `run(**parameters)` returns its records. `quick` are the parameters of a quick run."""

    suite: str
    name: str
    run: Callable[..., list[Record]]
    parameters: dict[str, Any]
    quick: dict[str, Any]
    draws: bool = False
    """Whether the case draws something, and `run` takes a seed."""

    @property
    def id(self) -> str:
        return f"{self.suite}/{self.name}"

    def records(self, quick: bool, seed: int) -> list[Record]:
        """Run the case; `seed` is for the cases that draw."""
        parameters = self.parameters | (self.quick if quick else {})
        drawn = {"seed": seed} if self.draws else {}
        return self.run(suite=self.suite, case=self.name, **parameters, **drawn)


def measure(program: Program) -> dict[str, Counts]:
    """The counts of a program at the point of ones, by subject.

    `forward` is one sweep, which has the same counts in every direction.
    """
    point, seed = families.at_ones(program), full(typecheck(program), 1.0)
    counts = {"source": value(program, point)[1], "forward": tangent(program, point, point)[2]}
    return counts | {name: gradient(judged, program, point, seed).counts for name, judged in TRANSFORMATIONS.items()}


def family(
    suite: str,
    case: str,
    sizes: list[int],
    against: str,
    expected: dict[str, int],
    closed_forms: dict[str, str],
    fixed: dict[str, int] | None = None,
    consecutive: int = 2,
) -> list[Record]:
    """Counts of a family at growing sizes, their growth, and the claims they bear out.

    Forward counts are those of a full gradient: one sweep for each input. Polynomials are recognised at nine
    consecutive sizes from `consecutive` on, and must then hold at every size measured.
    """
    build, fixed = families.FAMILIES[suite], fixed or {}
    small = range(consecutive, consecutive + 9)
    measured = {n: _operations(build(**fixed, **{against: n})) for n in sorted({*small, *sizes})}
    records = [record for n in sizes for record in _measurements(suite, case, {**fixed, against: n}, *measured[n])]
    for subject, exponent in expected.items():
        values = {n: operations[subject] for n, (operations, _) in measured.items()}
        found = polynomial(consecutive, [values[n] for n in small])
        if found and any(found(n) != v for n, v in values.items()):
            found = None
        slope = growth(sizes, [values[n] for n in sizes])
        records.append(
            {
                "kind": "fit", "suite": suite, "case": case, "subject": subject, "metric": "operations",
                "against": against, "points": len(sizes), "expected": exponent,
                "exponent": slope and slope.exponent, "low": slope and slope.low, "high": slope and slope.high,
                "holds": bool(slope and abs(slope.exponent - exponent) <= TOLERANCE),
                "polynomial": found and found.text(against),
            }
        )  # fmt: skip
        if subject in closed_forms:
            records.append(
                {
                    "kind": "bound", "suite": suite, "case": case, "sizes": {**fixed, against: sizes[-1]},
                    "claim": f"{subject} operations = {closed_forms[subject]}",
                    "limit": closed_forms[subject], "value": found and found.text(against),
                    "holds": bool(found) and found.text(against) == closed_forms[subject],
                }
            )  # fmt: skip
    return records


def _operations(program: Program) -> tuple[dict[str, int], dict[str, Counts]]:
    """Operations by subject, forward for a full gradient, and all the counts of one run."""
    counts = measure(program)
    sweeps = sum(type_.size for _, type_ in program.context)
    counts["forward"] = counts["forward"].times(sweeps)
    return {subject: c.operations for subject, c in counts.items()}, counts


def _measurements(
    suite: str, case: str, sizes: dict[str, int], operations: dict[str, int], counts: dict[str, Counts]
) -> Iterator[Record]:
    for subject, total in operations.items():
        made = counts[subject].by_kind
        yield {**measurement(suite, case, sizes, subject, "operations", total, operations["source"]), "by_kind": made}
        if subject in TRANSFORMATIONS:
            for metric in ("slot_writes", "peak_slots", "saved"):
                yield measurement(suite, case, sizes, subject, metric, getattr(counts[subject], metric), None)


def measurement(
    suite: str, case: str, sizes: dict[str, int], subject: str, metric: str, value: int, source_value: int | None
) -> Record:
    """One exact count, with its ratio to the source's where that is meaningful."""
    return {
        "kind": "measurement", "suite": suite, "case": case, "sizes": sizes, "subject": subject, "metric": metric,
        "value": value, "unit": "numbers" if metric != "operations" else "operations", "source_value": source_value,
        "ratio": value / source_value if source_value else None,
    }  # fmt: skip


def jacobians(suite: str, case: str, shapes: list[tuple[int, int]]) -> list[Record]:
    """Full Jacobians of n inputs and m results: n forward sweeps against m runs of the backpropagator."""
    records = []
    for n, m in shapes:
        program, sizes = families.jacobian(n, m), {"n": n, "m": m}
        counts = measure(program)
        runs = {"source": 1, "forward": n} | dict.fromkeys(TRANSFORMATIONS, m)
        totals = {subject: counts[subject].times(times) for subject, times in runs.items()}
        source = totals["source"].operations
        records += [
            {
                **measurement(suite, case, sizes, subject, "operations", total.operations, source),
                "by_kind": total.by_kind,
            }
            for subject, total in totals.items()
        ]
    return records


SUITES: tuple[Case, ...] = (
    Case(
        "product", "in-n", family,
        {
            "sizes": [2, 6, 16, 64, 250, 500, 1000, 2000], "against": "n",
            "expected": {"source": 1, "forward": 2, "pointwise": 2, "accumulator": 1},
            "closed_forms": {"forward": "4n^2 - 4n", "pointwise": "3n^2 - 2n - 1", "accumulator": "3n - 3"},
        },
        {"sizes": [2, 6, 16, 64, 250, 500]},
    ),
    Case(
        "square", "in-m", family,
        {
            "sizes": [2, 4, 8, 16, 32, 64, 128], "against": "m", "fixed": {"n": 2048}, "consecutive": 1,
            "expected": {"source": 1, "forward": 1, "pointwise": 1, "accumulator": 1},
            "closed_forms": {"pointwise": "m^2 + 4098m", "accumulator": "4m"},
        },
        {
            "sizes": [2, 4, 8, 16, 32], "fixed": {"n": 512},
            "closed_forms": {"pointwise": "m^2 + 1026m", "accumulator": "4m"},
        },
    ),
    Case(
        "square", "in-n", family,
        {
            "sizes": [128, 256, 512, 1024, 2048, 4096], "against": "n", "fixed": {"m": 8}, "consecutive": 1,
            "expected": {"source": 0, "forward": 1, "pointwise": 1, "accumulator": 0},
            "closed_forms": {"pointwise": "16n + 80", "accumulator": "32"},
        },
        {"sizes": [128, 256, 512, 1024]},
    ),
    Case(
        "sigmoid-square", "in-n", family,
        {
            "sizes": [2, 16, 64, 256, 1024, 4096], "against": "n",
            "expected": {"source": 0, "forward": 1, "pointwise": 1, "accumulator": 0}, "closed_forms": {},
        },
        {"sizes": [2, 16, 64, 256, 1024]},
    ),
    Case(
        "doubling", "in-k", family,
        {
            "sizes": [2, 16, 64, 256, 1000], "against": "k", "consecutive": 1,
            "expected": {"source": 1, "forward": 1, "pointwise": 2, "accumulator": 1},
            "closed_forms": {"accumulator": "2k"},
        },
        {"sizes": [2, 16, 64, 250]},
    ),
    Case(
        "projection", "in-k", family,
        {
            "sizes": [2, 16, 64, 128, 256, 512], "against": "k",
            "expected": {"source": 1, "forward": 2, "pointwise": 2, "accumulator": 1}, "closed_forms": {},
        },
        {"sizes": [2, 16, 64, 128]},
    ),
    Case("random", "one-real", randomised.bound, {"programs": 10_000, "results": 1}, {"programs": 500}, draws=True),
    Case("random", "several-reals", randomised.bound, {"programs": 2_000, "results": 3}, {"programs": 100}, draws=True),
    Case("random", "agreement", randomised.agreement, {"programs": 2_000}, {"programs": 100}, draws=True),
    Case("random", "branching", randomised.branching, {"programs": 500}, {"programs": 50}, draws=True),
    Case("random", "points", randomised.points, {"programs": 500, "points": 20}, {"programs": 50}, draws=True),
    Case("jacobian", "n-by-m", jacobians, {"shapes": [(2, 128), (8, 32), (16, 16), (32, 8), (128, 2)]}, {}),
    Case(
        "theorem", "families", theorem.growing,
        {
            "sizes": {
                "product-in-n": [20, 200, 2_000, 20_001], "square-in-m": [20, 200, 2_000, 20_000],
                "square-in-n": [64, 512, 4_096, 16_384], "sigmoid-square-in-n": [64, 512, 4_096, 16_384],
                "doubling-in-k": [20, 200, 2_000, 20_000], "projection-in-k": [8, 32, 65, 130],
                "jacobian-in-m": [20, 200, 2_000, 20_000],
            },
        },
        {
            "sizes": {
                "product-in-n": [20, 100, 500], "square-in-m": [50, 200, 800], "square-in-n": [512, 2_048, 8_192],
                "sigmoid-square-in-n": [512, 2_048, 8_192], "doubling-in-k": [20, 100, 500],
                "projection-in-k": [8, 16, 32, 48], "jacobian-in-m": [64, 250, 1_000],
            },
        },
    ),
    Case(
        "native", "product-in-n", native_suite.growing,
        {
            "family": "product", "against": "n", "sizes": [20, 200, 1_000, 2_000],
            "expected": {"source": 1, "pointwise": 2, "accumulator": 1},
        },
        {"sizes": [20, 100, 500]},
    ),
    Case(
        "native", "square-in-m", native_suite.growing,
        {
            "family": "square", "against": "m", "sizes": [32, 64, 128, 256], "fixed": {"n": 4_096},
            "expected": {"source": 1, "pointwise": 1, "accumulator": 1},
        },
        {"sizes": [32, 64, 128], "fixed": {"n": 2_048}},
    ),
    Case(
        "native", "square-in-n", native_suite.growing,
        {
            "family": "square", "against": "n", "sizes": [128, 512, 2_048, 4_096], "fixed": {"m": 8},
            "expected": {"source": 0, "pointwise": 1, "accumulator": 0},
        },
        {"sizes": [128, 512, 2_048]},
    ),
    Case(
        "native", "sigmoid-square-in-n", native_suite.growing,
        {
            "family": "sigmoid-square", "against": "n", "sizes": [64, 512, 4_096],
            "expected": {"source": 0, "pointwise": 1, "accumulator": 0},
        },
        {"sizes": [128, 512, 2_048]},
    ),
    Case(
        "native", "doubling-in-k", native_suite.growing,
        {
            "family": "doubling", "against": "k", "sizes": [20, 200, 1_000, 2_000],
            "expected": {"source": 1, "pointwise": 2, "accumulator": 1},
        },
        {"sizes": [20, 100, 500]},
    ),
    Case("theorem", "figures", theorem.figures, {}, {}),
    Case("theorem", "random", theorem.drawn, {"programs": 10_000}, {"programs": 1_000}, draws=True),
    Case("theorem", "needs", needs.table, {"programs": 2_000}, {"programs": 600}, draws=True),
    Case(
        "theorem", "search", search_constant.search,
        {"climbs": 6, "steps": 1_000, "largest": 40, "programs": 1_000},
        {"climbs": 4, "steps": 300, "largest": 24, "programs": 300}, draws=True,
    ),
    Case("workloads", "attention", workload_suite.compared, {"sizes": {"sequences": 24, "width": 3}}, {}),
    Case("workloads", "layernorm", workload_suite.compared, {"sizes": {}}, {}),
    Case("workloads", "transformer", workload_suite.compared, {"sizes": {"sequences": 16, "width": 8}}, {}),
    Case(
        "workload-rewrites", "attention", simplification_suite.cumulative, {"sizes": {"sequences": 24, "width": 3}},
        {"sizes": {"sequences": 2, "width": 2}},
    ),
    Case("workload-rewrites", "layernorm", simplification_suite.cumulative, {"sizes": {}}, {}),
    Case(
        "workload-rewrites", "transformer", simplification_suite.cumulative, {"sizes": {"sequences": 16, "width": 8}},
        {"sizes": {"sequences": 1, "width": 2}},
    ),
    Case(
        "workload-growth", "attention-in-sequences", simplification_suite.growing,
        {"workload": "attention", "against": "sequences", "sizes": [6, 12, 24, 48], "fixed": {"width": 3}},
        {"sizes": [2, 4, 8]},
    ),
    Case(
        "workload-growth", "attention-in-width", simplification_suite.growing,
        {"workload": "attention", "against": "width", "sizes": [3, 6, 12, 24], "fixed": {"sequences": 24}},
        {"sizes": [2, 4], "fixed": {"sequences": 2}},
    ),
    Case(
        "workload-growth", "transformer-in-sequences", simplification_suite.growing,
        {"workload": "transformer", "against": "sequences", "sizes": [4, 8, 16, 32], "fixed": {"width": 8}},
        {"sizes": [1, 2], "fixed": {"width": 2}},
    ),
    Case(
        "workload-growth", "transformer-in-width", simplification_suite.growing,
        {"workload": "transformer", "against": "width", "sizes": [4, 8, 16, 32], "fixed": {"sequences": 16}},
        {"sizes": [2, 4], "fixed": {"sequences": 1}},
    ),
)  # fmt: skip
