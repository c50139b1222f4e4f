"""One mutant for a reader: what it replaces by what, which checks notice, and how to see it happen."""

from __future__ import annotations

import json
import shlex
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path

from harness.checks.check import Check
from harness.checks.subject import UNMUTATED
from harness.executor import executor
from harness.provenance import sources
from harness.records import Record
from mutants import campaign
from mutants.leaves import place, replaced, source
from mutants.mutant import Mutant
from mutants.plan import NATIVE, NATIVE_TIMEOUT, TIMEOUT, Plan, is_native
from mutants.resume import CELLS, is_cell


def show(mutant: Mutant, battery: Sequence[Check], folder: Path) -> str:
    """The text: the leaf before and after, the checks of the battery that kill it, a command that reproduces a kill.

    The row of the kill matrix is that of the run whose files are in `folder`, if it was of this code; else it is run.
    """
    leaves = replaced(UNMUTATED, mutant.applied(UNMUTATED))
    lines = [
        f"{mutant.id}: {mutant.wrong}",
        f"target {mutant.target}; breaks {mutant.breaks}; from {mutant.source}",
        *([f"equivalent: {mutant.equivalent}"] if mutant.equivalent else []),
    ]
    for leaf in leaves:
        where = place(leaf)
        lines += [
            f"\n{leaf.path} before, {where.path}, line {where.start}:", textwrap.indent(source(leaf.before), "    "),
            "after:", textwrap.indent(source(leaf.after), "    "),
        ]  # fmt: skip
    row = _row(mutant, battery, folder)
    kills = [cell for cell in row if cell["outcome"] != "pass"]
    lines += ["", "noticed by:" if kills else "noticed by no check"]
    lines += [f"    {cell['check']}: {_kill(cell)}" for cell in kills]
    if kills:
        selected = shlex.quote(f"{NATIVE} and {mutant.id}" if is_native(mutant) else mutant.id)
        lines += ["", f"to reproduce: adjudge mutate -k {selected} --checks {kills[0]['check']} --out build/one"]
    return "\n".join(lines)


def _kill(cell: Record) -> str:
    how = cell["outcome"].replace("killed-", "by ")
    margin = "" if cell["margin"] is None else f", {float(cell['margin']):.2g} times the tolerance"
    where = textwrap.shorten(cell["where"], 300, placeholder=" ...")
    return f"{how}{margin}{f'; {where}' if where else ''}"


def _row(mutant: Mutant, battery: Sequence[Check], folder: Path) -> list[Record]:
    try:
        run, *records = [json.loads(line) for line in (folder / CELLS).read_text().splitlines()]
    except (OSError, ValueError, RecursionError):
        run, records = None, []
    if isinstance(run, dict) and run.get("sources") == sources():
        row = [r for r in records if is_cell(r, [mutant.id], [check.id for check in battery])]
        if row:
            return row
    plan = Plan((mutant,), tuple(battery), timeout=NATIVE_TIMEOUT if is_native(mutant) else TIMEOUT)
    with tempfile.TemporaryDirectory() as scratch, executor(jobs=1) as pool:
        return [r for r in campaign.conduct(plan, Path(scratch), pool).records if r["kind"] == "cell"]
