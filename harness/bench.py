"""The benchmark run: selected cases in a pool of processes, their records in a fixed order."""

from __future__ import annotations

import platform
import signal
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import Pool
from pathlib import Path

from harness import records
from harness.records import Record
from harness.suites import SUITES, Case

REPEAT = "repeat/whole-run"
"""The case that runs the others twice: every count must be equal."""


def names() -> list[str]:
    """The names of all cases, in the order of their records."""
    return [case.id for case in SUITES] + [REPEAT]


def provenance(seed: int, quick: bool) -> Record:
    """The first record of a run: what it was a run of, and on what."""
    return {
        "kind": "run",
        "schema": records.SCHEMA,
        "version": _version(),
        "commit": _commit(),
        "seed": seed,
        "quick": quick,
        "platform": f"{platform.system()}-{platform.machine()}",
        "toolchain": f"python-{platform.python_version()} numpy-{version('numpy')}",
    }


def run(
    selected: Callable[[str], bool], quick: bool, seed: int, jobs: int, on_done: Callable[[str], None]
) -> Iterator[list[Record]]:
    """The records of the selected cases, case by case in the order of `names()`.

    `on_done` hears the name of each case when its records are there. With the repeat case, every other selected case
    (every case, if it is the only one) runs a second time in another process. An interrupt ends the workers; it is
    raised again when the records of every case that was done have been yielded.
    """
    repeat = selected(REPEAT)
    shown = [k for k, case in enumerate(SUITES) if selected(case.id)]
    measured = shown or (range(len(SUITES)) if repeat else [])
    # A multiprocessing pool, for its workers are ended with it: those of an executor would first finish their work.
    with Pool(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        first = {k: pool.apply_async(_run_case, (k, quick, seed)) for k in measured}
        second = {k: pool.apply_async(_run_case, (k, quick, seed)) for k in measured} if repeat else {}
        waiting = dict.fromkeys(shown)
        try:
            for k in shown:
                yield first[k].get()
                del waiting[k]
                on_done(SUITES[k].id)
            if repeat:
                yield [_repeated(SUITES[k], first[k].get(), second[k].get()) for k in measured]
                on_done(REPEAT)
        except KeyboardInterrupt:  # keep what is done, in order
            for k in waiting:
                if first[k].ready():
                    yield first[k].get()
            raise


def findings(found: list[Record]) -> list[Record]:
    """The bounds that are broken and the fits that are not as expected."""
    return [record for record in found if record.get("holds") is False]


def _run_case(index: int, quick: bool, seed: int) -> list[Record]:
    return SUITES[index].records(quick, seed)


def _repeated(case: Case, first: list[Record], second: list[Record]) -> Record:
    different = sum(records.to_json(a) != records.to_json(b) for a, b in zip(first, second, strict=False))
    different += abs(len(first) - len(second))
    sizes = {"records": len(first)}
    return records.bounded("repeat", case.id, sizes, "records that differ between two runs", 0, different)


def _version() -> str:
    try:
        return version("adjudge")
    except PackageNotFoundError:
        return "unknown"


def _commit() -> str | None:
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],
            cwd=Path(__file__).parent, capture_output=True, text=True, timeout=5, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
