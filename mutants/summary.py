"""The records of a finished campaign: all that its reports need, in an order that does not depend on how it ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.checks.check import Check, Outcome, Question
from harness.records import Record
from mutants import matrix
from mutants.coverage import reaches
from mutants.leaves import ROOT, place, place_of, replaced, source
from mutants.matrix import Rows
from mutants.plan import Plan
from mutants.separation import exceptions
from mutants.stays import STAYS
from mutants.verdicts import Verdict, score

NARROW = 1e6
"""The margin below which an error could pass for noise under a careless tolerance."""

FACTORS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e6, 1e8, 1e10, 1e12)
"""By how much every tolerance is multiplied where the score is given as a function of it."""

FIELDS = ("evaluate", "tangent", "pullback", "shape", "cost", "c")
"""The fields of a rule, each of which some mutant should replace."""


def records(
    plan: Plan,
    run: Record,
    baseline: Sequence[Record],
    calls: Mapping[str, Sequence[str]],
    found: Mapping[tuple[str, str], Record],
    verdicts: Sequence[Verdict],
    differences: Mapping[str, Record],
    rules: Mapping[str, Mapping[str, int]],
) -> list[Record]:
    """All records: the run, the baseline, checks, cells and verdicts in their orders, rules, files and a summary."""
    rows: Rows = {v.mutant.id: frozenset(v.by) for v in verdicts}
    counted: Rows = {v.mutant.id: rows[v.mutant.id] for v in verdicts if not v.mutant.equivalent}
    described = [_verdict(plan, v, rows, calls, differences) for v in verdicts]
    checks = [_check(check, counted) for check in plan.checks]
    body = [
        *baseline,
        *checks,
        *(found[v.mutant.id, check.id] for v in verdicts for check in plan.checks),
        *described,
        *({"kind": "rule", "rule": name, "fields": dict(fields)} for name, fields in rules.items()),
        *_files(place["path"] for place in (*checks, *(v["leaf"] for v in described))),
    ]
    body.append(_summary(plan, verdicts, counted, body))
    return [{**run, "records": len(body)}, *body]


def _check(check: Check, counted: Rows) -> Record:
    unique, subsuming = matrix.unique(counted, check.id), matrix.subsuming(counted)
    return {
        "kind": "check", "check": check.id, "question": str(check.question), "claim": check.claim,
        "tolerance": check.tolerance, "reason": check.reason, **_place(check.measure),
        "kills": sum(check.id in row for row in counted.values()), "solo": matrix.solo(counted, check.id),
        "subsuming_solo": matrix.solo({mutant: counted[mutant] for mutant in subsuming}, check.id),
        "unique": unique, "without": matrix.without(counted, check.id),
        "stays": None if unique else STAYS.get(check.id),
    }  # fmt: skip


def _verdict(
    plan: Plan, v: Verdict, rows: Rows, calls: Mapping[str, Sequence[str]], differences: Mapping[str, Record]
) -> Record:
    mutant = v.mutant
    leaves = replaced(plan.subject, mutant.applied(plan.subject))
    # A few need another leaf besides the one that they are about.
    where = place(next((leaf for leaf in leaves if reaches([leaf.path], mutant.target)), leaves[0]))
    return {
        "kind": "verdict", "mutant": mutant.id, "target": mutant.target, "breaks": mutant.breaks,
        "source": mutant.source, "wrong": mutant.wrong,
        "expected": "equivalent" if mutant.equivalent else "caught", "equivalent": mutant.equivalent or None,
        "caught": v.caught, "by": list(v.by), "timeouts": list(v.timeouts), "missed": list(v.missed),
        "surprises": list(v.surprises), "margin": v.margin, "crash_only": v.crash_only,
        "difficulty": matrix.difficulty(rows, mutant.id, [check.id for check in plan.checks]),
        "covered_by": [
            check.id for check in plan.checks if any(reaches(calls[check.id], leaf.path) for leaf in leaves)
        ],
        "leaf": {
            "leaves": [leaf.path for leaf in leaves], "path": where.path, "start": where.start, "end": where.end,
            "before": _texts(leaf.before for leaf in leaves), "after": _texts(leaf.after for leaf in leaves),
        },
        "difference": differences.get(mutant.id),
    }  # fmt: skip


def _summary(plan: Plan, verdicts: Sequence[Verdict], counted: Rows, body: Sequence[Record]) -> Record:
    survived = [v.mutant.id for v in verdicts if v.survived]
    subsuming = matrix.subsuming(counted)
    return {
        "kind": "summary", "mutants": len(verdicts),
        "caught": sum(v.caught for v in verdicts if not v.mutant.equivalent), "survived": survived,
        "score": score(verdicts),
        "equivalent": [v.mutant.id for v in verdicts if v.mutant.equivalent],
        "unexpected": [v.mutant.id for v in verdicts if not v.as_expected],
        "rows": len(matrix.groups(counted)), "groups": [list(g) for g in matrix.groups(counted) if len(g) > 1],
        "subsuming": list(subsuming),
        "subsuming_score": len(subsuming) / (len(subsuming) + len(survived)) if subsuming or survived else 1.0,
        "minimal_checks": list(matrix.smallest(counted, [check.id for check in plan.checks])),
        "crash_only": [v.mutant.id for v in verdicts if v.crash_only],
        "narrow": [v.mutant.id for v in verdicts if _is_narrow(v, body)],
        "unreached": [r["mutant"] for r in body if r["kind"] == "verdict" and not r["covered_by"]],
        "separation": exceptions(verdicts, plan.checks), "threats": _threats(plan, verdicts),
        "tolerances": [_at_tolerance(factor, verdicts, body) for factor in FACTORS],
    }  # fmt: skip


def _is_narrow(v: Verdict, body: Sequence[Record]) -> bool:
    kills = [r for r in body if r["kind"] == "cell" and r["mutant"] == v.mutant.id and r["outcome"] != Outcome.PASS]
    by_value = all(r["outcome"] == Outcome.VALUE for r in kills)
    return bool(kills) and by_value and v.margin is not None and v.margin < NARROW


def _threats(plan: Plan, verdicts: Sequence[Verdict]) -> list[Record]:
    """For what each kind of mutant breaks, how many of them the checks of each question kill."""
    questions = {check.id: check.question for check in plan.checks}
    found = []
    for breaks in dict.fromkeys(v.mutant.breaks for v in verdicts):
        those = [v for v in verdicts if v.mutant.breaks == breaks and not v.mutant.equivalent]
        killed = {str(q): sum(any(questions[check] == q for check in v.by) for v in those) for q in Question}
        found.append({"breaks": breaks, "mutants": len(those), **killed, "nobody": sum(not v.by for v in those)})
    return found


def _at_tolerance(factor: float, verdicts: Sequence[Verdict], body: Sequence[Record]) -> Record:
    """The score if every tolerance were that many times as large, and the alarms on the unmutated transformation."""
    equivalent = {v.mutant.id for v in verdicts if v.mutant.equivalent}
    killed = {
        r["mutant"]: False for r in body if r["kind"] == "cell" and r["mutant"] not in equivalent
    }  # fmt: skip
    for r in body:
        if r["kind"] == "cell" and r["mutant"] in killed:
            killed[r["mutant"]] |= _kills(r, factor)
    alarms = [r["check"] for r in body if r["kind"] == "baseline" and _kills(r, factor)]
    return {"factor": factor, "score": sum(killed.values()) / len(killed) if killed else 1.0, "false_alarms": alarms}


def _kills(cell: Record, factor: float) -> bool:
    if cell["margin"] is None:
        return cell["outcome"] in (Outcome.CRASH, Outcome.REFUSAL)
    return not float(cell["margin"]) <= factor


def by_rule(targets: Iterable[str], rules: Iterable[str]) -> dict[str, dict[str, int]]:
    """How many mutants replace each field of each rule, by their targets."""
    found: dict[str, dict[str, int]] = {name: dict.fromkeys(FIELDS, 0) for name in rules}
    for target in targets:
        match target.split("."):
            case ["rules", name, field] if name in found and field in FIELDS:
                found[name][field] += 1
    return found


def _place(function: Any) -> Record:
    where = place_of(function)
    return {"path": where.path, "start": where.start, "end": where.end}


def _texts(values: Iterable[Any]) -> str:
    return "\n\n".join(filter(None, map(source, values)))


def _files(paths: Iterable[str]) -> list[Record]:
    return [{"kind": "file", "path": path, "text": (ROOT / path).read_text()} for path in sorted(set(paths))]
