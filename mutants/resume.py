"""The file of a campaign while it runs: results are appended as they come, and a broken run can be continued.

`harness.journal` says what is taken over, and what is durable. Times are no results: they stand in a file of their own.
"""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import Any

from harness.checks.check import Outcome
from harness.journal import Appended, earlier, read
from harness.records import Record

CELLS, TIMINGS = "mutants.jsonl", "timings.jsonl"
CELL = {"mutant", "check", "outcome", "error", "tolerance", "margin", "where"}
"""What the record of a cell holds besides its kind."""


class Journal:
    """Where the results of a run go while it runs.

    `cells` holds those of an earlier, broken run, by mutant and check, and `seconds` their times; both are empty if
    there is none, or if it was a run of something else. `remark` says why, or that a part of the file is damaged.
    Raises OSError, with the name of the file.
    """

    def __init__(self, folder: Path, run: Record, resume: bool) -> None:
        self.cells: dict[tuple[str, str], Record] = {}
        self.seconds: dict[tuple[str, str], float] = {}
        self.remark = ""
        if resume:
            self._take_over(folder, run)
        folder.mkdir(parents=True, exist_ok=True)
        times = [timing(key, spent) for key, spent in self.seconds.items()]
        self._timings = Appended(folder / TIMINGS, times)
        self._cells = Appended(folder / CELLS, [run, *self.cells.values()])

    def add(self, cell: Record, seconds: float) -> None:
        """Keep a result; it is in the file when this returns."""
        key = cell["mutant"], cell["check"]
        self.cells[key], self.seconds[key] = cell, seconds
        self._timings.append(timing(key, seconds))
        self._cells.append(cell)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._cells.close()
        self._timings.close()

    def _take_over(self, folder: Path, run: Record) -> None:
        found, self.remark = earlier(folder / CELLS, run)
        self.cells = {(r["mutant"], r["check"]): r for r in found if is_cell(r, run["mutants"], run["checks"])}
        times = {(r["mutant"], r["check"]): r["seconds"] for r in read(folder / TIMINGS)[0] if _is_timing(r)}
        self.seconds = {key: times.get(key, 0.0) for key in self.cells}


def timing(key: tuple[str, str], seconds: float) -> Record:
    return {"kind": "timing", "mutant": key[0], "check": key[1], "seconds": round(seconds, 6)}


def is_cell(record: Any, mutants: Collection[str], checks: Collection[str]) -> bool:
    """Whether this is a cell of these, as a run writes it; what is not, as after an edit, is done again."""
    if not isinstance(record, dict) or record.get("kind") != "cell" or not record.keys() >= CELL:
        return False
    of_run = record["mutant"] in mutants and record["check"] in checks
    measures = all(_is_measure(record[name]) for name in ("error", "tolerance", "margin"))
    return of_run and measures and record["outcome"] in list(Outcome) and isinstance(record["where"], str)


def _is_measure(value: Any) -> bool:
    return value is None or value in ("nan", "inf", "-inf") or (isinstance(value, float) and isfinite(value))


def _is_timing(record: Record) -> bool:
    texts = isinstance(record.get("mutant"), str) and isinstance(record.get("check"), str)
    return texts and isinstance(record.get("seconds"), float)
