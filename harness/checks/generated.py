"""How long the programs are that gradients and descents of matrix programs become: claims, counted by hand."""

from __future__ import annotations

from dataclasses import dataclass

from harness.checks.subject import Subject
from harness.workload_suite import WORKLOADS, straight
from transforms.mountain_goat.gradients import Generated, descend, gradient
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.syntax import free_variables


@dataclass(frozen=True, slots=True)
class Lengths:
    """A matrix program, the matrices that it is differentiated in, and the `let`s of what is generated.

    `once` is what a descent has beside `each` of its steps; a step of 0 is not asked for. Where no gradient is stated,
    the claim is that every `let` of it is needed.
    """

    label: str
    program: Straight
    names: tuple[str, ...]
    gradient: int | None
    each: int = 0
    once: int = 0


# Two reductions are spread and a product taken apart: 3 lines forwards, 2 and 4 backwards.
PRODUCT = """let a = [[1, 2, 3], [4, 5, 6]]
let b = [[1, 2], [3, 4], [5, 7]]
let dead = exp(a)
print col_sum(row_sum(a @ b))
"""
# 5 lines forwards. Backwards, in reverse: s * s 3 with the sum of its contributions, row_sum 1, the difference 1, the
# quotient 3, c 2, and the sums of the contributions to a and b. A step of descent has 2 lines more for each matrix;
# after the last one comes another forward pass.
SHARED = """let a = [[1, 2, 3]]
let b = [[1, 2, 5]]
let c = a * b
let dead = c * c
let s = row_sum(c / b - a)
print s * s
"""
# 13 lines forwards: a mean is a sum and a quotient, and whatever stretches is a line. Backwards: the means 4, relu 2,
# transpose 1, the quotient 3, the sums 2, m 1, exp 1, the difference 1, the maxima 1 and 6, a 1.
SOFTMAX = """let a = [[1, 2, 3], [4, 5, 6]]
let m = exp(a - row_max(a))
print col_mean(row_mean(relu(transpose(m / row_sum(m)))))
"""


def lengths(seed: int) -> list[Lengths]:
    programs = [
        Lengths("a product", straight(PRODUCT, "product.mg"), ("a", "b"), 9),
        Lengths("a shared sum", straight(SHARED, "shared.mg"), ("a", "b"), 17, each=21, once=5),
        Lengths("a softmax", straight(SOFTMAX, "softmax.mg"), ("a",), 36),
    ]
    for name in ("attention", "layernorm"):
        workload = WORKLOADS[name]
        programs.append(Lengths(name, straight(workload.value(), f"{name}.mg"), tuple(workload.PARAMETERS), None))
    return programs


def gradients(subject: Subject, prepared: list[Lengths]) -> list[tuple[float, str]]:
    """The gradients that have another length than is claimed: by how much, and which."""
    wrong = []
    for asked in prepared:
        made = gradient(asked.program, asked.names, judged=subject.matrices())
        expected = _live(made) if asked.gradient is None else asked.gradient
        wrong += _differs(f"the gradient of {asked.label}", _lets(made), expected)
    return wrong


def descents(subject: Subject, prepared: list[Lengths]) -> list[tuple[float, str]]:
    """The descents that have another length than is claimed: it is linear in the steps."""
    wrong = []
    for asked in prepared:
        for steps in (1, 3) if asked.each else ():
            found = _lets(descend(asked.program, asked.names, steps, 0.1, judged=subject.matrices()))
            expected = asked.once + steps * asked.each
            wrong += _differs(f"{steps} steps of descent on {asked.label}", found, expected)
    return wrong


def _lets(generated: Generated) -> int:
    return len(unchain(generated.straight.program.term)[0])


def _live(generated: Generated) -> int:
    """How many of the `let`s something printed depends on."""
    lines, printed = unchain(generated.straight.program.term)
    reading, count = set(free_variables(printed)), 0
    for name, operation in reversed(lines):
        if name in reading:
            count += 1
            reading.update(free_variables(operation))
    return count


def _differs(label: str, found: int, expected: int) -> list[tuple[float, str]]:
    return [] if found == expected else [(abs(found - expected), f"{label} has {found} lets, expected {expected}")]
