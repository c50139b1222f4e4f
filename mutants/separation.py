"""The separation of the questions: what breaks the cost alone is noticed by cost checks alone, and so for accuracy.

A right value found expensive or a little inaccurate by a check of values would be a check that does not measure what it
says. The exceptions that are allowed have their reasons here.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.checks.check import Check, Question
from harness.records import Record
from mutants.verdicts import Verdict

ACCURACY = ("accuracy", "hard-points")
"""The checks that may kill what breaks the accuracy alone."""


def exceptions(verdicts: Sequence[Verdict], checks: Sequence[Check]) -> list[Record]:
    """Each kill across the separation, with the reason why it is allowed, or None."""
    by_id = {check.id: check for check in checks}
    return [
        {"mutant": v.mutant.id, "breaks": v.mutant.breaks, "check": check, "allowed": _allowed(v, by_id[check])}
        for v in verdicts
        for check in v.by
        if _crosses(v.mutant.breaks, by_id[check])
    ]


def _crosses(breaks: str, check: Check) -> bool:
    return (breaks == "cost" and check.question is not Question.COST) or (
        breaks == "accuracy" and check.id not in ACCURACY
    )


def _allowed(v: Verdict, check: Check) -> str | None:
    if v.mutant.breaks == "accuracy" and check.question is Question.COST:
        return "it costs more, too"
    if v.mutant.id == "machine.single-sums" and 0.0 < check.tolerance <= 1e-10:
        return "single precision is coarser than the check's tolerance"
    if v.mutant.id == "let.dead-run" and check.id == "hard-points":
        return "a zero that arrives through sqrt at 0 is no longer nothing at all"
    return None
