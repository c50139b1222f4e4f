"""The runs of a campaign: the unmutated transformation, what the checks call of it, and every cell of the matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from harness.checks.check import Check, Outcome, Result, judge
from harness.checks.subject import Subject
from harness.records import Record
from mutants import cells
from mutants.coverage import called
from mutants.mutant import Mutant
from mutants.plan import Plan, Ready
from mutants.resume import Journal
from mutants.verdicts import Verdict, verdict

WHERE = 500
"""The most characters that are kept of what shows an error."""

Key = tuple[str, str]


def baseline(ready: Ready, jobs: int, seconds: dict[Key, float]) -> list[Record]:
    """What the checks find on the unmutated transformation, as cells, in the order of the checks."""
    plan = ready.plan
    work = [(("", check.id), partial(_cell, check, plan.subject, ready.prepared[check.id])) for check in plan.checks]
    found = {}
    for done in cells.run(([cell] for cell in work), jobs, plan.timeout):
        found[done.key[1]], seconds[done.key] = _result(done), done.seconds
    return [_record("baseline", None, check, found[check.id]) for check in plan.checks]


def coverage(ready: Ready) -> dict[str, list[str]]:
    """The leaves that each check calls. It runs here, so that every cell starts from a process that is warm."""
    return called([(check, ready.prepared[check.id]) for check in ready.plan.checks], ready.plan.subject)


@dataclass(slots=True)
class Stopping:
    """Where a run ends early: the place of the first mutant whose verdict is not as expected."""

    at: int | None = None


def run(ready: Ready, journal: Journal, jobs: int, stop: Stopping | None = None) -> Iterator[Key]:
    """Run the cells that the journal lacks, each yielded by mutant and check when its result is there.

    A mutant's row runs in a process of its own, where every check has data that no other has. With `stop`, no mutant is
    begun behind the first that turns out not as expected, and its place is filled in.
    """
    plan = ready.plan
    places = {mutant.id: k for k, mutant in enumerate(plan.mutants)}
    checks = {check.id: check for check in plan.checks}
    missing = {m.id: sum((m.id, c.id) not in journal.cells for c in plan.checks) for m in plan.mutants}

    def rows() -> Iterator[list[cells.Cell[Key]]]:
        for k, mutant in enumerate(plan.mutants):
            if not missing[mutant.id]:
                settle(mutant)
            if stop and stop.at is not None and k > stop.at:
                return
            # Applied in each cell anew, so that what a mutant keeps between calls does not outlive a cell.
            yield [
                ((mutant.id, check.id), partial(_mutated, check, mutant, plan.subject, ready.prepared[check.id]))
                for check in plan.checks
                if (mutant.id, check.id) not in journal.cells
            ]

    def settle(mutant: Mutant) -> None:
        if stop and not judged(plan, mutant, journal.cells).as_expected:
            stop.at = min(places[mutant.id], len(places) if stop.at is None else stop.at)

    for done in cells.run(rows(), jobs, plan.timeout):
        mutant, check = done.key
        journal.add(_record("cell", mutant, checks[check], _result(done)), done.seconds)
        missing[mutant] -= 1
        if not missing[mutant]:
            settle(plan.mutants[places[mutant]])
        yield done.key


def judged(plan: Plan, mutant: Mutant, found: dict[Key, Record]) -> Verdict:
    """The verdict on a mutant whose cells are all there."""
    return verdict(mutant, [found[mutant.id, check.id] for check in plan.checks])


def _mutated(check: Check, mutant: Mutant, subject: Subject, prepared: Any) -> Result:
    return _cell(check, mutant.applied(subject), prepared)


def _cell(check: Check, subject: Subject, prepared: Any) -> Result:
    result = judge(check, subject, prepared)
    # The same text in every run: addresses differ between processes.
    where = re.sub(r"0x[0-9a-f]{6,}", "0x...", result.where)
    return Result(result.outcome, None if result.error is None else float(result.error), where[:WHERE])


def _result(done: cells.Done[Key]) -> Result:
    if done.timed_out:
        return Result(Outcome.TIMEOUT, None, "")
    return done.value if done.lost is None else Result(Outcome.CRASH, None, done.lost)


def _record(kind: str, mutant: str | None, check: Check, result: Result) -> Record:
    return {
        "kind": kind, **({} if mutant is None else {"mutant": mutant}), "check": check.id,
        "outcome": str(result.outcome), "error": result.error, "tolerance": check.tolerance,
        "margin": result.margin(check), "where": result.where,
    }  # fmt: skip
