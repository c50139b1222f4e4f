"""What a campaign runs: which mutants against which checks, and all that is made ready before the first of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from harness.checks import battery
from harness.checks.check import Check
from harness.checks.subject import UNMUTATED, Subject
from mutants.catalogue import all as catalogue
from mutants.mutant import Mutant
from transforms.errors import AdjudgeError

Identified = TypeVar("Identified", Mutant, Check)

TIMEOUT = 5.0
"""Seconds that a cell may take: a hundred times what one takes on average."""

NATIVE_TIMEOUT = 60.0
"""As `TIMEOUT`, where a cell compiles and runs programs."""

QUICK = 6
"""A quick run takes every sixth mutant, against every check."""

NATIVE = "native"
"""What `-k` has to name for the mutants of native code, a group of their own: their cells compile and run programs."""


class Inconsistent(AdjudgeError):
    """A catalogue and a battery that do not fit together, or lack what is named."""


def name(mutant: Mutant) -> str:
    """What `-k` selects a mutant by: its id and its target."""
    return f"{f'{NATIVE} ' if is_native(mutant) else ''}{mutant.id} {mutant.target}"


def is_native(mutant: Mutant) -> bool:
    """Whether a mutant shows in compiled programs alone: it is of a C template, or of what emits C."""
    template = mutant.target.startswith("rules.") and mutant.target.endswith(".c")
    return template or mutant.target.startswith((NATIVE, "drivers.kernels"))


def select(group: Sequence[Mutant], selected: Callable[[str], bool], quick: bool = False) -> tuple[Mutant, ...]:
    """The mutants of a group to run, in their order."""
    return tuple(mutant for mutant in (group[::QUICK] if quick else group) if selected(name(mutant)))


@dataclass(frozen=True, slots=True)
class Named:
    """What has to be made ready for a plan, by name, so that any process can: its checks, their seed, the timeout."""

    checks: tuple[str, ...]
    seed: int
    timeout: float

    def plan(self) -> Plan:
        """A plan of these checks and of every mutant there is. Raises Inconsistent where a check is unknown."""
        known = {check.id: check for check in (*battery.BATTERY, *battery.NATIVE)}
        if unknown := [id_ for id_ in self.checks if id_ not in known]:
            raise Inconsistent(f"expected checks of the battery, found {', '.join(unknown)}")
        mutants = *catalogue.CATALOGUE, *catalogue.NATIVE
        return Plan(mutants, tuple(known[id_] for id_ in self.checks), self.seed, timeout=self.timeout)


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

    @property
    def named(self) -> Named:
        return Named(tuple(check.id for check in self.checks), self.seed, self.timeout)

    def mutant(self, id_: str) -> Mutant:
        """Raises Inconsistent where there is none."""
        return _with_id(self.mutants, id_)

    def check(self, id_: str) -> Check:
        """Raises Inconsistent where there is none."""
        return _with_id(self.checks, id_)


def _with_id(known: Iterable[Identified], id_: str) -> Identified:
    for each in known:
        if each.id == id_:
            return each
    raise Inconsistent(f"expected a mutant or check of the plan, found {id_}")


@dataclass(frozen=True, slots=True)
class Ready:
    """A plan with everything prepared that does not depend on a mutant."""

    plan: Plan
    prepared: dict[str, Any]


def prepare(plan: Plan) -> Ready:
    """Inputs, references and parsed programs; every mutant has been applied once. Raises NothingChanged."""
    for mutant in plan.mutants:
        mutant.applied(plan.subject)
    return Ready(plan, {check.id: check.prepare(plan.seed) for check in plan.checks})
