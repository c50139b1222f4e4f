"""The battery on one subject, over seeds: what `adjudge check` reports.

On the transformation as it should be, whatever fails is a false alarm.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context

from harness.checks.check import Check, judge
from harness.checks.subject import Subject
from harness.records import Record

DOES_NOT_APPLY = "does-not-apply"
"""The outcome of a check that asks for what a subject does not have."""

# What a process of the pool works with, set once as it begins.
_CHECKS: tuple[Check, ...] = ()
_SUBJECT = Subject("")


def run(
    checks: Sequence[Check], subject: Subject, seeds: Sequence[int], jobs: int, on_done: Callable[[str], object]
) -> Iterator[list[Record]]:
    """For each seed in turn, a record of each check, in their order. Seeds are shared out among processes.

    `on_done` hears each seed when its records are there.
    """
    # Forked, for a user's function cannot be sent to another process in any other way.
    context = get_context("fork")
    with context.Pool(min(jobs, len(seeds)), initializer=_begin, initargs=(tuple(checks), subject)) as pool:
        for found in pool.imap(_seed, seeds):
            on_done(f"seed {found[0]['seed']}")
            yield found


def _begin(checks: tuple[Check, ...], subject: Subject) -> None:
    global _CHECKS, _SUBJECT
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _CHECKS, _SUBJECT = checks, subject


def _seed(seed: int) -> list[Record]:
    return [one(check, _SUBJECT, seed) for check in _CHECKS]


def one(check: Check, subject: Subject, seed: int) -> Record:
    """What a check finds on a subject, with inputs drawn from a seed; a check that does not apply is not run."""
    asked = {"kind": "check", "seed": seed, "check": check.id, "question": str(check.question)}
    if check.applies(subject):
        result = judge(check, subject, check.prepare(seed))
        outcome, error, margin, where = str(result.outcome), result.error, result.margin(check), result.where
    else:
        outcome, error, margin, where = DOES_NOT_APPLY, None, None, f"needs {check.needs}"
    found = {"outcome": outcome, "error": error, "tolerance": check.tolerance, "margin": margin, "where": where}
    return {**asked, **found}
