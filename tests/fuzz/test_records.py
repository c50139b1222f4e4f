"""Hostile files of records, and whoever reads them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from harness.baseline import compare
from reports import plots, schema, tables
from reports.errors import RecordsError
from tests.fuzz.mutations import damaged, edited, spelt
from tests.fuzz.trial import command, limits, tries
from tests.reports import conftest, mutation_records

Record = dict[str, Any]
Files = dict[str, bytes]

BENCH: list[Record] = [
    conftest.RUN, *conftest.PRODUCT[:9], *conftest.PRODUCT[-4:], *conftest.BOUNDS, conftest.STATISTICS,
    *conftest.JACOBIAN[:4], *conftest.SKIPS, *conftest.WORKLOADS, *conftest.NEEDS,
]  # fmt: skip
MUTANTS = mutation_records.records()
GENERIC: list[Record] = [
    {"kind": "run", "schema": 1, "version": "0.1", "commit": None, "files": ["a.py"], "records": 5},
    {
        "kind": "generic", "mutant": "x", "path": "a.py", "function": "f", "line": 3, "removed": "a + b",
        "added": "a - b", "outcome": "survived", "by": "", "accepted": None, "as_expected": False,
    },
    {"kind": "stale", "path": "a.py", "function": "f", "removed": "a", "added": "b", "reason": "equivalent"},
    {"kind": "generic-rule", "rule": "mul", "fields": {"shape": 0, "pullback": 2, "tangent": 1, "cost": 3}, "own": 1},
    {"kind": "unseen", "path": "a.py", "what": "a lambda", "line": 3, "why": "no function"},
    {"kind": "generic-summary", "mutants": 1, "accepted": 0, "new": ["x"], "stale": 1, "rules_without": []},
]  # fmt: skip
KINDS = {"bench.jsonl": schema.BENCH, "mutants.jsonl": schema.MUTANTS, "mutmut.jsonl": schema.GENERIC}
RECORDS = {"bench.jsonl": BENCH, "mutants.jsonl": MUTANTS, "mutmut.jsonl": GENERIC}


def file(rng: Random, records: Sequence[Record]) -> bytes:
    """The file of a run with a few records edited, missing, doubled or out of order, or a few bytes damaged."""
    records = list(records)
    for _ in range(rng.choice((0, 1, 1, 2))):
        i, k = rng.randrange(len(records)), rng.randrange(len(records))
        match rng.randrange(8):
            case 0:
                del records[i]
                records = records or [{}]
            case 1:
                records.insert(k, records[i])
            case 2:
                records[i], records[k] = records[k], records[i]
            case _:
                records[i] = edited(rng, records[i])
    if rng.random() < 0.7 and isinstance(records[0], dict):
        records[0] = {**records[0], "records": len(records) - 1}
    lines = [json.dumps(record) if rng.random() < 0.98 else spelt(rng, record).decode("latin-1") for record in records]
    data = "".join(line + "\n" for line in lines).encode()
    return damaged(rng, data) if rng.random() < 0.2 else data


def files(rng: Random) -> Files:
    """One hostile file, sometimes beside another that is as it was written."""
    hostile, other = rng.sample([*RECORDS], 2)
    whole = "".join(json.dumps(record) + "\n" for record in RECORDS[other]).encode()
    return {hostile: file(rng, RECORDS[hostile])} | (
        {other: whole} if other == "mutmut.jsonl" or rng.random() < 0.1 else {}
    )


def in_folder(files: Files, attempt: Callable[[Path], str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        return attempt(Path(folder))


def read(folder: Path) -> str:
    """Tables, plots and the comparison of a bench run are made of whatever is read."""
    (name,) = (path.name for path in folder.iterdir())
    records = schema.read(folder / name, KINDS[name])
    if name == "bench.jsonl":
        tables.bench(records)
        plots.families(records)
        compare(BENCH[1:], records, 0.0)
        compare(records[1:], BENCH, 5.0)
    return "read"


@limits
def test_files_are_refused_with_their_line_or_read():
    def one(rng: Random) -> Files:
        name = rng.choice([*RECORDS])
        return {name: file(rng, RECORDS[name])}

    outcomes = tries(one, lambda given: in_folder(given, read), (RecordsError,), r"/.*\.jsonl, line [1-9]")
    assert min(outcomes["read"], outcomes["refused"]) > outcomes.total() / 20


@limits
def test_a_page_is_made_or_the_file_at_fault_is_named():
    outcomes = tries(files, lambda given: in_folder(given, lambda folder: command("report", "--out", str(folder))))
    assert outcomes["GOOD"] and outcomes["FINDING"]
