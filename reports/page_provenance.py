"""The part of the page that says where its figures are from: the runs, what they skipped, and the files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reports import page_bench
from reports.layout import Column, Table
from reports.origins import origin
from reports.page import Block, Links, Section, Statement, Statements
from reports.sweeps import Record

LEAD = (
    "Every figure of this page has a title, which names the file and the line of the record that it is from, as in "
    "bench.jsonl:12. Where a cell is in words, the title names the record that decides it. With scripts, a click shows "
    "it too."
)


def sections(bench: Sequence[Record], mutants: Sequence[Record], names: Sequence[str]) -> list[Section]:
    """The last sections of a page: of its runs, and of the files beside it."""
    runs = {name: records[0] for name, records in (("bench", bench), ("mutants", mutants)) if records}
    skipped = page_bench.skipped(bench) if bench else []
    records, others = [], []
    for name in names:
        (records if name.endswith(".jsonl") else others).append(name)
    return [
        Section("provenance", "Provenance", LEAD, (*_differences(runs), _table(runs), *skipped)),
        Section("files", "Files", "The records, a JSON object a line.", (Links(tuple(records)), *_others(others))),
    ]


def _table(runs: dict[str, Record]) -> Table:
    keys = dict.fromkeys(key for run in runs.values() for key in run if key != "kind")
    rows = tuple((key, *(_said(run.get(key)) for run in runs.values())) for key in keys)
    return Table("provenance", "", "The runs", (Column("what"), *map(Column, runs)), rows)


def _said(value: Any) -> Any:
    """A value in one cell; of lists, such as the names of all mutants, only the length."""
    if isinstance(value, list):
        return f"{len(value):,} names"
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry}" for key, entry in value.items())
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


def _differences(runs: dict[str, Record]) -> list[Block]:
    """What the runs do not have in common although they should."""
    found = []
    for key in ("version", "commit", "platform", "toolchain"):
        values = [run.get(key) for run in runs.values()]
        if values[1:] and values[0] != values[1]:
            text = f"The two runs differ in {key}: {values[0]} and {values[1]}."
            found.append(Statement(None, text, ", ".join(map(origin, runs.values()))))
    quick = [name for name, run in runs.items() if run.get("quick")]
    if quick:
        text = f"A quick run of {' and '.join(quick)}: fewer sizes or mutants than a whole one."
        found.append(Statement(None, text, ", ".join(origin(runs[name]) for name in quick)))
    return [Statements(tuple(found))] if found else []


def _others(names: Sequence[str]) -> list[Block]:
    return [Links(tuple(names))] if names else []
