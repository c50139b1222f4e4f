"""What a mutant is: a transformation with one leaf replaced, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from harness.checks.subject import Subject
from transforms.drivers import Transformation
from transforms.errors import AdjudgeError

Change = Callable[[Transformation], Transformation]


class NothingChanged(AdjudgeError):
    """A mutant that no longer changes what it targets."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One deliberately wrong version.

    id          `target.what`, such as `mul.own-operand`
    target      which leaf: `rules.mul.pullback`, `clauses.Let`, `representation.accumulator.scope`, `drivers.seed`
    breaks      "value", "cost" or "accuracy"
    wrong       what is wrong, in a line
    source      where the idea comes from: the course, an exercise, a public report such as casadi/casadi#2585, ours
    change      from the transformation to the wrong one
    caught_by   the checks that must catch it, at least
    equivalent  why no check can tell it apart, if so
    hangs       whether it is expected to run into the timeout
    """

    id: str
    target: str
    breaks: str
    wrong: str
    source: str
    change: Change
    caught_by: tuple[str, ...] = ()
    equivalent: str = ""
    hangs: bool = False

    def applied(self, subject: Subject) -> Subject:
        """The subject with this leaf replaced. Raises NothingChanged."""
        mutated = subject.changed(self.id, self.change)
        if all(mutated.transformations[name] is judged for name, judged in subject.transformations.items()):
            raise NothingChanged(f"the mutant {self.id} changes nothing of {self.target}")
        return mutated


def rule(name: str, **fields: Any) -> Change:
    """The rule's row with fields replaced."""

    def change(judged: Transformation) -> Transformation:
        return replace(judged, rules={**judged.rules, name: replace(judged.rules[name], **fields)})

    return change


def clause(constructor: type, function: Callable[..., Any]) -> Change:
    """The macro's clause for a constructor replaced."""

    def change(judged: Transformation) -> Transformation:
        return replace(judged, clauses={**judged.clauses, constructor: function})

    return change
