"""Records as a bench run would write them, from the known formulas."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

Record = dict[str, Any]
Formula = Callable[[int], int]

RUN: Record = {
    "kind": "run", "schema": 1, "version": "0.1", "commit": "0123abc", "seed": 0, "platform": "x86_64",
    "toolchain": {"cc": "musl-gcc 12", "valgrind": "3.19"},
}  # fmt: skip


def measurement(suite: str, case: str, sizes: dict[str, int], subject: str, value: int, source: int | None) -> Record:
    return {
        "kind": "measurement", "suite": suite, "case": case, "sizes": sizes, "subject": subject, "metric": "operations",
        "value": value, "unit": "operations", "source_value": source, "ratio": value / source if source else None,
    }  # fmt: skip


def family(
    suite: str,
    case: str,
    against: str,
    sizes: list[int],
    fixed: dict[str, int],
    subjects: dict[str, tuple[Formula, int, str]],
) -> list[Record]:
    """Measurements by formula, and a fit of the exponent that the formula has."""
    source = subjects["source"][0]
    records = [
        measurement(suite, case, {**fixed, against: n}, subject, formula(n), source(n))
        for n in sizes
        for subject, (formula, _, _) in subjects.items()
    ]
    fits = [
        {
            "kind": "fit", "suite": suite, "case": case, "subject": subject, "metric": "operations", "against": against,
            "exponent": exponent + 0.001, "low": exponent - 0.002, "high": exponent + 0.003, "points": len(sizes),
            "expected": exponent, "holds": True, "polynomial": text,
        }
        for subject, (_, exponent, text) in subjects.items()
    ]  # fmt: skip
    return records + fits


def bound(suite: str, case: str, claim: str, limit: Any, value: Any, holds: bool = True) -> Record:
    return {
        "kind": "bound", "suite": suite, "case": case, "sizes": {"n": 8}, "claim": claim, "limit": limit,
        "value": value, "holds": holds,
    }  # fmt: skip


PRODUCT = family(
    "product", "in n", "n", [2, 6, 16, 64, 250, 500, 1000, 2000], {},
    {
        "source": (lambda n: n - 1, 1, "n - 1"),
        "forward": (lambda n: n * (4 * n - 4), 2, "4n^2 - 4n"),
        "pointwise": (lambda n: 3 * n * n - 2 * n - 1, 2, "3n^2 - 2n - 1"),
        "accumulator": (lambda n: 3 * n - 3, 1, "3n - 3"),
    },
)  # fmt: skip
SQUARE_IN_M = family(
    "square", "square in m", "m", [2, 4, 8, 16, 32, 64, 128], {"n": 2048},
    {
        "source": (lambda m: m, 1, "m"),
        "forward": (lambda m: 2048 * 4 * m, 1, "8192m"),
        "pointwise": (lambda m: 2 * m * 2048 + m * m + 2 * m, 1, "m^2 + 4098m"),
        "accumulator": (lambda m: 4 * m, 1, "4m"),
    },
)  # fmt: skip
SQUARE_IN_N = family(
    "square", "square in n", "n", [128, 256, 512, 1024, 2048, 4096], {"m": 8},
    {
        "source": (lambda n: 8, 0, "8"),
        "forward": (lambda n: 32 * n, 1, "32n"),
        "pointwise": (lambda n: 16 * n + 80, 1, "16n + 80"),
        "accumulator": (lambda n: 32, 0, "32"),
    },
)  # fmt: skip
DOUBLING = family(
    "doubling", "in k", "k", [2, 16, 64, 256, 1000], {},
    {
        "source": (lambda k: k, 1, "k"),
        "forward": (lambda k: 2 * k, 1, "2k"),
        "pointwise": (lambda k: k * k + 2 * k, 2, "k^2 + 2k"),
        "accumulator": (lambda k: 2 * k, 1, "2k"),
    },
)  # fmt: skip
JACOBIAN = [
    measurement("jacobian", "n by m", {"n": n, "m": m}, subject, count, n - 1 + m)
    for n, m in [(2, 128), (8, 32), (16, 16), (32, 8), (128, 2)]
    for subject, count in {
        "source": n - 1 + m,
        "forward": n * 4 * (n - 1 + m),
        "pointwise": m * 3 * (n + m) ** 2,
        "accumulator": m * (3 * (n - 1) + 4 * m),
    }.items()
]
CLASSIFIERS = [
    measurement("classifiers", case, {"batch": 8}, subject, count, source)
    for case, source in {"one layer": 51_200, "two layers": 104_096}.items()
    for subject, count in {"source": source, "accumulator": 3 * source}.items()
]
WORKLOADS = [
    {
        "kind": "measurement", "suite": "workloads", "case": case + suffix, "sizes": {"sequences": 8}, **label,
        "subject": subject, "metric": metric, "value": factor * loss, "unit": "",
        "source_value": loss, "ratio": float(factor), "hand_ratio": factor / 4 if subject == "generated" else None,
    }
    for case, instructions in {"attention": 294_877, "transformer": 6_828_405}.items()
    for metric, suffix, label, loss in (
        ("peak_bytes", "", {}, 400_000), ("lets", "", {}, 60), ("source_bytes", "", {}, 160_000),
        ("instructions", "-O2", {"level": "O2"}, instructions // 3),
        ("instructions", "-O0", {"level": "O0"}, instructions),
    )
    for subject, factor in {"source": 1, "hand-derived": 4, "generated": 3}.items()
]  # fmt: skip
BOUNDS = [
    bound("product", "in n", "accumulator operations = 3n - 3", "3n - 3", "3n - 3"),
    bound("random", "one real", "operations <= 5 * source", 5, 3.5),
    bound("random", "one real", "operations <= 5 * source", 5, 4.2),
    bound("random", "one real", "operations <= 5 * source", 5, 2),
]
NEEDS: list[Record] = [
    {
        "kind": "need", "suite": "theorem", "case": "needs", "construct": construct, "cotangent": cotangent,
        "cost": cost, "change": change, "value": cost + change, "limit": 34, "holds": True,
    }
    for construct, cotangent, cost, change in (("mul", "present", 26, 2), ("pair", "absent", 32, 1))
]  # fmt: skip
STATISTICS: Record = {"kind": "statistics", "suite": "random", "case": "agreement", "samples": 100}
SKIPS: list[Record] = [
    {
        "kind": "skip", "suite": "native", "what": "instruction counts of compiled gradients",
        "reason": "valgrind is not installed", "fix": "apt-get install --yes valgrind musl-tools",
    },
]  # fmt: skip


@pytest.fixture
def records() -> list[Record]:
    """A whole run, which a test may change."""
    whole = [
        RUN, *PRODUCT, BOUNDS[0], *SQUARE_IN_M, *SQUARE_IN_N, *DOUBLING, *BOUNDS[1:], STATISTICS, *JACOBIAN, *SKIPS,
        *CLASSIFIERS, *WORKLOADS, *NEEDS,
    ]  # fmt: skip
    return deepcopy(whole)
