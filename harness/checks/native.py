"""Checks of compiled code.

What the C expressions of the rules compute is what an independent evaluator computes; and what kernels compute is, to
the last bit, what one loop nest for each operation computes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import nan
from random import Random
from typing import Any

import numpy as np

from harness import compiled, native
from harness.checks.check import Check, Measured, Question, counted
from harness.checks.examples import USES, alone
from harness.checks.subject import Subject
from harness.nests import leaves
from harness.random_matrices import random_matrices
from harness.reference_double import evaluate
from harness.workload_suite import straight
from transforms.array_rules import TABLE
from transforms.kernels.plan import LIMITS, Limits
from transforms.machines.emit_c import EmitC
from transforms.mountain_goat.gradients import gradient
from transforms.mountain_goat.straight import Straight
from transforms.syntax import Op, Program, Tuple, Var
from transforms.types import REAL, Type

SPECIAL: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("ge", (2.0, 2.0)), ("max", (2.0, 2.0)), ("min", (-2.0, -2.0)), ("relu", (0.0,)), ("relu", (-0.75,)),
    ("abs", (-0.75,)), ("sigmoid", (800.0,)), ("sigmoid", (-800.0,)), ("pow", (-2.0, 3.0)), ("pow", (0.0, 2.0)),
    ("div0", (0.0, 0.0)),
)  # fmt: skip
"""Ties, zeros, saturation and negative bases, where an expression that is right elsewhere goes wrong."""

INPUTS = {"a": (20, 20), "b": (20, 20), "m": (3, 3), "w": (4, 30), "c": (2, 6), "x": (2, 18)}
"""What names in `FIXED` stand for: rows that are longer than those that are written out, and shorter ones."""

FIXED = (
    # Rows that have to be complete before they are used, in the same kernel: sums and maxima of long rows.
    "let e = exp(w - row_max(w))\nprint e / row_sum(e)\n",
    # Products whose right argument has to be complete before.
    "let e = exp(m)\nprint e\nprint e @ e\nlet f = exp(a)\nprint f\nprint f @ f\n",
    # What one row needs of others: a transposed matrix, and sums of rows as a row.
    "let e = exp(m)\nprint e - transpose(e)\nlet s = row_sum(e)\nprint s\nprint e - transpose(s)\n",
    "let f = exp(a)\nprint f - transpose(f)\n",
    # A matrix of both zeros, which are equal.
    "print [[2.0, 3.0]] / [[0.0, -0.0]]\n",
    # Sums of -0.0 alone: they are -0.0, of products 0.0.
    "let z = 0.0 * ge(x, x)\nlet z = -z\nprint row_sum(z)\nprint col_sum(z)\nprint z @ transpose(-z)\n",
    "let z = -0.0 * ge(m, m)\nprint row_sum(z)\nprint col_sum(z)\nprint z @ (-z)\n",
    # Maxima below zero, and from buffers in which there was something else before.
    "let e = -exp(w)\nprint row_max(e)\nprint col_max(e)\nprint col_sum(e)\n",
    # Buffers that are used again as soon as they may be, and results that stay to the end.
    "let p = a @ b\nprint p\nlet p = p @ b\nlet p = p @ a\nlet p = p @ b\nprint p\nprint p @ p\n",
    # Axes in another order, which no strides of a matrix say.
    "let t = permute(reshape(c, 2, 2, 3), 1, 0, 2)\nprint t\nprint reshape(t, 3, 4) @ transpose(reshape(c, 3, 4))\n",
)
"""Programs in which kernels go wrong that take values together too early, or keep them too short."""

RANDOM = 10
"""Random programs, each with its gradient."""

LIMITED = {"at small limits": Limits(short=2, product=5, step=2, nodes=7, entries=20, kept=3), "as usual": LIMITS}


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


@dataclass(frozen=True, slots=True)
class Kernels:
    """Programs that are compiled together, each with a label and what it prints when it is compiled as it is."""

    labels: list[str]
    programs: list[Straight]
    expected: list[tuple[np.ndarray, ...]]


def prepare_kernels(seed: int) -> Kernels:
    """The fixed programs, and random ones with their gradients. Raises ToolMissing where there is no compiler."""
    draw = np.random.default_rng([seed, 9])
    asked = [(repr(text), straight(_with_inputs(draw, text), "kernels.mg")) for text in FIXED]
    rng = Random(f"{seed}/kernels")
    for number in range(RANDOM):
        sample = random_matrices(rng, size=rng.choice((12, 24)))
        line = straight(sample.source, "random.mg")
        asked.append((f"random program {number}", line))
        if sample.wrt:
            asked.append((f"the gradient of random program {number}", gradient(line, sample.wrt, sample.loss).straight))
    labels, programs = map(list, zip(*asked, strict=True))
    machine = EmitC(TABLE)
    plain = tuple([compiled.plain(machine, program) for program in programs])
    return Kernels(labels, programs, compiled.Emitted(machine, plain).run())


def _with_inputs(draw: np.random.Generator, text: str) -> str:
    """A program with the matrices of `INPUTS` that it names as its own, of both signs."""
    named = [name for name in INPUTS if re.search(rf"\b{name}\b", text)]
    return "".join([f"let {name} = {draw.normal(size=INPUTS[name]).tolist()}\n" for name in named]) + text


def differing(subject: Subject, asked: Kernels) -> Measured:
    """How many of the matrices that are printed differ, in a bit or in shape, when the subject's kernels print them."""
    judged = subject.matrices()
    machine = EmitC(judged.rules)
    results = [tuple([judged.drivers.kernels(machine, p, at) for p in asked.programs]) for at in LIMITED.values()]
    wrong = []
    for at, printed in zip(LIMITED, compiled.Emitted(machine, tuple(results)).run(), strict=True):
        for label, found, expected in zip(asked.labels, printed, asked.expected, strict=True):
            for k, (a, b) in enumerate(zip(found, expected, strict=True)):
                if differs := _difference(a, b):
                    wrong.append(f"print {k} of {label}, {at}: {differs}")
    return counted(wrong)


def _difference(found: np.ndarray, expected: np.ndarray) -> str:
    """The first entry that differs in a bit, or the shapes; NaN is one, however it came about."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    for k, (x, y) in enumerate(zip(found.flat, expected.flat, strict=True)):
        if x.tobytes() != y.tobytes():
            return f"entry {k} is {float(x)!r}, expected {float(y)!r}"
    return ""


CHECKS = (
    Check(
        "native-agrees", Question.RIGHT,
        "compiled code computes what an independent evaluator computes, in every rule", 1e-13,
        "two libraries of elementary functions differ by a few units in the last place, single precision by 1e-8",
        prepare, largest_error,
    ),
    Check(
        "kernels-agree", Question.RIGHT,
        "kernels print the same bits as one loop nest for each operation, whatever their limits", 0.0,
        "the matrices that differ are counted: the operations and their order are the same",
        prepare_kernels, differing,
    ),
)  # fmt: skip
