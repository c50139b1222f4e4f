"""What a check is, and what comes of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harness.checks.subject import Subject
from transforms.drivers import REPRESENTATIONS
from transforms.errors import AdjudgeError


class Question(StrEnum):
    """Which of the claims a check is evidence for."""

    RIGHT = "right"
    COST = "cost"
    ACCURATE = "accurate"


class Needs(StrEnum):
    """What a check asks of a subject: any has gradients, and a function to gradients has nothing else."""

    GRADIENTS = "gradients"
    TRANSFORMATION = "a transformation"
    SEVERAL = "two representations to compare"
    CLAIMED = "the representation pointwise or accumulator"
    ACCUMULATOR = "the representation accumulator"
    CORE = "the efficiency theorem's transformation"


class Outcome(StrEnum):
    """What came of a check; a timeout is found by whoever runs it."""

    PASS = "pass"
    VALUE = "killed-value"
    CRASH = "killed-crash"
    REFUSAL = "killed-refusal"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Measured:
    """The largest error that was measured, and what shows it: a program, a point, an entry, the numbers."""

    error: float
    where: str = ""

    def worse(self, other: Measured) -> Measured:
        """The one with the larger error; NaN is worse than any number."""
        return self if other.error <= self.error or self.error != self.error else other


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the battery.

    claim      what holds where the check passes, in a sentence
    tolerance  the largest error that passes, and `reason`, why it is that
    prepare    from a seed, whatever does not depend on the subject: inputs, references, parsed programs
    measure    from a subject and what was prepared, the largest error; NaN where a NaN was found, which never passes
    needs      what the subject must have for the check to say anything about it
    """

    id: str
    question: Question
    claim: str
    tolerance: float
    reason: str
    prepare: Callable[[int], Any]
    measure: Callable[[Subject, Any], Measured]
    needs: Needs = Needs.TRANSFORMATION

    def applies(self, subject: Subject) -> bool:
        """Whether the subject has what the check needs; where it does not, the check would pass whatever it is."""
        held = subject.transformations.keys()
        match self.needs:
            case Needs.GRADIENTS:
                return True
            case Needs.TRANSFORMATION:
                return bool(held)
            case Needs.SEVERAL:
                return len(held) > 1
            case Needs.CLAIMED:
                return not held.isdisjoint(REPRESENTATIONS)
            case Needs.ACCUMULATOR:
                return "accumulator" in held
            case Needs.CORE:
                return subject.core is not None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a check on a subject; `error` is None where nothing was measured."""

    outcome: Outcome
    error: float | None
    where: str

    def margin(self, check: Check) -> float | None:
        """How far beyond the tolerance the error is, as a factor; infinite beyond a tolerance of 0."""
        if self.error is None:
            return None
        if check.tolerance == 0.0:
            return 0.0 if self.error == 0.0 else float("inf")
        return self.error / check.tolerance


def judge(check: Check, subject: Subject, prepared: Any) -> Result:
    """Run a check on a subject. What the subject raises is an outcome, not an error."""
    try:
        measured = check.measure(subject, prepared)
    except AdjudgeError as error:
        return Result(Outcome.REFUSAL, None, f"{type(error).__name__}: {error}")
    except (Exception, SystemExit) as error:
        return Result(Outcome.CRASH, None, f"{type(error).__name__}: {error}")
    passed = measured.error <= check.tolerance  # not so where the error is NaN
    return Result(Outcome.PASS if passed else Outcome.VALUE, measured.error, measured.where)


def counted(wrong: Sequence[str]) -> Measured:
    """How many things are wrong, and the first of them."""
    return Measured(float(len(wrong)), "; ".join(wrong[:3]))
