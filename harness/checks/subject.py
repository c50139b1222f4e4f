"""What is under judgement: a transformation in each representation it comes with, or just a function to gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from transforms.chad.transform import EFFICIENT, Clauses
from transforms.drivers import TRANSFORMATIONS, Point, Transformation, gradient
from transforms.mountain_goat.judged import MATRICES, MatrixTransformation
from transforms.syntax import Program

Vjp = Callable[[Program, Point, Any], Mapping[str, Any]]
"""From a program, a point and a cotangent of its result to the context cotangent, by variable."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An AD implementation under judgement.

    `transformations` holds it by representation. A user's own function has none: then `function` gives its gradients,
    and the checks that ask for more than gradients do not apply to it. `core` is the transformation that the efficiency
    theorem is about, which has clauses of its own; None where it is not under judgement.
    """

    name: str
    transformations: Mapping[str, Transformation] = field(default_factory=dict)
    function: Vjp | None = None
    core: Clauses | None = None

    def gradients(self, program: Program, point: Point, cotangent: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The context cotangent in each representation, by its name."""
        if self.function is not None:
            yield self.name, self.function(program, point, cotangent)
        for name, judged in self.transformations.items():
            yield name, gradient(judged, program, point, cotangent).cotangent

    def matrices(self) -> MatrixTransformation:
        """The transformation that matrix programs are differentiated by: the accumulator's, where there are two."""
        judged = self.transformations.get("accumulator") or next(iter(self.transformations.values()))
        if isinstance(judged, MatrixTransformation):
            return judged
        drivers = replace(MATRICES.drivers, seed=judged.drivers.seed, hvp=judged.drivers.hvp)
        return MatrixTransformation(judged.rules, judged.clauses, judged.representation, judged.machine, drivers)

    def changed(self, name: str, change: Callable[[Transformation], Transformation]) -> Subject:
        """The subject with every one of its transformations changed."""
        changed = {representation: change(judged) for representation, judged in self.transformations.items()}
        return replace(self, name=name, transformations=changed)


UNMUTATED = Subject(
    "adjudge",
    {name: replace(MATRICES, representation=judged.representation) for name, judged in TRANSFORMATIONS.items()},
    core=EFFICIENT,
)
"""The transformation as it should be, with every row of the table."""
