"""The battery on one subject, over seeds: what `adjudge check` reports.

On the transformation as it should be, whatever fails is a false alarm. A subject may be anybody's, and hang, or end its
process: that is an outcome of the check that was asking, and the others are run all the same.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial

from harness import forked
from harness.checks.check import Check, Outcome, Result, judge
from harness.checks.subject import Subject
from harness.executor import executor
from harness.records import Record

DOES_NOT_APPLY = "does-not-apply"
"""The outcome of a check that asks for what a subject does not have."""

TIMEOUT = 60.0
"""Seconds that a check may take, its preparation included. The slowest takes less than one on the transformation as it
should be; the rest is for subjects that compile every program that they are given."""


def run(
    checks: Sequence[Check], subject: Subject, seeds: Sequence[int], jobs: int, on_done: Callable[[str], object]
) -> Generator[list[Record], None, None]:
    """For each seed in turn, a record of each check, in their order. Seeds run side by side, `jobs` at a time.

    Each has a forked process of its own, so that a subject need not be picklable, and what it keeps for one seed is
    nothing to another. `on_done` hears each seed when its records are there.
    """
    deepest = sys.getrecursionlimit()
    with executor(min(jobs, len(seeds))) as pool:
        for seed, future in [(seed, pool.submit(_seed, checks, subject, seed, deepest)) for seed in seeds]:
            found = future.result()
            on_done(f"seed {seed}")
            yield found


def _seed(checks: Sequence[Check], subject: Subject, seed: int, deepest: int) -> list[Record]:
    batch = [(check, partial(forked.caught, partial(_cell, check, subject, seed, deepest))) for check in checks]
    with closing(forked.run(batch, TIMEOUT)) as ended:
        return [_ended(done, seed) for done in ended]


def _cell(check: Check, subject: Subject, seed: int, deepest: int) -> Record:
    """What a check finds, in a process where a subject has what it had, or asked for, when it was loaded."""
    sys.setrecursionlimit(deepest)
    gc.enable()  # nobody knows how much a subject keeps in cycles
    return one(check, subject, seed)


def _ended(done: forked.Done[Check], seed: int) -> Record:
    """The record of a check that has ended, or was ended. Raises what its preparation raised."""
    if done.lost is None:
        return forked.given(done.value)
    if done.timed_out:
        return _judged(done.key, seed, Result(Outcome.TIMEOUT, None, f"nothing within {TIMEOUT:g} seconds"))
    return _judged(done.key, seed, Result(Outcome.CRASH, None, f"its process {done.lost}"))


def one(check: Check, subject: Subject, seed: int) -> Record:
    """What a check finds on a subject, with inputs drawn from a seed; a check that does not apply is not run."""
    if not check.applies(subject):
        return _record(check, seed, DOES_NOT_APPLY, None, None, f"needs {check.needs}")
    return _judged(check, seed, judge(check, subject, check.prepare(seed)))


def _judged(check: Check, seed: int, result: Result) -> Record:
    return _record(check, seed, str(result.outcome), result.error, result.margin(check), result.where)


def _record(check: Check, seed: int, outcome: str, error: float | None, margin: float | None, where: str) -> Record:
    return {
        "kind": "check", "seed": seed, "check": check.id, "question": str(check.question),
        "outcome": outcome, "error": error, "tolerance": check.tolerance, "margin": margin, "where": where,
    }  # fmt: skip
