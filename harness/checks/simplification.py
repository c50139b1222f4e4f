"""Simplification of matrix programs: what each level promises, in programs that exercise every rewrite.

A simplified program is run at another point than the one that it was simplified at, since inputs are data. Values are
computed as compiled code computes them: sums and products in order, each operation rounded once. NumPy's own sums go
in another order when their argument is transposed, or long, so theirs would say nothing of bits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, prod
from random import Random

import numpy as np

from harness.checks.check import Check, Measured, Question
from harness.checks.subject import Subject
from harness.magnitudes import magnitudes
from harness.random_matrices import random_matrices
from harness.workload_suite import straight
from transforms.array_rules import TABLE
from transforms.mountain_goat.gradients import gradient
from transforms.mountain_goat.judged import MATRICES
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.simplify.gradients import reassociated_gradient
from transforms.simplify.rewrite import Level

SHAPES = {
    "a": (2, 3), "b": (2, 3), "r": (1, 3), "c": (2, 1), "s": (1, 1), "m": (2, 2), "n": (2, 2), "t": (3, 4),
    "v": (4, 2), "w": (2, 6), "x": (1, 4), "y": (4, 1),
}  # fmt: skip
"""What stands for a matrix of this shape, an input of its own in each expression."""

EXACT = (
    "exp(a + [[1.0, 2.0, 3.0]] * [[0.0, 1.0, 1.0]])", "w * row_sum([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]])",
    "w * col_sum([[0.1], [0.7], [0.3], [1e16], [1.0], [-1e16]])", "transpose(transpose(a)) * b",
    "transpose(transpose(m)) * n", "reshape(transpose(a), 2, 3) * b", "reshape(reshape(a, 3, 2), 1, 6)",
    "reshape(transpose(r), 1, 3) * r", "permute(permute(reshape(t, 2, 2, 3), 1, 2, 0), 1, 0, 2)",
    "permute(reshape(w, 2, 2, 3), 1, 0, 2)", "row_sum(c) * col_max(c - c)", "col_sum(r) + row_sum(r)", "row_sum(m)",
    "a * [[2.0]] - [[1.0]]", "[[1.0]] - a", "[[2.0]] / a", "a / [[3.0]]", "a - [[2.0, 3.0, 4.0]]",
    "[[2.0, 3.0, 5.0]] * b + a", "(a * 1.0 - 0.0) / [[1.0]]", "w + 0.0", "w * 0.0", "w - [[-0.0]]", "a @ t + 0.0",
    "0.0 * ge(a, b)", "a / -1.0", "a - -b", "a + -b", "-a + b", "(-a) * b + a", "(-a) / b", "(-a) / (-b)", "a / -b",
    "-(a - b)", "-(w - w)", "[[2.0]] - (-a)", "(-a) + [[2.0]]", "(-a) * 3.0", "[[2.0]] / (-b)", "-(a * 3.0)",
    "-(a + 3.0)", "-([[2.0]] / a)", "a + ge([[0.0]], exp(a) + 1.0) * b", "ge([[0.0]], w * w)", "ge([[0.0]], relu(w))",
    "ge(w, w)", "ge([[0.0]], sqrt(a * a))", "exp(r * [[2.0], [2.0]] - s)", "r * c",
    "(c * [[1.0, 1.0, 1.0]]) - (s * [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])", "row_max(c * [[1.0, 1.0, 1.0]])",
    "row_sum(c * [[1.0, 1.0, 1.0]])", "col_sum(c * [[1.0, 1.0]])", "exp(transpose(a)) + transpose(b)",
    "m + transpose(n)", "transpose(m) / n", "transpose(m) - transpose(n)", "row_sum(transpose(a))",
    "col_sum(transpose(m))", "transpose(a @ transpose(b))", "transpose(m @ transpose(n))",
    "transpose(transpose(m) @ n)", "transpose((transpose(a) @ b) * 3.0)", "transpose(v @ (-transpose(v)))",
    "a * 3.0 - a * 2.0", "(a + b) * (b + a)", "(a - b) * (b - a)", "row_sum(m) + transpose(col_sum(m))",
    "col_max(n) - col_sum(n)", "a / 4.0 * 3.0", "row_sum(a * c)", "(c @ r) @ t",
)  # fmt: skip
"""What exact simplification sees, or should leave as it is: the prints of one program."""

REASSOCIATED = (
    "a / 4.0 * 3.0", "a * 3.0 / 7.0", "(a * 3.0) * (b * 2.0)", "a / (b * 4.0)", "(a * 5.0) / b", "(-a) / (b * 3.0)",
    "row_sum(a * 3.0)", "row_max(a * -3.0)", "col_max(-a)", "col_sum(b / 3.0)", "a * 3.0 - b * 3.0",
    "a * 3.0 - b * 2.0", "a * 3.0 + b * 2.0", "transpose(c * 3.0) @ c", "x @ (y * 5.0)", "x @ (-y)", "(c @ r) * 3.0",
    "(y @ r) * 3.0", "row_sum(a * c)", "row_max(a * (-relu(c) - 1.0))", "row_sum(a / c)", "row_sum(c / a)",
    "col_sum(a * r)",
    "col_sum(a * c)", "row_sum(m * row_sum(n))", "row_sum(m * col_sum(n))", "(m @ n) @ m", "col_sum(m / col_sum(n))",
    "row_sum(a * s)", "(c @ r) @ transpose(a)", "(c @ r) @ t", "transpose(r) @ (transpose(c) @ a)",
    "c @ (transpose(c) @ m)", "(c @ transpose(c)) @ m", "transpose(c @ transpose(c)) @ m",
    "transpose(m @ c @ transpose(c)) @ n",
)  # fmt: skip
"""As `EXACT`, for what only reassociation does."""

NAMES = (
    "let p = a + b\nprint p\nlet a = b * 2.0\nlet q = a + b\nprint q * p\n",
    "let p = row_sum(a)\nlet q = row_max(a)\nprint p - q\nlet p = q\nprint p / 3.0\n",
    "def f(a: tensor[2x3], b: tensor[2x3]) = a - b\nprint f(a, b)\nprint f(b, a)\n",
    "let p = a * b\nlet dead = exp(p)\nprint a\nprint p + 1.0\n",
)
"""Programs of several lines: names that are bound again, arguments that change places, a value that is printed late."""

COMPOSED = (
    "let e = exp(a - row_max(a))\nlet p = e / row_sum(e)\n"
    "let d = a - row_max(a)\nlet q = d - log(row_sum(exp(d)))\n"
    "let f = a - row_mean(a)\nlet h = f / sqrt(row_mean(f * f) + 0.125)\n"
    "let k = t - col_max(t)\nlet o = exp(k) / col_sum(exp(k))\n"
    "print col_sum(row_sum(p * q * h * b)) + col_sum(row_sum(o * t))\n"
)
"""The three compositions that are recognised, and one that is not, being along the columns."""

Inputs = dict[str, np.ndarray]

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-200, 1e200, 1.0])
"""Where identities end: zeros, infinities, NaN, and what underflows and overflows when it is squared."""

CLOSE = 1e-12
"""How far a reassociated entry may be off, of the sum of the absolute terms that it is made of."""


def product_in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    r = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        r = r + a[:, k : k + 1] * b[k : k + 1]
    return r


def reduced_in_order(a: np.ndarray, *, axis: int, kind: str) -> np.ndarray:
    together = np.add if kind == "sum" else np.maximum
    return np.take(together.accumulate(a, axis=axis), [-1], axis=axis)


IN_ORDER = replace(
    MATRICES,
    rules={
        **TABLE,
        "matmul": replace(TABLE["matmul"], evaluate=product_in_order),
        "reduce": replace(TABLE["reduce"], evaluate=reduced_in_order),
    },
)
"""What runs programs here, whatever the subject."""


@dataclass(frozen=True, slots=True)
class Point:
    """Other inputs for a program, what it prints there, and of each entry the sum of the absolute terms behind it."""

    inputs: Inputs
    expected: list[np.ndarray]
    magnitudes: list[np.ndarray]


@dataclass(frozen=True, slots=True)
class Simplified:
    """A program, what it prints as text, and the points to run it at after simplification at each level."""

    labels: Sequence[str]
    program: Straight
    exact: Sequence[Point]
    reassociated: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Asked:
    programs: list[Simplified]
    composed: Straight
    expected: list[np.ndarray]


def prepare(seed: int) -> Asked:
    """Every program with its points, and a gradient by parts of what is recognised as compositions."""
    draw = np.random.default_rng([seed, 6])
    exact, reassociated = [_printing(draw, expressions) for expressions in (EXACT, REASSOCIATED)]
    programs = [
        _asked(EXACT, exact, [_special(draw, exact), _plain(draw, exact)], []),
        _asked(REASSOCIATED, reassociated, [], [_plain(draw, reassociated)]),
    ]
    for text in NAMES:
        line = straight(_inputs(draw, {name: SHAPES[name] for name in "ab"}) + text, "names.mg")
        programs.append(_asked([text] * len(line.prints), line, [_special(draw, line)], []))
    rng = Random(f"{seed}/simplification")
    line = straight(random_matrices(rng, size=12).source, "random.mg")
    same = dict(line.point)
    programs.append(_asked([line.program.source] * len(line.prints), line, [same], [same]))
    composed = straight(_inputs(draw, {name: SHAPES[name] for name in "abt"}) + COMPOSED, "composed.mg")
    return Asked(programs, composed, run(gradient(composed, ("a",)).straight))


def _printing(draw: np.random.Generator, expressions: Sequence[str]) -> Straight:
    """A program that prints the expressions, each of which has its own inputs."""
    named = re.compile(rf"\b[{''.join(SHAPES)}]\b")
    lines, shapes = [], {}
    for number, expression in enumerate(expressions):
        shapes |= {f"{name}{number}": SHAPES[name] for name in named.findall(expression)}
        lines.append(f"print {named.sub(lambda found, k=number: f'{found[0]}{k}', expression)}\n")
    return straight(_inputs(draw, shapes) + "".join(lines), "simplified.mg")


def _inputs(draw: np.random.Generator, shapes: Mapping[str, tuple[int, int]]) -> str:
    return "".join([f"let {name} = {draw.uniform(0.3, 3.0, shape).tolist()}\n" for name, shape in shapes.items()])


def _special(draw: np.random.Generator, line: Straight) -> Inputs:
    """Inputs of both signs, a third of them special; of a large matrix all are, and each special number is there."""

    def inputs(shape: tuple[int, ...]) -> np.ndarray:
        special = draw.permutation(np.resize(SPECIAL, prod(shape))).reshape(shape)
        return (
            special
            if special.size > SPECIAL.size
            else np.where(draw.random(shape) < 0.35, special, draw.normal(size=shape))
        )

    return {name: inputs(value.shape) for name, value in line.point.items()}


def _plain(draw: np.random.Generator, line: Straight) -> Inputs:
    return {
        name: draw.uniform(0.3, 3.0, value.shape) * draw.choice([-1.0, 1.0], value.shape)
        for name, value in line.point.items()
    }


def _asked(
    labels: Sequence[str], line: Straight, exact: Sequence[Inputs], reassociated: Sequence[Inputs]
) -> Simplified:
    return Simplified(
        labels, line, [_point(line, inputs) for inputs in exact], [_point(line, inputs) for inputs in reassociated]
    )


def _point(line: Straight, inputs: Inputs) -> Point:
    moved = replace(line, point=inputs)
    return Point(inputs, run(moved, IN_ORDER), magnitudes(moved, IN_ORDER.rules))


def largest_error(subject: Subject, asked: Asked) -> Measured:
    """The largest error in units of `CLOSE` of the terms; infinite where an exact result differs in a bit."""
    judged = subject.matrices()
    worst = Measured(0.0)
    for simplified in asked.programs:
        at: dict[Level, Sequence[Point]] = {"exact": simplified.exact, "reassociate": simplified.reassociated}
        for level, points in at.items():
            if not points:
                continue
            found = judged.drivers.simplify(simplified.program, level)
            for point in points:
                values = run(replace(found, point=point.inputs), IN_ORDER)
                worst = worst.worse(_compared(simplified.labels, values, point, level))
    found = run(reassociated_gradient(asked.composed, ("a",), judged=judged).straight)
    point = Point({}, asked.expected, [np.ones(value.shape) for value in asked.expected])
    return worst.worse(_compared(("compositions", "their gradient"), found, point, "reassociate"))


def _compared(labels: Sequence[str], found: Sequence[np.ndarray], point: Point, level: Level) -> Measured:
    worst = Measured(0.0)
    for label, a, b, magnitude in zip(labels, found, point.expected, point.magnitudes, strict=True):
        if a.shape != b.shape:
            error = inf
        elif level == "exact":
            error = 0.0 if _bits(a) == _bits(b) else inf
        else:
            with np.errstate(all="ignore"):
                error = float(np.max(np.where(a == b, 0.0, np.abs(a - b) / (CLOSE * magnitude)), initial=0.0))
        if not error <= worst.error:
            worst = Measured(error, f"{label}, {level}: found {a.tolist()}, expected {b.tolist()}")
    return worst


def _bits(value: np.ndarray) -> bytes:
    """The bytes of an array, in which there is one NaN only."""
    return np.where(np.isnan(value), np.nan, value).tobytes()


CHECKS = (
    Check(
        "simplification", Question.RIGHT,
        "simplified programs print the same bits, and reassociated ones the same but for rounding", 1.0,
        "in units of 1e-12 of the sum of absolute terms; where bits count, another one is infinitely far off",
        prepare, largest_error,
    ),
)  # fmt: skip
