"""A run compared with an earlier one: exact counts and growth must be no worse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.records import Record

CULPRITS = 5
"""How many parts of a count that has grown are named."""


def compare(found: Sequence[Record], earlier: Sequence[Record], percent: float) -> list[Record]:
    """Bounds that a run keeps to or breaks: first in sum, then each count and exponent that is worse, with what it grew
    by, as far as the records say: the kinds of operations, or the lines of the program.

    A count may exceed the earlier one by `percent` per cent; an exponent may not exceed the earlier interval. What only
    one of the runs measured is not compared, nor are seconds, nor instructions of different toolchains.
    """
    counts = {_key(record): record for record in earlier if _is_count(record)}
    highs = {_key(record): record["high"] for record in earlier if record["kind"] == "fit"}
    compared = different = 0
    worse = []
    for record in found:
        key = _key(record)
        if _is_count(record) and key in counts:
            compared += 1
            limit = counts[key]["value"]
            different += record["value"] != limit
            if record["value"] > limit * (1 + percent / 100):
                culprits = _culprits(record, counts[key])
                worse.append({**_worse(record, record["metric"], limit, record["value"]), "culprits": culprits})
        elif record["kind"] == "fit" and highs.get(key) is not None and record["exponent"] is not None:
            compared += 1
            if record["exponent"] > highs[key] + 1e-9:
                worse.append(_worse(record, "exponent", highs[key], record["exponent"]))
    total = {
        "kind": "bound", "suite": "baseline", "case": "in all", "sizes": {"compared": compared, "different": different},
        "claim": f"figures worse than the baseline's by more than {percent:g} %", "limit": 0, "value": len(worse),
        "holds": not worse,
    }  # fmt: skip
    return [total, *worse]


def _is_count(record: Record) -> bool:
    return record["kind"] == "measurement" and record["metric"] != "seconds"


def _key(record: Record) -> tuple[Any, ...]:
    sizes = tuple(sorted(record.get("sizes", {}).items()))
    named = [record.get(name) for name in ("kind", "suite", "case", "subject", "metric", "toolchain")]
    return (*named, sizes)


def _culprits(record: Record, earlier: Record) -> list[str]:
    """What a count has grown by: kinds of operations, or lines of the program, whatever their numbers are now."""
    grown = []
    for parts, name in (("by_kind", str), ("by_line", _statement)):
        before, now = _added(earlier.get(parts, {}), name), _added(record.get(parts, {}), name)
        grown += [(n - before[part], f"{part}, {before[part]} -> {n}") for part, n in now.items() if n > before[part]]
    return [text for _, text in sorted(grown, key=lambda one: -one[0])[:CULPRITS]]


def _added(parts: Mapping[str, int], name: Callable[[str], str]) -> Counter[str]:
    """The sums of parts that have one name."""
    sums: Counter[str] = Counter()
    for part, n in parts.items():
        sums[name(part)] += n
    return sums


def _statement(line: str) -> str:
    """A line without its number: lines move when others are added before them."""
    return line.partition(": ")[2]


def _worse(record: Record, what: str, limit: float, value: float) -> Record:
    return {
        "kind": "bound", "suite": "baseline", "case": f"{record['suite']}/{record['case']}",
        "sizes": record.get("sizes", {}), "claim": f"{record['subject']} {what} <= the baseline's",
        "limit": limit, "value": value, "holds": False,
    }  # fmt: skip
