"""Whether gradients keep their digits: errors in units in the last place, over the whole range of doubles."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

from harness import reference
from harness.checks import compositions
from harness.checks.check import Check, Measured, Needs, Question
from harness.checks.comparison import Answer, Comparison, tables
from harness.checks.examples import BINARY, SCALAR_FORMS, UNARY, Example
from harness.checks.subject import Subject
from harness.nests import leaves
from harness.reference_tape import Undefined
from harness.workload_suite import WORKLOADS, straight
from transforms.drivers import tangent
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.parse import parse
from transforms.syntax import Op, Program, Var
from transforms.types import Array

TINY, HUGE = sys.float_info.min, sys.float_info.max

ULPS = 8
"""What is allowed, apart from rules that are one operation of arithmetic."""

ARITHMETIC = ("add", "sub", "mul", "div", "neg", "abs", "relu", "max", "min", "ge", "div0", *SCALAR_FORMS)
ARITHMETIC_ULPS = 4

LOSSES = {
    "attention": {"sequences": 4, "width": 3}, "layernorm": {}, "transformer": {"sequences": 1, "width": 2},
}  # fmt: skip
"""Sizes of the workloads whose losses are asked for."""

POINTS, ALONE = 18, 4
"""How many points a rule is asked at, together as an array, and one by one."""


@dataclass(frozen=True, slots=True)
class Right:
    """A point of a rule, the value there, and the derivatives by each argument, in high precision."""

    args: tuple[float, ...]
    value: Any
    partials: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Digits:
    """What is right.

    answers       values and gradients of rules
    forwards      of each rule what one sweep for each argument gives, held as an answer's cotangent
    compositions  values and gradients of the rows that stand for compositions
    losses        matrix programs that print a number, and the number
    """

    answers: list[Answer]
    forwards: list[tuple[Answer, dict[str, Any]]]
    compositions: list[Answer]
    losses: list[tuple[Straight, float]]


def digits(seed: int) -> Digits:
    composed = [_in_ulps(example, value, slopes, ULPS) for example, value, slopes in compositions.examples(seed)]
    found = Digits([], [], composed, list(_losses(Random(f"{seed}/losses/accuracy"))))
    for name in (*UNARY, *BINARY, *SCALAR_FORMS):
        rng = Random(f"{seed}/{name}/accuracy")
        statics = {"k": _factor(rng)} if name in SCALAR_FORMS else {}
        points = [_point(name, statics, rng) for _ in range(POINTS)]
        for right in points[:ALONE]:
            found.answers.append(_answer(name, statics, [right], (), rng))
        together = _answer(name, statics, points, (1, POINTS), rng)
        found.answers.append(together)
        found.forwards.extend(_forwards(name, points, together.example, rng))
    found.answers.extend(_sums(Random(f"{seed}/sums/accuracy")))
    return found


def accurate(subject: Subject, prepared: Digits) -> Measured:
    comparison = Comparison().ask(subject, prepared.answers)
    for rules in tables(subject):
        for answer, along in prepared.forwards:
            program, point = answer.example.program, answer.example.point
            change = list(leaves(tangent(program, point, along, rules)[1]))
            comparison.add(answer.example, "the forward macro", change, answer.cotangent, answer.scale)
    if not subject.transformations:
        return comparison.measured()
    comparison.ask(compositions.knowing(subject), prepared.compositions)
    worst = comparison.measured()
    for program, expected in prepared.losses:
        (found,) = [loss.item() for loss in run(program, subject.matrices())]
        error = abs(found - expected) / (ULPS * math.ulp(expected))
        worst = worst.worse(Measured(error, f"the loss of {program.file}: found {found!r}, expected {expected!r}"))
    return worst


def _answer(name: str, statics: dict[str, float], points: list[Right], shape: tuple[int, ...], rng: Random) -> Answer:
    """The rule at points, entry by entry of arrays of a shape; each entry's cotangent is a power of two."""
    entries = [_power_of_two(rng) for _ in points]
    columns = zip(*[right.args for right in points], strict=True)
    point = {f"x{k}": _shaped(column, shape) for k, column in enumerate(columns)}
    context = tuple([(x, Array(shape)) for x in point])
    program = Program(context, Op(name, tuple(map(Var, point)), tuple(statics.items())))
    value = [float(right.value) for right in points]
    slopes = [d * float(right.partials[j]) for j in range(len(point)) for d, right in zip(entries, points, strict=True)]
    cotangent = _shaped(entries, shape)
    example = Example(f"{name} at {len(points)} points", program, point, cotangent, rng.randrange(2))
    return _in_ulps(example, value, slopes, _allowed(name))


def _shaped(entries: Sequence[float], shape: tuple[int, ...]) -> Any:
    return np.array(entries).reshape(shape) if shape else entries[0]


def _forwards(name: str, points: list[Right], example: Example, rng: Random) -> Iterator[tuple[Answer, Any]]:
    """One sweep for each argument, along a power of two."""
    for j, moved in enumerate(example.point):
        dx = _power_of_two(rng)
        along = {x: np.full(np.shape(value), dx if x == moved else 0.0) for x, value in example.point.items()}
        yield _in_ulps(example, [], [dx * float(right.partials[j]) for right in points], _allowed(name)), along


def _in_ulps(example: Example, value: list[float], cotangent: list[float], allowed: int) -> Answer:
    scale = [allowed * math.ulp(x) for x in value + cotangent]
    return Answer(example, value, cotangent, scale)


def _allowed(name: str) -> int:
    return ARITHMETIC_ULPS if name in ARITHMETIC else ULPS


def _value(name: str, statics: dict[str, float], args: tuple[float, ...]) -> Any:
    names = [f"x{k}" for k in range(len(args))]
    term = Op(name, tuple(map(Var, names)), tuple(statics.items()))
    return reference.evaluate(term, dict(zip(names, args, strict=True)))


def _partial(name: str, statics: dict[str, float], args: tuple[float, ...], j: int) -> Any:
    """The derivative by argument j; of a scalar form, that of the rule on two arguments."""
    if name in SCALAR_FORMS:
        k = statics["k"]
        first = name.startswith("k_")
        name, args, j = (name[2:], (k, *args), 1) if first else (name[:-2], (*args, k), 0)
    return reference.partial(name, args, j)


def _power_of_two(rng: Random) -> float:
    return rng.choice((-1.0, 1.0)) * rng.choice((0.25, 0.5, 2.0, 4.0))


def _factor(rng: Random) -> float:
    """The k of a scalar form: an ordinary double, as is 1/k, or no point at all would have an ordinary derivative."""
    while True:
        k = _anywhere(rng)
        if all(16 * TINY < x < HUGE / 16 for x in (abs(k), abs(1 / k))):
            return k


def _point(name: str, statics: dict[str, float], rng: Random) -> Right:
    """Arguments at which the value and every partial derivative is 0 or an ordinary double."""
    while True:
        args = _arguments(name, rng)
        try:
            partials = tuple([_partial(name, statics, args, j) for j in range(len(args))])
            right = Right(args, _value(name, statics, args), partials)
        except Undefined:
            continue
        if all(x == 0 or 16 * TINY < abs(x) < HUGE / 16 for x in (right.value, *partials)):
            return right


def _arguments(name: str, rng: Random) -> tuple[float, ...]:
    if name == "pow":
        base = abs(_anywhere(rng))
        if rng.random() < 0.3:  # a whole exponent, where the base may be negative
            return rng.uniform(-50.0, 50.0), float(rng.randint(2, 40))
        return base, rng.uniform(-1.0, 1.0) * rng.choice((4.0, 700.0 / abs(math.log(base))))
    args = tuple(_anywhere(rng) for _ in range(1 if name in (*UNARY, *SCALAR_FORMS) else 2))
    if name in ("sin", "cos"):  # beyond, the reference would need many digits of pi
        return (math.fmod(args[0], 1e6),)
    return tuple(map(abs, args)) if name in ("log", "sqrt") else args


def _anywhere(rng: Random) -> float:
    """A number of moderate size, or where functions saturate, or anywhere in the range of doubles.

    Not as an exponential: the logarithm of such a number is known better than that of others.
    """
    kind = rng.random()
    if kind < 0.3:
        size = rng.uniform(0.01, 5.0)
    elif kind < 0.6:
        size = math.ldexp(rng.uniform(5.0, 10.0), rng.randint(0, 6))
    else:
        size = math.ldexp(rng.uniform(0.5, 1.0), rng.randint(-1021, 1023))
    return math.copysign(size, rng.random() - 0.5)


def _losses(rng: Random) -> Iterator[tuple[Straight, float]]:
    """The losses of the workloads, small ones, with parameters drawn near their own: there no loss is nearly 0."""
    for name, sizes in LOSSES.items():
        workload = WORKLOADS[name]
        program = straight(workload.value(**sizes), f"{name}.mg")
        drawn = {x: _varied(value, rng) if x in workload.PARAMETERS else value for x, value in program.point.items()}
        (loss,) = leaves(reference.evaluate(program.program.term, drawn))
        yield replace(program, point=drawn), float(loss)


def _varied(value: np.ndarray, rng: Random) -> np.ndarray:
    return value * np.array([rng.uniform(0.98, 1.02) for _ in range(value.size)]).reshape(value.shape)


def _sums(rng: Random) -> Iterator[Answer]:
    """Products and sums of positive numbers, so that no digit cancels: forwards, and in what stretching receives."""
    for text, shapes in (
        ("matmul", {"x0": (3, 12), "x1": (12, 2)}),
        ("reduce", {"x0": (2, 12)}),
        ("broadcast", {"x0": (1, 1)}),
    ):
        statics = {"reduce": {"axis": 1, "kind": "sum"}, "broadcast": {"shape": (3, 4)}}.get(text, {})
        point = {x: _positive(shape, rng) for x, shape in shapes.items()}
        context = tuple([(x, Array(shape)) for x, shape in shapes.items()])
        program = Program(context, Op(text, tuple(map(Var, shapes)), tuple(statics.items())))
        result = {"matmul": (3, 2), "reduce": (2, 1), "broadcast": (3, 4)}[text]
        yield _composite(Example(f"{text} of positive numbers", program, point, _positive(result, rng)))
    point = {"x": rng.uniform(1.0, 2.0), "y": rng.uniform(1.0, 2.0)}
    yield _composite(Example("a sum of nine products", parse(" + ".join(["x * y"] * 9)), point, 3.0))


def _positive(shape: tuple[int, ...], rng: Random) -> np.ndarray:
    return np.array([rng.uniform(0.1, 10.0) for _ in range(math.prod(shape))]).reshape(shape)


def _composite(example: Example) -> Answer:
    value = [float(x) for x in leaves(reference.evaluate(example.program.term, example.point))]
    slopes = reference.vjp(example.program, example.point, example.cotangent)
    return _in_ulps(example, value, [float(x) for x in leaves(tuple(slopes.values()))], ULPS)


CHECKS = (
    Check(
        "accuracy", Question.ACCURATE,
        "values and derivatives of every rule, soft maxima and the workloads' losses are right to a few units in the "
        "last place, over the whole range",
        1.0, f"of {ARITHMETIC_ULPS} units in the last place for arithmetic, {ULPS} for the others", digits, accurate,
        Needs.GRADIENTS,
    ),
)  # fmt: skip
