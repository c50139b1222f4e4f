"""What a campaign runs: which mutants against which checks, and all that is made ready before the first of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.checks.check import Check
from harness.checks.subject import UNMUTATED, Subject
from mutants.mutant import Mutant
from transforms.errors import AdjudgeError

TIMEOUT = 5.0
"""Seconds that a cell may take: a hundred times what one takes on average."""

NATIVE_TIMEOUT = 60.0
"""As `TIMEOUT`, where a cell compiles and runs programs."""

QUICK = 6
"""A quick run takes every sixth mutant, against every check."""

NATIVE = "native"
"""What `-k` has to name for the mutants of native code, a group of their own: their cells compile and run programs."""


class Inconsistent(AdjudgeError):
    """A catalogue and a battery that do not fit together."""


def name(mutant: Mutant) -> str:
    """What `-k` selects a mutant by: its id and its target."""
    return f"{f'{NATIVE} ' if is_native(mutant) else ''}{mutant.id} {mutant.target}"


def is_native(mutant: Mutant) -> bool:
    """Whether a mutant shows in compiled programs alone: it is of a C template, or of what emits C."""
    return mutant.target.startswith(NATIVE) or (mutant.target.startswith("rules.") and mutant.target.endswith(".c"))


def select(group: Sequence[Mutant], selected: Callable[[str], bool], quick: bool = False) -> tuple[Mutant, ...]:
    """The mutants of a group to run, in their order."""
    return tuple(mutant for mutant in (group[::QUICK] if quick else group) if selected(name(mutant)))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign runs: the mutants of a subject, the checks, and the seed of their inputs."""

    mutants: tuple[Mutant, ...]
    checks: tuple[Check, ...]
    seed: int = 0
    subject: Subject = UNMUTATED
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        for what, ids in {"mutants": [m.id for m in self.mutants], "checks": [c.id for c in self.checks]}.items():
            if again := sorted({id_ for id_ in ids if ids.count(id_) > 1}):
                raise Inconsistent(f"expected {what} with ids of their own, found several of {', '.join(again)}")


@dataclass(frozen=True, slots=True)
class Ready:
    """A plan with everything prepared that does not depend on a mutant."""

    plan: Plan
    prepared: dict[str, Any]
    mutated: dict[str, Subject]


def prepare(plan: Plan) -> Ready:
    """Inputs, references and parsed programs, and every mutant applied. Raises NothingChanged."""
    mutated = {mutant.id: mutant.applied(plan.subject) for mutant in plan.mutants}
    return Ready(plan, {check.id: check.prepare(plan.seed) for check in plan.checks}, mutated)
