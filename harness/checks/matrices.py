"""Gradients of whole matrix programs: the hand-derived ones, descent, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from harness.checks.check import Check, Measured, Question
from harness.checks.subject import Subject
from harness.workload_suite import WORKLOADS, straight
from harness.workloads import attention
from transforms.errors import AdjudgeError
from transforms.mountain_goat.gradients import descend, gradient
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight


@dataclass(frozen=True, slots=True)
class Workload:
    """A program, the matrices that it is differentiated in, and what the hand-derived program prints."""

    program: Straight
    names: Sequence[str]
    expected: Sequence[np.ndarray]


def workload(module: ModuleType) -> Workload:
    expected = run(straight(module.hand_derived(), "hand-derived.mg"))
    return Workload(straight(module.value(), "workload.mg"), module.PARAMETERS, expected)


def hand_derived(subject: Subject, asked: Workload) -> Measured:
    """The largest relative difference of an entry of the loss or of its gradient."""
    judged = subject.matrices()
    found = run(gradient(asked.program, asked.names, judged=judged).straight, judged)
    worst = Measured(0.0)
    for name, mine, theirs in zip(("loss", *asked.names), found, asked.expected, strict=True):
        if mine.shape != theirs.shape:
            return Measured(float("inf"), f"{name} has the shape {mine.shape}: expected {theirs.shape}")
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.where(mine == theirs, 0.0, np.abs(mine - theirs) / np.abs(theirs))
        at = np.unravel_index(np.argmax(np.where(np.isnan(errors), np.inf, errors)), errors.shape)
        where = f"{name}[{', '.join(map(str, at))}]: found {float(mine[at])!r}, expected {float(theirs[at])!r}"
        worst = worst.worse(Measured(float(errors[at]), where))
    return worst


CURVE = (1.60134, 1.51356, 1.36719, 1.09744, 0.812335, 0.625597, 0.495025, 0.403562, 0.342366, 0.302609, 0.273815)
"""The loss of `attention` before ten steps of descent at rate 3, and after each, to six digits."""


def trained(subject: Subject, program: Straight) -> Measured:
    """How far a loss is from the curve, in halves of its last digit; infinite where the loss does not fall."""
    judged = subject.matrices()
    generated = descend(program, attention.PARAMETERS, steps=10, rate=3.0, judged=judged).straight
    losses = [loss.item() for loss in run(generated, judged)]
    worst = Measured(0.0)
    for step, (found, stated) in enumerate(zip(losses, CURVE, strict=True)):
        error = abs(found - stated) / (0.5 * 10.0 ** (np.floor(np.log10(stated)) - 5))
        if step and not found < losses[step - 1]:
            error = float("inf")
        worst = worst.worse(Measured(float(error), f"the loss after {step} steps: found {found!r}, expected {stated}"))
    return worst


FLAT = "a loss that is flat in the name"
"""What only a representation notices that tells a cotangent that never arrived from zero, as the accumulator does."""

REFUSED: tuple[tuple[str, str, str, int], ...] = (
    ("a loss that is not 1x1", "let a = [[1, 2]]\nprint a * 2", "a", 0),
    ("an unknown name", "let a = [[1]]\nprint a * 2", "b", 0),
    ("a name whose value is no literal", "let a = [[1]]\nlet b = a * 2\nprint b * b", "b", 0),
    ("an alias of a literal", "let a = [[1]]\nlet b = a\nprint b * b", "b", 0),
    ("a name that is bound later", "let a = [[1]]\nprint a * a\nlet b = [[1]]\nprint b", "b", 0),
    ("a loss that does not depend on the name", "let a = [[1]]\nlet b = [[1]]\nprint a * a", "b", 0),
    (FLAT, "let a = [[1]]\nlet b = [[2]]\nprint ge(a, b) * b", "a", 0),
    ("a loss that is not there", "let a = [[1]]\nprint a", "a", 1),
    ("a program that prints nothing", "let a = [[1]]", "a", 0),
    ("a name that stands for another literal by then", "let a = [[1]]\nlet a = a * 2\nprint a", "a", 0),
)
"""What is refused, a program, the name and the number of the loss."""

ALLOWED = ("let a = [[1]]\nlet b = [[1]]\nprint a * a * b\nlet b = a * 2\nprint b", "b", 0)
"""A task like those, which is not refused: a subject that refuses everything refuses nothing in particular."""


def parsed(texts: Sequence[tuple[str, str, int]]) -> list[Callable[[Subject], object]]:
    """For each of the tasks, what a subject makes of it."""

    def task(text: str, name: str, loss: int) -> Callable[[Subject], object]:
        program = straight(text + "\n", "refused.mg")
        return lambda subject: gradient(program, [name], loss, subject.matrices())

    return [task(*given) for given in texts]


def refusing(seed: int) -> list[tuple[str, Callable[[Subject], object]]]:
    return list(zip([what for what, *_ in REFUSED], parsed([given for _, *given in REFUSED]), strict=True))  # type: ignore[misc]


def not_refused(subject: Subject, tasks: Sequence[tuple[str, Callable[[Subject], object]]]) -> list[str]:
    """Those of the tasks that are not refused. Raises what the one that is allowed raises."""
    parsed([ALLOWED])[0](subject)
    found = []
    for what, task in tasks:
        if what == FLAT and "accumulator" not in subject.transformations:
            continue
        try:
            task(subject)
        except AdjudgeError:
            continue
        found.append(what)
    return found


DOUBLE = "of each entry, in double precision: both are right to some 10^-13"


def _hand(name: str) -> Check:
    return Check(
        f"hand-{name}", Question.RIGHT,
        f"every entry of the generated gradient of `{name}` is that of the hand-derived one",
        1e-10, DOUBLE, lambda seed: workload(WORKLOADS[name]), hand_derived,
    )  # fmt: skip


CHECKS = (
    *map(_hand, WORKLOADS),
    Check(
        "training", Question.RIGHT,
        "ten steps of descent on `attention` give the stated losses, and each step lowers the loss",
        1.0, "halves of a stated figure's last digit",
        lambda seed: straight(attention.value(), "attention.mg"), trained,
    ),
)  # fmt: skip
