"""What is concluded about one mutant from its row of cells, and about a run from its mutants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.checks.check import Outcome
from harness.records import Record
from harness.status import Status, worst
from mutants.mutant import Mutant

KILLS = (Outcome.VALUE, Outcome.CRASH, Outcome.REFUSAL)
"""A timeout alone is not among them: a check that does not end has found nothing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the checks made of a mutant.

    by         the checks that kill it, by value, crash or refusal
    timeouts   the checks that it does not end in
    missed     the checks that were expected to kill it, and do not
    margin     the largest error over tolerance of those that kill it by value; None where none does
    surprises  what is not as expected, in words; none if all is
    """

    mutant: Mutant
    by: tuple[str, ...]
    timeouts: tuple[str, ...]
    missed: tuple[str, ...]
    margin: float | None
    crash_only: bool
    surprises: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Killed, or stopped at the timeout that it declares."""
        return bool(self.by) or (self.mutant.hangs and bool(self.timeouts))

    @property
    def survived(self) -> bool:
        return not self.caught and not self.mutant.equivalent

    @property
    def as_expected(self) -> bool:
        return not self.surprises

    @property
    def status(self) -> Status:
        if self.timeouts and not self.mutant.hangs:
            return Status.TIMEOUT
        return Status.FINDING if self.surprises else Status.GOOD


def verdict(mutant: Mutant, row: Sequence[Record]) -> Verdict:
    """The verdict on a mutant from its cells, one for each check that was run."""
    outcomes = {cell["check"]: Outcome(cell["outcome"]) for cell in row}
    by = tuple(check for check, outcome in outcomes.items() if outcome in KILLS)
    timeouts = tuple(check for check, outcome in outcomes.items() if outcome is Outcome.TIMEOUT)
    missed = tuple(check for check in mutant.caught_by if check in outcomes and check not in by)
    margins = [float(cell["margin"]) for cell in row if cell["outcome"] == Outcome.VALUE]
    surprises = []
    if mutant.equivalent and by:
        surprises.append(f"declared equivalent, but caught by {', '.join(by)}")
    if not mutant.equivalent and not by and not (mutant.hangs and timeouts):
        surprises.append("survived" if not timeouts else "not caught: a timeout alone catches nothing")
    if missed and by:
        surprises.append(f"not caught by {', '.join(missed)}, which must catch it")
    if timeouts and not mutant.hangs:
        surprises.append(f"timeout in {', '.join(timeouts)}, which it does not declare")
    if mutant.hangs and not timeouts:
        surprises.append("declared to hang, but every check ended")
    return Verdict(
        mutant, by, timeouts, missed,
        # A NaN is beyond every tolerance.
        max((float("inf") if margin != margin else margin for margin in margins), default=None),
        bool(by) and all(outcomes[check] is Outcome.CRASH for check in by), tuple(surprises),
    )  # fmt: skip


def status(baseline: Iterable[Record], verdicts: Sequence[Verdict], fail_under: float | None = None) -> Status:
    """What a run ends with. With `fail_under`, survivors count only where the score in percent is below it."""
    if any(cell["outcome"] != Outcome.PASS for cell in baseline):
        return Status.BASELINE_FAILED
    if not verdicts:
        return Status.NOTHING_SELECTED
    statuses = [v.status for v in verdicts if fail_under is None or v.surprises != ("survived",)]
    if fail_under is not None and 100.0 * score(verdicts) < fail_under:
        statuses.append(Status.FINDING)
    return worst(statuses)


def score(verdicts: Iterable[Verdict]) -> float:
    """The share that is caught of the mutants that are not declared equivalent; 1 where there is none."""
    counted = [v.caught for v in verdicts if not v.mutant.equivalent]
    return sum(counted) / len(counted) if counted else 1.0
