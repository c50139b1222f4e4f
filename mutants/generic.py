"""Generic mutants, merged into our report: which tests notice what mutmut changes, and what is accepted to survive.

A survivor is good when `accepted.toml` has an entry for the very change, with the reason why no test could or should
notice it. An entry without its survivor is stale, and as bad as a survivor without an entry.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from harness.provenance import provenance
from harness.records import Record
from harness.status import Status, worst
from mutants import scratch
from mutants.leaves import ROOT
from mutants.scratch import FILES, Fate, Generic, ScratchFailed
from transforms.array_rules import TABLE
from transforms.derivative_rules import DERIVATIVE_RULES
from transforms.errors import AdjudgeError
from transforms.rules import Rules

ACCEPTED = Path(__file__).with_name("accepted.toml")

FIELDS = ("shape", "pullback", "tangent", "cost")
"""The fields of a rule whose functions stand in the files that are mutated."""

KILLED = (Fate.ASSERTION, Fate.CRASH)


class BadEntry(AdjudgeError):
    """An entry of the list of accepted survivors that cannot be used."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change that may survive: the function's file and name, the lines that differ, and why no test notices."""

    path: str
    function: str
    removed: str
    added: str
    reason: str


Change = tuple[str, str, str, str]


def change(of: Accepted | Generic) -> Change:
    """What an entry and a survivor are matched by: no line number and no mutant's number, which move."""
    return of.path, of.function, of.removed, of.added


@dataclass(frozen=True, slots=True)
class Finished:
    """The records of a run, and what it ends with."""

    records: list[Record]
    status: Status


def conduct(folder: Path, jobs: int, files: Sequence[str] = FILES, accepted: Path = ACCEPTED) -> Finished:
    """Run the generic mutants of some files in a scratch copy at `folder`, which is wiped first.

    Raises BadEntry, MutmutMissing and MutmutBroke. Where the tests fail with nothing changed, nothing is reported.
    """
    entries = [entry for entry in read_accepted(accepted) if entry.path in files]
    run = {**provenance(0, files != FILES), "files": list(files)}
    scratch.prepare(folder, files)
    try:
        scratch.run(folder, jobs)
    except ScratchFailed as error:
        return Finished([{**run, "records": 1}, {"kind": "baseline", "where": str(error)}], Status.BASELINE_FAILED)
    return judge(run, scratch.read(folder, files), entries, {path: (ROOT / path).read_text() for path in files})


def read_accepted(path: Path = ACCEPTED) -> list[Accepted]:
    """The accepted survivors. Raises BadEntry for an entry that lacks something, its reason included, or is double."""
    names = [field.name for field in fields(Accepted)]
    found: list[Accepted] = []
    for number, entry in enumerate(tomllib.loads(path.read_text(encoding="utf-8")).get("accepted", ()), 1):
        if sorted(entry) != sorted(names) or not str(entry["reason"]).strip():
            raise BadEntry(f"{path.name}, entry {number}: expected {', '.join(names)}, found {', '.join(entry)}")
        texts = {name: "\n".join(" ".join(line.split()) for line in entry[name].splitlines()) for name in names}
        found.append(Accepted(**texts))
        if change(found[-1]) in map(change, found[:-1]):
            raise BadEntry(f"{path.name}, entry {number}: expected a change of its own, found that of another entry")
    return found


def judge(run: Record, found: Sequence[Generic], accepted: Sequence[Accepted], sources: Mapping[str, str]) -> Finished:
    """The records of a run and its status, from what became of the mutants, the list, and the mutated sources."""
    reasons = {change(entry): entry.reason for entry in accepted}
    alive = {change(mutant) for mutant in found if mutant.fate not in KILLED}
    stale = [entry for entry in accepted if change(entry) not in alive]
    mutants = [_mutant(mutant, reasons) for mutant in found]
    new = [record["mutant"] for record in mutants if not record["as_expected"]]
    rules = rule_counts(found, {**DERIVATIVE_RULES, **TABLE}) if "transforms/rules.py" in sources else []
    fates = Counter(mutant.fate for mutant in found)
    summary = {
        "kind": "generic-summary", "mutants": len(found), **{str(fate): fates[fate] for fate in Fate},
        "accepted": sum(record["accepted"] is not None for record in mutants), "new": new, "stale": len(stale),
        "rules_without": [record["rule"] for record in rules if not record["own"]],
    }  # fmt: skip
    body = [
        *mutants,
        *({"kind": "stale", **{f.name: getattr(entry, f.name) for f in fields(entry)}} for entry in stale),
        *rules,
        *(record for path, text in sources.items() for record in unseen(path, text, found)),
        summary,
    ]
    return Finished([{**run, "records": len(body)}, *body], _status(found, reasons, stale))


def _mutant(mutant: Generic, reasons: Mapping[Change, str]) -> Record:
    killed = mutant.fate in KILLED
    reason = None if killed else reasons.get(change(mutant))
    return {
        "kind": "generic", "mutant": mutant.name, "path": mutant.path, "function": mutant.function,
        "line": mutant.line, "removed": mutant.removed, "added": mutant.added, "outcome": str(mutant.fate),
        "by": mutant.by, "accepted": reason, "as_expected": killed or reason is not None,
    }  # fmt: skip


def _status(found: Sequence[Generic], reasons: Mapping[Change, str], stale: Sequence[Accepted]) -> Status:
    if not found:
        return Status.NOTHING_SELECTED
    open_ = [mutant.fate for mutant in found if mutant.fate not in KILLED and change(mutant) not in reasons]
    ends = [Status.TIMEOUT if fate is Fate.TIMEOUT else Status.FINDING for fate in open_]
    return worst([*ends, *[Status.FINDING] * bool(stale)])


def rule_counts(found: Iterable[Generic], rules: Rules) -> list[Record]:
    """For each rule, how many generic mutants its functions have, and how many those that no other rule shares."""
    mutants = Counter((mutant.path, mutant.function) for mutant in found)
    uses = Counter(key for rule in rules.values() for key in {_key(getattr(rule, field)) for field in FIELDS})
    records = []
    for name, rule in rules.items():
        keys = {field: _key(getattr(rule, field)) for field in FIELDS}
        own = sum(mutants[key] for key in set(keys.values()) if uses[key] == 1)
        counts = {field: mutants[key] for field, key in keys.items()}
        records.append({"kind": "generic-rule", "rule": name, "fields": counts, "own": own})
    return records


def _key(function: Any) -> tuple[str, str]:
    return f"{function.__module__.replace('.', '/')}.py", function.__name__


def unseen(path: str, text: str, found: Iterable[Generic]) -> list[Record]:
    """What of a file has no generic mutant, and why not: functions, lambdas outside functions, tables."""
    seen = {mutant.function for mutant in found if mutant.path == path}
    whys = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            if node.name not in seen:
                why = "it is decorated" if node.decorator_list else "it holds nothing that mutmut changes"
                whys.append((node.name, node.lineno, why))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value and _computed(node.value):
            (target, *_) = node.targets if isinstance(node, ast.Assign) else [node.target]
            whys.append((ast.unparse(target), node.lineno, "mutmut changes functions alone, and no table"))
    return [{"kind": "unseen", "path": path, "what": what, "line": line, "why": why} for what, line, why in whys]


def _computed(value: ast.expr) -> bool:
    """Whether an assignment of a module holds calls or functions, and is not an alias of a type or a text."""
    return any(isinstance(node, (ast.Call, ast.Lambda, ast.Dict)) for node in ast.walk(value))
