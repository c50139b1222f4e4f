"""The check of compiled code: what the C expressions of the rules compute is what an independent evaluator computes."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

from harness import compiled, native
from harness.checks.check import Check, Measured, Question
from harness.checks.examples import USES, alone
from harness.checks.subject import Subject
from harness.nests import leaves
from harness.reference_double import evaluate
from transforms.syntax import Op, Program, Tuple, Var
from transforms.types import REAL, Type

SPECIAL: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("ge", (2.0, 2.0)), ("max", (2.0, 2.0)), ("min", (-2.0, -2.0)), ("relu", (0.0,)), ("relu", (-0.75,)),
    ("abs", (-0.75,)), ("sigmoid", (800.0,)), ("sigmoid", (-800.0,)), ("pow", (-2.0, 3.0)), ("pow", (0.0, 2.0)),
    ("div0", (0.0, 0.0)),
)  # fmt: skip
"""Ties, zeros, saturation and negative bases, where an expression that is right elsewhere goes wrong."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A program that uses every rule, at a point; for each use its label and the numbers that are right."""

    program: Program
    point: dict[str, Any]
    expected: list[tuple[str, list[float]]]


def prepare(seed: int) -> Asked:
    """One program with a result for each use of a rule, so that one compilation judges them all.

    Raises ToolMissing where there is no compiler.
    """
    native.toolchain()
    context: list[tuple[str, Type]] = []
    point: dict[str, Any] = {}
    labels: list[str] = []
    results: list[Op] = []

    def use(label: str, rule: str, values: list[tuple[Type, Any]], statics: tuple[tuple[str, Any], ...] = ()) -> None:
        names = [f"v{len(context) + k}" for k in range(len(values))]
        context.extend([(name, type_) for name, (type_, _) in zip(names, values, strict=True)])
        point.update({name: value for name, (_, value) in zip(names, values, strict=True)})
        labels.append(label)
        results.append(Op(rule, tuple(map(Var, names)), statics))

    for each in USES:
        example = alone(each, seed)
        term = example.program.term
        assert isinstance(term, Op)
        use(
            each.label,
            term.name,
            [(type_, example.point[name]) for name, type_ in example.program.context],
            term.statics,
        )
    for rule, values in SPECIAL:
        use(f"{rule}{values}", rule, [(REAL, value) for value in values])
    program = Program(tuple(context), Tuple(tuple(results)))
    right = [[float(x) for x in leaves(value)] for value in evaluate(program, point)]
    return Asked(program, point, list(zip(labels, right, strict=True)))


def largest_error(subject: Subject, asked: Asked) -> Measured:
    """The largest error over max(1, |expected|) of what the subject's compiled program results in."""
    found = compiled.value(asked.program, asked.point, subject.matrices().rules).run()
    worst = Measured(0.0)
    for (label, right), value in zip(asked.expected, found, strict=True):
        numbers = [float(x) for x in leaves(value)]
        if len(numbers) != len(right):
            return Measured(nan, f"{label}: {len(numbers)} numbers instead of {len(right)}")
        for k, (x, y) in enumerate(zip(numbers, right, strict=True)):
            error = abs(x - y) / max(1.0, abs(y))
            if not error <= worst.error:  # NaN is worst
                worst = Measured(error, f"entry {k} of {label} is {x!r}, expected {y!r}")
            if error != error:
                return worst
    return worst


CHECKS = (
    Check(
        "native-agrees", Question.RIGHT,
        "compiled code computes what an independent evaluator computes, in every rule", 1e-13,
        "two libraries of elementary functions differ by a few units in the last place, single precision by 1e-8",
        prepare, largest_error,
    ),
)  # fmt: skip
