"""The efficiency theorem, on one program at one point.

Smeding and Vakar, Efficient CHAD, equation 7, with the constant of its machine-checked proof: for a program t in a
context of n variables, running the transformed program on a cotangent d, accumulating from zeros, costs at most

    5 + 34 * cost(t) + size(d) + 4 * n
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from transforms.chad.evaluate import evaluate, unnest
from transforms.chad.syntax import Program, Var
from transforms.chad.transform import EFFICIENT, Clauses, whole
from transforms.chad.typecheck import check_source, check_target
from transforms.chad.types import linear
from transforms.chad.values import size

CONSTANT = 34


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one run costs, and what the theorem allows."""

    source_cost: int
    cost: int
    cotangent_size: int
    variables: int
    primal: Any
    gradient: tuple[Any, ...]
    """The linear value that each variable of the context receives, in the order of the context."""

    @property
    def bound(self) -> int:
        return 5 + CONSTANT * self.source_cost + self.cotangent_size + 4 * self.variables

    @property
    def holds(self) -> bool:
        return self.cost <= self.bound

    @property
    def constant(self) -> float:
        """What the run needs in place of the theorem's constant."""
        return (self.cost - 5 - self.cotangent_size - 4 * self.variables) / self.source_cost


def judge(program: Program, inputs: Sequence[Any], cotangent: Any, clauses: Clauses = EFFICIENT) -> Verdict:
    """Checks, transforms, checks again and runs a program.

    `inputs` are values of the context's variables, `cotangent` a linear value of the program's type. Raises IllTyped
    or OutOfScope for a program, or a transformed program, that is wrong.
    """
    with _no_cycles():
        d = Var("d", linear(check_source(program)))
        transformed = whole(program, d, clauses)
        check_target(transformed, (*program.context, d))
        point = dict(zip(program.context, inputs, strict=True))
        primal, source_cost = evaluate(program.term, point)
        gradient, cost = evaluate(transformed, {**point, d: cotangent})
    return Verdict(source_cost, cost, size(cotangent), len(inputs), primal, tuple(unnest(gradient)))


@contextmanager
def _no_cycles() -> Iterator[None]:
    """Pauses the cycle collector: terms and values have no cycles, and it would visit them over and over."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
