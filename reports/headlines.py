"""The figures that README begins with, beside those that others have published; and the tutorial's table of code.

Ours are records of a run. Those of others are constants of this module, each with its source. Instruction counts are of
one toolchain, which is named below each table: another gives other counts.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from reports.errors import NotMeasured
from reports.sweeps import WORKLOADS, Record, of_kind

LEVEL = "O0"
"""The level of optimisation of the headlines, for others have published counts of code that is not optimised."""

TUTORIAL = "sigmoid-square-in-n"
"""The family of the term that the tutorial follows."""

LARGEST = "t_48"
"""The largest of the programs whose cost in the theorem's model is published."""

COURSE = "the course"
BAUR_STRASSEN = "after Baur and Strassen 1983"
EFFICIENT_CHAD = "Smeding and Vákár 2024, equation 7, as proved in Agda"

COURSE_RATIOS = {"attention": "0.48", "transformer": "1.11"}
"""What the course counted for a generated gradient, to the hand-derived one: whole programs, start-up included."""

COURSE_MUTANTS = "24"


def _shown(records: Sequence[Record]) -> list[Record]:
    """The records that the tables are made of."""
    return [record for record in records if _is_shown(record)]


def _is_shown(record: Record) -> bool:
    match record:
        case {"kind": "measurement", "suite": "workloads", "metric": "instructions", "level": level}:
            return level == LEVEL and record["subject"] == "generated"
        case {"kind": "measurement", "suite": "native", "metric": "operations" | "instructions", "case": case}:
            return case.startswith(TUTORIAL)
        case {"kind": "bound", "suite": "random", "case": "one-real"}:
            return True
        case {"kind": "bound", "suite": "theorem", "case": "figures", "claim": claim}:
            return claim.startswith(f"{LARGEST}: transformed cost <=")
        case {"kind": "bound", "suite": "theorem", "case": "search", "claim": claim}:
            return claim.endswith("found: ratio to cost(t)")
    return False


def table(records: Sequence[Record], mutation: Sequence[Record]) -> str:
    """Markdown: each figure, ours beside the published one, and the toolchain. Raises NotMeasured."""
    (summary,), records = of_kind(mutation, "summary"), _shown(records)
    drawn, witness = (
        _one(records, "bound", suite="random", case="one-real", claim=claim)
        for claim in (
            "largest ratio: accumulator operations to source operations",
            "ratio on a witness that the bound is tight",
        )
    )
    bound = _one(records, "bound", suite="theorem", case="figures")
    constant = _one(records, "bound", suite="theorem", case="search")
    judged = summary["mutants"] - len(summary["equivalent"])
    rows = [
        *[_workload(records, name) for name in ("attention", "layernorm", "transformer")],
        (
            "operations, value and gradient to value, the largest seen",
            f"{witness['value']:.2f} of a program made for it; {drawn['value']:.2f} of {drawn['sizes']['programs']:,} "
            "random ones",
            f"at most {witness['limit']} ({BAUR_STRASSEN})",
        ),
        (
            f"cost in the efficiency theorem's model of a product of {LARGEST[2:]} factors",
            f"{bound['value']:,}",
            f"at most {bound['limit']:,} ({EFFICIENT_CHAD})",
        ),
        (
            "the theorem's constant, the largest need that a search has found",
            f"{constant['value']:.1f}",
            f"{constant['limit']} (the same)",
        ),
        ("wrong versions that the checks notice", f"{summary['caught']} of {judged}", f"{COURSE_MUTANTS} ({COURSE})"),
    ]
    return f"{_markdown(('', 'here', 'published'), rows)}\n\n{_instructions(records)}"


def _workload(records: Sequence[Record], name: str) -> tuple[str, str, str]:
    plain, exact, best = (
        _one(records, "measurement", suite=WORKLOADS, case=f"{name}{level}-{LEVEL}")
        for level in ("", "-exact", "-reassociate")
    )
    ours = (
        f"{plain['hand_ratio']:.2f}; both simplified {exact['hand_ratio']:.2f}, both reassociated "
        f"{best['hand_ratio']:.2f}; it alone simplified {exact['value'] / plain['hand_value']:.2f}"
    )
    published = COURSE_RATIOS.get(name)
    return f"gradient of {name}, generated to hand-derived", ours, f"{published} ({COURSE})" if published else ""


def _instructions(records: Sequence[Record]) -> str:
    toolchain = _one(records, "measurement", suite=WORKLOADS, case=f"attention-{LEVEL}")["toolchain"]
    return textwrap.fill(
        f"The first three rows are ratios of instructions executed, compiled with -{LEVEL} by {toolchain}: of both "
        "programs as they are, of both treated alike, and of the generated one simplified to the other as it is. "
        "*Simplified*: by rewrites that leave every bit of the results. *Reassociated*: also by what holds for real "
        "numbers only. The course is the published compiler course whose matrix language is Mountain Goat; it counted "
        "whole programs, we count the region that computes: compare ratios.",
        120,
    )


def code(records: Sequence[Record]) -> str:
    """Markdown: operations and instructions of the tutorial's term, as more variables stand in scope."""
    measured = [r for r in of_kind(_shown(records), "measurement") if r["suite"] == "native"]
    if not measured:
        raise _missing("instructions of the tutorial's term")
    cells: dict[tuple[int, str], dict[tuple[str, str | None], int]] = {}
    for r in measured:
        cells.setdefault((r["sizes"]["n"], r["subject"]), {})[r["metric"], r.get("level")] = r["value"]
    wanted = ("operations", None), ("instructions", "O0"), ("instructions", "O2")
    rows = [
        (f"{n:,}", subject, *(f"{found[measure]:,}" if measure in found else "" for measure in wanted))
        for (n, subject), found in cells.items()
    ]
    columns = "variables in scope", "program", "operations", "instructions, -O0", "instructions, -O2"
    toolchain = next(r["toolchain"] for r in measured if "toolchain" in r)
    return f"{_markdown(columns, rows, ('right', 'left', 'right', 'right', 'right'))}\n\nCounted with {toolchain}."


def _one(records: Sequence[Record], kind: str, **fields: Any) -> Record:
    for record in of_kind(records, kind):
        if all(record.get(name) == value for name, value in fields.items()):
            return record
    raise _missing(", ".join(f"{name} {value}" for name, value in fields.items()))


def _missing(what: str) -> NotMeasured:
    return NotMeasured(
        Path("bench.jsonl"), 0, f"a record of {what}", "none; `adjudge doctor` says if a tool is missing"
    )


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]], aligned: Sequence[str] | None = None) -> str:
    sides = aligned or ["left"] * len(columns)
    return tabulate(rows, columns, tablefmt="pipe", disable_numparse=True, colalign=sides)
