"""The check of compiled code: what the C expressions of the rules compute is what an independent evaluator computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from harness import compiled, native
from harness.checks.check import Check, Measured, Question
from harness.checks.comparison import Answer, Comparison, answered, leaves
from harness.checks.examples import USES, Example, alone
from harness.checks.subject import Subject
from harness.reference_double import evaluate
from transforms.syntax import Op, Program, Tuple, Var
from transforms.types import REAL, Type

SPECIAL: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("ge", (2.0, 2.0)), ("max", (2.0, 2.0)), ("min", (-2.0, -2.0)), ("relu", (0.0,)), ("relu", (-0.75,)),
    ("abs", (-0.75,)), ("sigmoid", (800.0,)), ("sigmoid", (-800.0,)), ("pow", (-2.0, 3.0)), ("pow", (0.0, 2.0)),
    ("div0", (0.0, 0.0)),
)  # fmt: skip
"""Ties, zeros, saturation and negative bases, where an expression that is right elsewhere goes wrong."""


def prepare(seed: int) -> Answer:
    """One program with a result for each use of a rule, so that one compilation judges all; and what it should print.

    Raises ToolMissing where there is no compiler.
    """
    native.toolchain()
    context: list[tuple[str, Type]] = []
    point: dict[str, Any] = {}
    results: list[Op] = []

    def use(rule: str, arguments: list[tuple[Type, Any]], statics: tuple[tuple[str, Any], ...] = ()) -> None:
        names = [f"v{len(context) + k}" for k in range(len(arguments))]
        context.extend((name, type_) for name, (type_, _) in zip(names, arguments, strict=True))
        point.update((name, value) for name, (_, value) in zip(names, arguments, strict=True))
        results.append(Op(rule, tuple(map(Var, names)), statics))

    for example in (alone(each, seed) for each in USES):
        term = example.program.term
        assert isinstance(term, Op)
        use(term.name, [(type_, example.point[name]) for name, type_ in example.program.context], term.statics)
    for rule, values in SPECIAL:
        use(rule, [(REAL, value) for value in values])
    program = Program(tuple(context), Tuple(tuple(results)))
    return answered(Example("every rule", program, point, None), evaluate(program, point), {})


def compiled_value(subject: Subject, answer: Answer) -> Measured:
    """The largest relative error of what the subject's compiled program prints."""
    rules, example = subject.matrices().rules, answer.example
    found = [float(x) for x in leaves(compiled.value(example.program, example.point, rules).run())]
    return Comparison().add(example, "compiled", found, answer.primal, answer.scale).measured()


@dataclass(frozen=True, slots=True)
class _Unused:
    pass


CHECKS = (
    Check(
        "native-agrees", Question.RIGHT,
        "compiled code computes what an independent evaluator computes, in every rule", 1e-13,
        "two libraries of elementary functions differ by a few units in the last place, single precision by 1e-8",
        prepare, compiled_value,
    ),
)  # fmt: skip
