"""The runs of a campaign: the unmutated transformation, what the checks call of it, and every cell of the matrix.

What an executor is given, the units, know a plan by name alone. A process makes it ready once: the one that a campaign
runs in before all else, a worker elsewhere when the first unit comes to it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

from harness import forked
from harness.checks.check import Check, Outcome, Result, judge
from harness.checks.subject import Subject
from harness.records import Record, repeatable
from mutants.coverage import called
from mutants.differences import difference
from mutants.mutant import Mutant
from mutants.plan import Named, Plan, Ready, prepare
from mutants.resume import Journal
from mutants.verdicts import Verdict, verdict

WHERE = 500
"""The most characters that are kept of what shows an error."""

SEARCH = 60.0
"""Seconds that the search for a program on which a survivor differs may take."""

Key = tuple[str, str]
Cell = tuple[Record, float]
"""The record of a cell, and the seconds that it took."""

_READY: dict[Named, Ready] = {}
"""The last plan that was made ready in this process."""
_MAKING = Lock()


def make_ready(plan: Plan) -> Ready:
    """Prepare a plan, and have it at hand for the units that are forked from this process. Raises NothingChanged."""
    ready = prepare(plan)
    _READY.clear()
    _READY[plan.named] = ready
    return ready


def _ready(named: Named) -> Ready:
    """The plan of a unit, ready in this process."""
    with _MAKING:
        if named not in _READY:
            coverage(make_ready(named.plan()))
        return _READY[named]


def baseline(pool: Executor, ready: Ready, seconds: dict[Key, float]) -> list[Record]:
    """What the checks find on the unmutated transformation, as cells, in the order of the checks."""
    plan = ready.plan
    work = {check.id: pool.submit(unmutated, plan.named, check.id) for check in plan.checks}
    found = {check: future.result() for check, future in work.items()}
    seconds |= {("", check): spent for check, (_, spent) in found.items()}
    return [record for record, _ in found.values()]


def coverage(ready: Ready) -> dict[str, list[str]]:
    """The leaves that each check calls. It runs here, so that every cell starts from a process that is warm."""
    calls = called([(check, ready.prepared[check.id]) for check in ready.plan.checks], ready.plan.subject)
    gc.unfreeze()
    gc.collect()
    gc.freeze()  # a collection would write to, and so copy, all that this process shares with those forked from it
    return calls


@dataclass(slots=True)
class Stopping:
    """Where a run ends early: the place of the first mutant whose verdict is not as expected."""

    at: int | None = None


def run(pool: Executor, ready: Ready, journal: Journal, stop: Stopping | None = None) -> Iterator[Key]:
    """Run the cells that the journal lacks, each yielded by mutant and check when its result is there.

    A mutant's row runs in a process of its own, where every check has data that no other has. With `stop`, no mutant is
    begun behind the first that turns out not as expected, and its place is filled in.
    """
    plan = ready.plan
    pending = {}

    def settle(place: int) -> None:
        if not stop or (stop.at is not None and stop.at < place):
            return
        if not judged(plan, plan.mutants[place], journal.cells).as_expected:
            stop.at = place

    for place, mutant in enumerate(plan.mutants):
        missing = tuple(check.id for check in plan.checks if (mutant.id, check.id) not in journal.cells)
        if missing:
            pending[pool.submit(row, plan.named, mutant.id, missing)] = place
        else:
            settle(place)
    while pending:
        for future in sorted(wait(pending, return_when=FIRST_COMPLETED).done, key=pending.__getitem__):
            place = pending.pop(future)
            if stop and stop.at is not None and place > stop.at:
                continue
            for cell, seconds in future.result():
                journal.add(cell, seconds)
                yield cell["mutant"], cell["check"]
            settle(place)
        if stop and stop.at is not None:
            for future in [future for future, place in pending.items() if place > stop.at and future.cancel()]:
                del pending[future]


def judged(plan: Plan, mutant: Mutant, found: dict[Key, Record]) -> Verdict:
    """The verdict on a mutant whose cells are all there."""
    return verdict(mutant, [found[mutant.id, check.id] for check in plan.checks])


def differences(pool: Executor, plan: Plan, survivors: Sequence[Verdict]) -> dict[str, Record]:
    """A program on which each survivor differs, where one is found."""
    work = {v.mutant.id: pool.submit(search, plan.named, v.mutant.id) for v in survivors}
    return {mutant: found for mutant, future in work.items() if (found := future.result())}


def row(named: Named, mutant: str, checks: Sequence[str]) -> list[Cell]:
    """The cells of a mutant: a unit of work. Applied in each cell anew, so that what it keeps outlives none."""
    ready = _ready(named)
    plan, mutated = ready.plan, ready.plan.mutant(mutant)
    batch = [
        (check, partial(_mutated, check, mutated, plan.subject, ready.prepared[check.id]))
        for check in map(plan.check, checks)
    ]
    done = forked.run(batch, plan.timeout)
    return [(_record("cell", mutant, each.key, _result(each)), each.seconds) for each in done]


def unmutated(named: Named, check: str) -> Cell:
    """What a check finds on the unmutated transformation: a unit of work."""
    ready = _ready(named)
    plan, asked = ready.plan, ready.plan.check(check)
    (done,) = forked.run([(asked, partial(_cell, asked, plan.subject, ready.prepared[check]))], plan.timeout)
    return _record("baseline", None, asked, _result(done)), done.seconds


def search(named: Named, mutant: str) -> Record | None:
    """A program on which a mutant differs, if one is found: a unit of work. A mutant that hangs or crashes has none."""
    plan = _ready(named).plan
    mutated = plan.mutant(mutant)
    work = partial(_difference, plan.subject, mutated, plan.seed)
    (done,) = forked.run([(mutant, work)], SEARCH)
    return done.value


def _difference(subject: Subject, mutant: Mutant, seed: int) -> Record | None:
    return difference(subject, mutant.applied(subject), seed)


def _mutated(check: Check, mutant: Mutant, subject: Subject, prepared: Any) -> Result:
    return _cell(check, mutant.applied(subject), prepared)


def _cell(check: Check, subject: Subject, prepared: Any) -> Result:
    result = judge(check, subject, prepared)
    error = None if result.error is None else float(result.error)
    return Result(result.outcome, error, repeatable(result.where)[:WHERE])


def _result(done: forked.Done[Any]) -> Result:
    if done.timed_out:
        return Result(Outcome.TIMEOUT, None, "")
    return done.value if done.lost is None else Result(Outcome.CRASH, None, done.lost)


def _record(kind: str, mutant: str | None, check: Check, result: Result) -> Record:
    return {
        "kind": kind, **({} if mutant is None else {"mutant": mutant}), "check": check.id,
        "outcome": str(result.outcome), "error": result.error, "tolerance": check.tolerance,
        "margin": result.margin(check), "where": result.where,
    }  # fmt: skip
