"""The file of a campaign while it runs: results are appended as they come, and a broken run can be continued.

The first line says what the run is a run of; only results of the very same run are taken over. Times are no results:
they stand in a file of their own.

A result is handed to the system before the next is waited for, so that it outlives this process however that ends. It
is not forced to the disk: a machine that loses power may lose the results of its last half minute, or leave damage
there, and they are computed again; to force each to the disk would cost more than to compute it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import Any

from harness.checks.check import Outcome
from harness.records import Record, lines, to_json

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
        self._timings = _Appended(folder / TIMINGS, times)
        self._cells = _Appended(folder / CELLS, [run, *self.cells.values()])

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
        earlier, damaged = _read(folder / CELLS)
        if not earlier:
            self.remark = f"not resumed: there is no earlier run in {folder}"
            return
        then = {key: value for key, value in earlier[0].items() if key not in ("records", "commit")}
        now = {key: value for key, value in json.loads(to_json(run)).items() if key != "commit"}  # `sources` says more
        if different := [key for key in dict.fromkeys((*now, *then)) if now.get(key) != then.get(key)]:
            self.remark = f"not resumed: the earlier run in {folder} was another: its {', '.join(different)} differ"
            return
        if damaged:
            self.remark = f"{folder / CELLS}, line {damaged}: no record; what stands there and behind it is done again"
        self.cells = {(r["mutant"], r["check"]): r for r in earlier if is_cell(r, run["mutants"], run["checks"])}
        times = {(r["mutant"], r["check"]): r["seconds"] for r in _read(folder / TIMINGS)[0] if _is_timing(r)}
        self.seconds = {key: times.get(key, 0.0) for key in self.cells}


def timing(key: tuple[str, str], seconds: float) -> Record:
    return {"kind": "timing", "mutant": key[0], "check": key[1], "seconds": round(seconds, 6)}


class _Appended:
    """A file that grows by a line a record, and at no time holds less than it did, whatever happens."""

    def __init__(self, path: Path, records: Iterable[Record]) -> None:
        self._path = path
        beside = path.with_name(f".{path.name}.new")
        self._file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
        try:
            self._write(lines(records))
            os.replace(beside, path)
        except BaseException:
            os.close(self._file)
            beside.unlink(missing_ok=True)
            raise

    def append(self, record: Record) -> None:
        self._write(to_json(record) + "\n")

    def close(self) -> None:
        os.close(self._file)

    def _write(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None


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


def _read(path: Path) -> tuple[list[Record], int]:
    """The records of a file up to the first line that is none, and that line's number; 0 if all are.

    Its writer may have been killed in the middle of the last line, which is no damage: it does not count.
    """
    try:
        *whole, _ = path.read_bytes().split(b"\n")
    except OSError:
        return [], 0
    found: list[Record] = []
    for number, line in enumerate(whole, 1):
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            return found, number
        if not isinstance(record, dict):
            return found, number
        found.append(record)
    return found, 0
