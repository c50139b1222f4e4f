"""The campaign: every mutant against every check, none skipped after the first kill.

What does not depend on a mutant is prepared once. The unmutated transformation goes first, and where it fails no mutant
is run. Then every mutant's row runs in a process of its own, forked from this one. What comes out does not depend on
how many run at a time, nor on whether the run was broken and continued; times do, and are kept apart.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from harness.bench import provenance
from harness.records import Record, to_json
from harness.status import Status
from mutants import cells, running, summary
from mutants.differences import difference
from mutants.mutant import Mutant
from mutants.plan import Plan, Ready, prepare
from mutants.resume import Journal, sources, timing
from mutants.verdicts import Verdict, status

SEARCH = 60.0
"""Seconds that the search for a program on which a survivor differs may take."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The records of a campaign, its times, and what it ends with."""

    records: list[Record]
    timings: list[Record]
    status: Status


def conduct(
    plan: Plan,
    folder: Path,
    jobs: int,
    *,
    quick: bool = False,
    resume: bool = False,
    stop_first: bool = False,
    fail_under: float | None = None,
    rules: Mapping[str, Mapping[str, int]] | None = None,
    say: Callable[[str], object] = lambda text: None,
    on_done: Callable[[str], object] = lambda name: None,
) -> Finished:
    """Run a plan; results are appended to files in `folder` as they come.

    `resume` takes over what an earlier run of the same plan left there. With `stop_first`, the mutants end with the
    first that is not as expected. `rules` says how many mutants of the catalogue replace each field of each rule.
    `say` hears what a reader should know, `on_done` the name of each cell when its result is there. An interrupt leaves
    the files as they are.
    """
    run = {
        **provenance(plan.seed, quick), "sources": sources(), "timeout": plan.timeout,
        "mutants": [mutant.id for mutant in plan.mutants], "checks": [check.id for check in plan.checks],
    }  # fmt: skip
    phases: dict[str, float] = {}
    with Journal(folder, run, resume) as journal:
        if journal.fresh:
            say(f"not resumed: {journal.fresh}")
        began = time.perf_counter()
        ready = prepare(plan)
        phases["prepare"], began = time.perf_counter() - began, time.perf_counter()
        seconds: dict[running.Key, float] = {}
        baseline = running.baseline(ready, jobs, seconds)
        if (found := status(baseline, ())) is Status.BASELINE_FAILED:
            records = [{**run, "records": len(baseline)}, *baseline]
            return Finished(_as_read(records), [timing(key, seconds[key]) for key in seconds], found)
        calls = running.coverage(ready)
        phases["baseline"], began = time.perf_counter() - began, time.perf_counter()
        stop = running.Stopping() if stop_first else None
        for mutant, check in running.run(ready, journal, jobs, stop):
            on_done(f"{mutant} / {check}")
        phases["cells"], began = time.perf_counter() - began, time.perf_counter()
        if stop and stop.at is not None:
            plan = replace(plan, mutants=plan.mutants[: stop.at + 1])
        verdicts = [running.judged(plan, mutant, journal.cells) for mutant in plan.mutants]
        # Of a mutant that does not end it is known where it differs.
        differences = _differences(ready, [v for v in verdicts if v.survived and not v.timeouts], jobs)
        records = summary.records(plan, run, baseline, calls, journal.cells, verdicts, differences, rules or {})
        phases["summary"] = time.perf_counter() - began
        seconds |= {(m.id, c.id): journal.seconds[m.id, c.id] for m in plan.mutants for c in plan.checks}
    timings = [timing(key, spent) for key, spent in sorted(seconds.items())]
    timings += [{"kind": "phase", "phase": name, "seconds": round(spent, 3)} for name, spent in phases.items()]
    return Finished(_as_read(records), timings, status(baseline, verdicts, fail_under))


def _differences(ready: Ready, survivors: Sequence[Verdict], jobs: int) -> dict[str, Record]:
    """A program on which each survivor differs, where one is found; in cells, for a survivor may hang or crash."""

    subject, seed = ready.plan.subject, ready.plan.seed

    def search(mutant: Mutant) -> Record | None:
        return difference(subject, mutant.applied(subject), seed)

    work = ([(v.mutant.id, partial(search, v.mutant))] for v in survivors)
    return {done.key: done.value for done in cells.run(work, jobs, SEARCH) if done.value}


def _as_read(records: Sequence[Record]) -> list[Record]:
    """The records as whoever reads the file will find them."""
    return [json.loads(to_json(record)) for record in records]
