"""The benchmark run: selected cases, each in a process of its own, their records in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial

from harness import forked, records
from harness.records import Record
from harness.suites import SUITES, Case

REPEAT = "repeat/whole-run"
"""The case that runs the others twice: every count must be equal."""


def names() -> list[str]:
    """The names of all cases, in the order of their records."""
    return [case.id for case in SUITES] + [REPEAT]


def run(
    selected: Callable[[str], bool], quick: bool, seed: int, pool: Executor, on_done: Callable[[str], None]
) -> Iterator[list[Record]]:
    """The records of the selected cases, case by case in the order of `names()`.

    `on_done` hears the name of each case when its records are there. With the repeat case, every other selected case
    (every case, if it is the only one) runs a second time in another process. An interrupt is raised again when the
    records of every case that was done have been yielded. Raises what a case raises, and ProcessLost.
    """
    repeat = selected(REPEAT)
    shown = [k for k, case in enumerate(SUITES) if selected(case.id)]
    measured = shown or (range(len(SUITES)) if repeat else [])
    first = {k: pool.submit(case_records, k, quick, seed) for k in measured}
    second = {k: pool.submit(case_records, k, quick, seed) for k in measured} if repeat else {}
    waiting = dict.fromkeys(shown)
    try:
        for k in shown:
            yield first[k].result()
            del waiting[k]
            on_done(SUITES[k].id)
        if repeat:
            yield [_repeated(SUITES[k], first[k].result(), second[k].result()) for k in measured]
            on_done(REPEAT)
    except KeyboardInterrupt:  # keep what is done, in order
        for k in waiting:
            if first[k].done() and not first[k].cancelled() and not first[k].exception():
                yield first[k].result()
        raise


def findings(found: list[Record]) -> list[Record]:
    """The bounds that are broken and the fits that are not as expected."""
    return [record for record in found if record.get("holds") is False]


def case_records(index: int, quick: bool, seed: int) -> list[Record]:
    """The records of a case: a unit of work."""
    return forked.alone(partial(SUITES[index].records, quick, seed))


def _repeated(case: Case, first: list[Record], second: list[Record]) -> Record:
    different = sum(records.to_json(a) != records.to_json(b) for a, b in zip(first, second, strict=False))
    different += abs(len(first) - len(second))
    sizes = {"records": len(first)}
    return records.bounded("repeat", case.id, sizes, "records that differ between two runs", 0, different)
