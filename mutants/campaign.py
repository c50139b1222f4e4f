"""The campaign: every mutant against every check, none skipped after the first kill.

What does not depend on a mutant is prepared once. The unmutated transformation goes first, and where it fails no mutant
is run. Then every mutant's row runs in a process of its own, here or on a cluster. What comes out does not depend on
where, nor on how many run at a time, nor on whether the run was broken and continued; times do, and are kept apart.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from harness.provenance import provenance, sources
from harness.records import Record, to_json
from harness.status import Status
from mutants import running, summary
from mutants.plan import Plan
from mutants.resume import Journal, timing
from mutants.verdicts import status


@dataclass(frozen=True, slots=True)
class Finished:
    """The records of a campaign, its times, and what it ends with."""

    records: list[Record]
    timings: list[Record]
    status: Status


def conduct(
    plan: Plan,
    folder: Path,
    pool: Executor,
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

    What works on other machines knows the catalogue and the battery by itself: there, the plan must be one of these.
    `resume` takes over what an earlier run of the same plan left there. With `stop_first`, the mutants end with the
    first that is not as expected. `rules` says how many mutants of the catalogue replace each field of each rule.
    `say` hears what a reader should know, `on_done` the name of each cell when its result is there. An interrupt, as
    any error, leaves the files as they are. Raises NothingChanged, and what the executor does.
    """
    run = {
        **provenance(plan.seed, quick), "sources": sources(), "timeout": plan.timeout,
        "mutants": [mutant.id for mutant in plan.mutants], "checks": [check.id for check in plan.checks],
    }  # fmt: skip
    phases: dict[str, float] = {}
    with Journal(folder, run, resume) as journal:
        if journal.remark:
            say(journal.remark)
        began = time.perf_counter()
        ready = running.make_ready(plan)
        phases["prepare"], began = time.perf_counter() - began, time.perf_counter()
        seconds: dict[running.Key, float] = {}
        baseline = running.baseline(pool, ready, seconds)
        if (found := status(baseline, ())) is Status.BASELINE_FAILED:
            records = [{**run, "records": len(baseline)}, *baseline]
            return Finished(_as_read(records), [timing(key, seconds[key]) for key in seconds], found)
        calls = running.coverage(ready)
        phases["baseline"], began = time.perf_counter() - began, time.perf_counter()
        stop = running.Stopping() if stop_first else None
        for mutant, check in running.run(pool, ready, journal, stop):
            on_done(f"{mutant} / {check}")
        phases["cells"], began = time.perf_counter() - began, time.perf_counter()
        if stop and stop.at is not None:
            plan = replace(plan, mutants=plan.mutants[: stop.at + 1])
        verdicts = [running.judged(plan, mutant, journal.cells) for mutant in plan.mutants]
        # Of a mutant that does not end it is known where it differs.
        differences = running.differences(pool, plan, [v for v in verdicts if v.survived and not v.timeouts])
        records = summary.records(plan, run, baseline, calls, journal.cells, verdicts, differences, rules or {})
        phases["summary"] = time.perf_counter() - began
        seconds |= {(m.id, c.id): journal.seconds[m.id, c.id] for m in plan.mutants for c in plan.checks}
    timings = [timing(key, spent) for key, spent in sorted(seconds.items())]
    timings += [{"kind": "phase", "phase": name, "seconds": round(spent, 3)} for name, spent in phases.items()]
    return Finished(_as_read(records), timings, status(baseline, verdicts, fail_under))


def _as_read(records: Sequence[Record]) -> list[Record]:
    """The records as whoever reads the file will find them."""
    return [json.loads(to_json(record)) for record in records]
