"""The benchmark run: selected cases, each in a process of its own, their records in a fixed order.

A run has *parts*: each measured case once, and with the repeat case twice. What a part is called, and a part's records,
are kept in a file until the run has ended, see `harness.journal`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

from harness import doctor, forked, records
from harness.journal import Appended, earlier
from harness.provenance import provenance, sources
from harness.records import Record
from harness.suites import SUITES, Case

REPEAT = "repeat/whole-run"
"""The case that runs the others twice: every count must be equal."""

PARTIAL = "bench.partial.jsonl"
"""The file of a run that has not ended."""

TOOLS = ("cc", "musl-gcc", "valgrind")
"""The programs on which records depend."""


def names() -> list[str]:
    """The names of all cases, in the order of their records."""
    return [case.id for case in SUITES] + [REPEAT]


class Kept:
    """The records of the parts of a run, which are in a file as soon as they are there.

    `parts` begins with those that an earlier run of the same code, tools and seed left; with none if `resume` is not
    set or there was no such run. `remark` says why, or that a part of the file is damaged. Raises OSError, with the
    name of the file.
    """

    def __init__(self, folder: Path, seed: int, quick: bool, resume: bool) -> None:
        self._path = folder / PARTIAL
        tools = {name: doctor.look_for(name)[1].version for name in TOOLS}
        run = {**provenance(seed, quick), "sources": sources(), "tools": tools}
        found, self.remark = earlier(self._path, run) if resume else ([], "")
        self.parts: dict[str, list[Record]] = {r["case"]: r["records"] for r in found if _is_part(r)}
        self._file = Appended(self._path, [run, *(_kept(*part) for part in self.parts.items())])

    def add(self, name: str, found: list[Record]) -> None:
        """Keep the records of a part, as whoever reads a file will find them."""
        self.parts[name] = json.loads(records.to_json(found))
        self._file.append(_kept(name, found))

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        """Remove the file of a run that has ended."""
        self._path.unlink()


def parts(selected: Callable[[str], bool]) -> dict[str, int]:
    """The parts of a run of the selected cases, by name, and the place of each part's case among all.

    With the repeat case, every other selected case (every case, if it is the only one) runs a second time.
    """
    every = {case.id: k for k, case in enumerate(SUITES)}
    shown = {name: k for name, k in every.items() if selected(name)}
    if not selected(REPEAT):
        return shown
    measured = shown or every
    return measured | {_again(name): k for name, k in measured.items()}


def run(missing: Mapping[str, int], quick: bool, seed: int, pool: Executor) -> Iterator[tuple[str, list[Record]]]:
    """The name and the records of each of these parts, as they come. Raises what a case raises, and ProcessLost."""
    names = {pool.submit(case_records, k, quick, seed): name for name, k in missing.items()}
    for done in as_completed(names):
        yield names[done], done.result()


def in_order(selected: Callable[[str], bool], found: Mapping[str, list[Record]]) -> list[Record]:
    """The records of the selected cases in the order of `names()`, as far as their parts are there."""
    shown = [record for case in SUITES if selected(case.id) for record in found.get(case.id, ())]
    if selected(REPEAT) and parts(selected).keys() <= found.keys():
        twice = [case for case in SUITES if _again(case.id) in parts(selected)]
        shown += [_repeated(case, found[case.id], found[_again(case.id)]) for case in twice]
    return shown


def findings(found: list[Record]) -> list[Record]:
    """The bounds that are broken and the fits that are not as expected."""
    return [record for record in found if record.get("holds") is False]


def case_records(index: int, quick: bool, seed: int) -> list[Record]:
    """The records of a case: a unit of work."""
    return forked.alone(partial(SUITES[index].records, quick, seed))


def _again(name: str) -> str:
    """The name of a case's second run."""
    return f"{REPEAT}: {name}"


def _kept(name: str, found: list[Record]) -> Record:
    return {"kind": "case", "case": name, "records": found}


def _is_part(record: Any) -> bool:
    """Whether this is a part, as a run writes it; what is not, as after an edit, is done again."""
    of_case = record.get("kind") == "case" and isinstance(record.get("case"), str)
    found = record.get("records")
    return of_case and isinstance(found, list) and all(isinstance(r, dict) and "kind" in r for r in found)


def _repeated(case: Case, first: list[Record], second: list[Record]) -> Record:
    different = sum(records.to_json(a) != records.to_json(b) for a, b in zip(first, second, strict=False))
    different += abs(len(first) - len(second))
    sizes = {"records": len(first)}
    return records.bounded("repeat", case.id, sizes, "records that differ between two runs", 0, different)
