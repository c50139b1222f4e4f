"""What a mutant is: a transformation with one leaf replaced, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from harness.checks.subject import Subject
from transforms.chad.transform import Clauses
from transforms.cotangents.interface import Representation
from transforms.drivers import Transformation
from transforms.errors import AdjudgeError
from transforms.machines.interface import Machine

Change = Callable[[Transformation], Transformation]


class NothingChanged(AdjudgeError):
    """A mutant that no longer changes what it targets."""


class InconsistentMutant(AdjudgeError):
    """A mutant whose fields do not fit together."""


BREAKS = ("value", "cost", "accuracy")
"""What a mutant may break: what is computed, what that costs, how many digits of it are right."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One deliberately wrong version. Raises InconsistentMutant.

    id          `target.what`, such as `mul.own-operand`
    target      which leaf: `rules.mul.pullback`, `clauses.Let`, `representation.accumulator.scope`, `drivers.seed`,
                or of the theorem's transformation, `core.let`
    breaks      "value", "cost" or "accuracy"
    wrong       what is wrong, in a line
    source      where the idea comes from: the course, an exercise, a public report such as casadi/casadi#2585, ours
    change      from the transformation to the wrong one
    caught_by   the checks that must catch it, at least
    equivalent  why no check can tell it apart, if so: then none must catch it
    hangs       whether it is expected to run into the timeout
    change_core from the theorem's transformation to the wrong one
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
    change_core: Callable[[Clauses], Clauses] | None = None

    def __post_init__(self) -> None:
        for field in ("id", "target"):
            if not getattr(self, field):
                raise InconsistentMutant(f"mutant {self.id!r} of {self.target!r}: expected its {field}, found none")
        if self.breaks not in BREAKS:
            known = " or ".join(BREAKS)
            raise InconsistentMutant(f"mutant {self.id}: expected it to break {known}, found {self.breaks!r}")
        if self.equivalent and self.caught_by:
            found = ", ".join(self.caught_by)
            raise InconsistentMutant(f"mutant {self.id}: expected nothing to catch what is equivalent, found {found}")

    def applied(self, subject: Subject) -> Subject:
        """The subject with this leaf replaced. Raises NothingChanged."""
        mutated = subject.changed(self.id, self.change)
        if self.change_core is not None and subject.core is not None:
            mutated = replace(mutated, core=self.change_core(subject.core))
        same = all(mutated.transformations[name] is judged for name, judged in subject.transformations.items())
        if same and mutated.core is subject.core:
            raise NothingChanged(f"the mutant {self.id} changes nothing of {self.target}")
        return mutated


def rule(name: str, **fields: Any) -> Change:
    """The rule's row with fields replaced."""

    def change(judged: Transformation) -> Transformation:
        row = judged.rules[name]
        if all(getattr(row, field) is value for field, value in fields.items()):
            return judged
        return replace(judged, rules={**judged.rules, name: replace(row, **fields)})

    return change


def clause(constructor: type, function: Callable[..., Any]) -> Change:
    """The macro's clause for a constructor replaced."""

    def change(judged: Transformation) -> Transformation:
        if judged.clauses[constructor] is function:
            return judged
        return replace(judged, clauses={**judged.clauses, constructor: function})

    return change


def representation(right: Callable[[Machine], Representation], wrong: Callable[[Machine], Representation]) -> Change:
    """The representation replaced where it is `right`; the transformation with the other one stays as it is."""

    def change(judged: Transformation) -> Transformation:
        return replace(judged, representation=wrong) if judged.representation is right else judged

    return change


def machine(wrong: Callable[..., Any]) -> Change:
    """The machine replaced."""
    return lambda judged: judged if judged.machine is wrong else replace(judged, machine=wrong)


def drivers(**fields: Any) -> Change:
    """Fields of the drivers replaced."""

    def change(judged: Transformation) -> Transformation:
        if all(getattr(judged.drivers, field) is value for field, value in fields.items()):
            return judged
        return replace(judged, drivers=replace(judged.drivers, **fields))

    return change


def unchanged(judged: Transformation) -> Transformation:
    """For mutants of the theorem's transformation alone."""
    return judged


def core(**clauses: Any) -> Callable[[Clauses], Clauses]:
    """Clauses of the theorem's transformation replaced."""
    return lambda judged: replace(judged, **clauses)
