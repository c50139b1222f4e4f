"""Records as a mutation run would write them: a killed mutant, a survivor, an equivalent, a crash and a timeout."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Record = dict[str, Any]

RULES = "def mul_pullback(m, ct, r, a, b):\n    return m.mul(ct, b), m.mul(ct, a)\n\nONE = 1\n"
CHECKS = "def reference(subject, prepared):\n    return 0.0\n\n\ndef cost(subject, prepared):\n    return 0.0\n"
RUN: Record = {
    "kind": "run", "schema": 1, "version": "0.1", "commit": "0123abc", "seed": 0, "quick": False, "platform": "x86_64",
    "toolchain": "python", "mutants": [], "checks": ["reference", "cost"],
}  # fmt: skip


def cell(mutant: str | None, check: str, outcome: str = "pass", error: Any = 0.0, where: str = "") -> Record:
    tolerance = 1e-10 if check == "reference" else 0.0
    margin = None if error is None else error / 1e-10 if tolerance else 0.0 if error == 0.0 else "inf"
    return {
        "kind": "baseline" if mutant is None else "cell", **({} if mutant is None else {"mutant": mutant}),
        "check": check, "outcome": outcome, "error": error, "tolerance": tolerance, "margin": margin, "where": where,
    }  # fmt: skip


def check(name: str, question: str, start: int, unique: list[str], solo: float) -> Record:
    return {
        "kind": "check", "check": name, "question": question, "claim": f"what {name} claims", "reason": "exact",
        "tolerance": 1e-10 if name == "reference" else 0.0, "path": "harness/checks/some.py", "start": start,
        "end": start + 1, "kills": 2, "solo": solo, "subsuming_solo": 0.5, "unique": unique, "without": 1.0 - solo,
        "stays": None if unique else "it is the claim itself",
    }  # fmt: skip


def verdict(mutant: str, by: list[str], **fields: Any) -> Record:
    return {
        "kind": "verdict", "mutant": mutant, "target": "rules.mul.pullback", "breaks": "value", "source": "ours",
        "wrong": f"{mutant} is wrong", "expected": "caught", "equivalent": None, "caught": bool(by), "by": by,
        "timeouts": [], "missed": [], "surprises": [], "covered_by": ["reference", "cost"], "margin": 2.5e5,
        "crash_only": False, "difficulty": len(by) / 2, "difference": None,
        "leaf": {
            "leaves": ["rules.mul.pullback"], "path": "transforms/rules.py", "start": 1, "end": 2,
            "before": RULES.split("\n\n")[0], "after": "def wrong(m, ct, r, a, b):\n    return ct, ct",
        },
    } | fields  # fmt: skip


DIFFERENCE = {
    "program": "context: x: real, y: real |-\nx * y", "label": "mul alone", "point": {"x": "3", "y": "5"},
    "cotangent": "2", "differs": "value", "in": "pointwise", "before": "[15.0]", "after": "[9.0]",
}  # fmt: skip
VERDICTS = [
    verdict("mul.own-operand", ["reference"]),
    verdict("mul.dear", ["cost"], breaks="cost", margin="inf"),
    verdict("mul.crash", ["reference", "cost"], crash_only=True, margin=None),
    verdict("mul.survivor", [], surprises=["survived"], difference=DIFFERENCE, margin=None),
    verdict("mul.same", [], expected="equivalent", equivalent="products <commute>", margin=None),
    verdict(
        "mul.endless", [], timeouts=["reference"], margin=None,
        surprises=["not caught: a timeout alone catches nothing", "timeout in reference, which it does not declare"],
    ),
]  # fmt: skip
CELLS = [
    cell("mul.own-operand", "reference", "killed-value", 2.5e-5, "x at x=3"), cell("mul.own-operand", "cost"),
    cell("mul.dear", "reference"), cell("mul.dear", "cost", "killed-value", 1.0),
    cell("mul.crash", "reference", "killed-crash", None, "ZeroDivisionError: \x00"),
    cell("mul.crash", "cost", "killed-crash", None, "ZeroDivisionError: again"),
    cell("mul.survivor", "reference"), cell("mul.survivor", "cost"),
    cell("mul.same", "reference"), cell("mul.same", "cost"),
    cell("mul.endless", "reference", "timeout", None), cell("mul.endless", "cost"),
]  # fmt: skip
SUMMARY: Record = {
    "kind": "summary", "mutants": 6, "caught": 3, "survived": ["mul.survivor", "mul.endless"], "score": 0.6,
    "equivalent": ["mul.same"], "unexpected": ["mul.survivor", "mul.endless"], "rows": 3, "groups": [["a", "b"]],
    "subsuming": ["mul.own-operand", "mul.dear"], "subsuming_score": 0.5, "minimal_checks": ["reference", "cost"],
    "crash_only": ["mul.crash"], "narrow": ["mul.own-operand"], "unreached": [],
    "separation": [{"mutant": "mul.dear", "breaks": "cost", "check": "reference", "allowed": None}],
    "threats": [{"breaks": "value", "mutants": 4, "right": 2, "cost": 1, "accurate": 0, "nobody": 2}],
    "tolerances": [
        {"factor": 1e-4, "score": 0.6, "false_alarms": ["reference"]},
        {"factor": 1.0, "score": 0.6, "false_alarms": []},
    ],
}  # fmt: skip


def records() -> list[Record]:
    """A whole run, which a test may change."""
    body = [
        cell(None, "reference", error=1e-14), cell(None, "cost"),
        check("reference", "right", 1, ["mul.own-operand"], 0.4), check("cost", "cost", 5, [], 0.4),
        *CELLS, *VERDICTS, {"kind": "rule", "rule": "mul", "fields": {"pullback": 6, "tangent": 0}},
        {"kind": "file", "path": "harness/checks/some.py", "text": CHECKS},
        {"kind": "file", "path": "transforms/rules.py", "text": RULES}, SUMMARY,
    ]  # fmt: skip
    return deepcopy([{**RUN, "records": len(body)}, *body])


def failed_baseline() -> list[Record]:
    """A run that ended with the unmutated transformation."""
    body = [cell(None, "reference", "killed-value", 1.0, "x is 3, expected 2"), cell(None, "cost")]
    return deepcopy([{**RUN, "records": len(body)}, *body])
