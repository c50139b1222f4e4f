"""Inputs that are zero, tiny, huge or saturated, where the true gradient is finite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from harness import reference
from harness.checks.check import Measured
from harness.checks.comparison import Answer, Comparison
from harness.checks.examples import Example, direction, signed
from harness.checks.subject import Subject
from harness.nests import leaves
from harness.reference_double import evaluate
from transforms.parse import parse
from transforms.syntax import Op, Program, Var
from transforms.types import Array

TINY = 1e-300
"""What may be off at a gradient that is 0 or too small for a double."""

HARD: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("x * log(y)", {"x": 0.0, "y": 3.0}),
    ("x * y * z", {"x": 0.0, "y": 2.0, "z": 3.0}),
    ("x * y * z", {"x": 0.0, "y": 0.0, "z": 3.0}),
    ("x * x * x", {"x": 0.0}),
    ("x / y", {"x": 0.0, "y": 3.0}),
    ("x / y", {"x": 1e-170, "y": 1e-170}),
    ("x / y", {"x": 2e160, "y": 1e170}),
    ("x / y / y", {"x": 3e200, "y": 1e140}),
    ("x / y", {"x": 3e-200, "y": -1e-180}),
    ("sigmoid(x)", {"x": -40.0}),
    ("sigmoid(x)", {"x": 40.0}),
    ("sigmoid(x)", {"x": 400.0}),
    ("sigmoid(x)", {"x": -700.0}),
    ("sigmoid(x)", {"x": -1000.0}),
    ("sigmoid(x)", {"x": 1000.0}),
    ("sigmoid(x)", {"x": 0.0}),
    ("x * sigmoid(x)", {"x": -60.0}),
    ("tanh(x)", {"x": 20.0}),
    ("tanh(x)", {"x": -20.0}),
    ("tanh(x)", {"x": 300.0}),
    ("tanh(x)", {"x": 1000.0}),
    ("tanh(x)", {"x": -1000.0}),
    ("tanh(x)", {"x": 0.0}),
    ("tanh(x)", {"x": 1e-200}),
    ("log(x)", {"x": 1e-300}),
    ("log(x)", {"x": 1e300}),
    ("log(exp(x) + exp(y))", {"x": 600.0, "y": 590.0}),
    ("max(x, y) + log(exp(x - max(x, y)) + exp(y - max(x, y)))", {"x": 1000.0, "y": -1000.0}),
    ("exp(x)", {"x": -700.0}),
    ("exp(x)", {"x": -2000.0}),
    ("exp(-(x * x))", {"x": 40.0}),
    ("sqrt(x)", {"x": 1e-300}),
    ("sqrt(x)", {"x": 1e300}),
    ("let n = sqrt(x * x) in 0.5 * n * n", {"x": 0.0}),
    ("let r = sqrt(x * x + y * y) in r / 2", {"x": 3e-150, "y": 4e-150}),
    ("pow(x, 2)", {"x": 1e150}),
    ("pow(x, 2)", {"x": -1e150}),
    ("pow(x, y)", {"x": 1e150, "y": 1.8}),
    ("pow(x, y)", {"x": 1e-140, "y": 2.0}),
    ("pow(x, y)", {"x": 1e-3, "y": -90.0}),
    ("pow(x, -1)", {"x": 1e-150}),
    ("pow(x, 3)", {"x": -1e-100}),
    ("abs(x)", {"x": -1e-300}),
    ("abs(x)", {"x": 1e300}),
    ("relu(x)", {"x": -1e-300}),
    ("relu(x)", {"x": 1e300}),
    ("max(x, y)", {"x": 1e-300, "y": -1e300}),
    ("min(x, y)", {"x": 1e-300, "y": -1e300}),
    ("cos(x)", {"x": 1e-150}),
    ("sin(x)", {"x": 0.0}),
    ("cos(x)", {"x": 0.0}),
)
"""Programs on reals, and points that a seed varies by up to a tenth; what is 0 stays 0."""


STATED: tuple[tuple[str, Mapping[str, float], Mapping[str, float]], ...] = (
    ("let s = sqrt(x) in y * y", {"x": 0.0, "y": 2.0}, {"x": 0.0, "y": 4.0}),
    ("0 * sqrt(x) + y", {"x": 0.0, "y": 2.0}, {"x": 0.0, "y": 1.0}),
    ("0 * pow(x, 0.5) + y", {"x": 0.0, "y": 2.0}, {"x": 0.0, "y": 1.0}),
    *[
        (f"{name}({args})", {"x": 1.0, "y": 1.0 + 2.0**-30}, {"x": float(x), "y": float(not x)})
        for name, x in (("max", False), ("min", True))
        for args in ("x, y", "y, x")
    ],
)
"""Programs at the edge of a domain, where no difference is two-sided, or near a tie: with their gradients, unvaried."""


def answers(seed: int) -> list[Answer]:
    """The high-precision gradients of HARD, and of array programs at numbers as large; an error is relative."""
    rng = Random(f"{seed}/hard-points")
    found = []
    for text, point, slopes in STATED:
        example = Example(text, parse(text), dict(point), signed(rng, 0.3, 3.0))
        value = list(leaves(evaluate(example.program, example.point)))
        found.append(_answer(example, value, [example.cotangent * slopes[x] for x, _ in example.program.context]))
    for text, point in HARD:
        varied = {name: x * rng.uniform(0.9, 1.1) for name, x in point.items()}
        found.append(_relative(Example(text, parse(text), varied, signed(rng, 0.3, 3.0))))
    return found + [replace(_relative(example), primal=[]) for example in _arrays(rng)]


def _arrays(rng: Random) -> Iterator[Example]:
    """Soft maxima of logits hundreds apart, a deviation from the mean that is 0, quotients of huge and tiny numbers."""
    x, m = Var("x"), Var("m")
    shape, logits = Array((2, 3)), np.array([[-431.0, 279.0, 427.0], [12.0, -700.0, 3.0]])
    top = Op("reduce", (x,), (("axis", 1), ("kind", "max")))
    weights = Op("exp", (Op("sub", (x, Op("broadcast", (top,), (("shape", (2, 3)),)))),))
    total = Op("add", (Op("log", (Op("reduce", (weights,), (("axis", 1), ("kind", "sum"))),)), top))
    varied = logits * np.array([[rng.uniform(0.9, 1.1) for _ in range(3)] for _ in range(2)])
    yield _example("log of a sum of exponentials, shifted", (("x", shape),), total, {"x": varied}, rng)
    mean = Op("div_k", (Op("reduce", (x,), (("axis", 1), ("kind", "sum"))),), (("k", 1.0),))
    apart = Op("sub", (x, mean))
    one = {"x": np.array([[signed(rng, 0.3, 3.0)]])}
    yield _example("a deviation of one entry", (("x", Array((1, 1))),), Op("mul", (apart, apart)), one, rng)
    tiny = {"x": varied * 1e-180, "m": np.array([[signed(rng, 1.0, 2.0) * 1e-175 for _ in range(3)] for _ in range(2)])}
    for name in ("div", "div0"):
        yield _example(f"{name} of tiny numbers", (("x", shape), ("m", shape)), Op(name, (x, m)), tiny, rng)
    yield _example("k over tiny numbers", (("x", shape),), Op("k_div", (x,), (("k", 1e-160),)), {"x": tiny["m"]}, rng)


def _example(label: str, context: Any, term: Any, point: dict[str, Any], rng: Random) -> Example:
    program = Program(context, term)
    return Example(label, program, point, direction(evaluate(program, point), rng))


def _relative(example: Example) -> Answer:
    value = [float(x) for x in leaves(reference.evaluate(example.program.term, example.point))]
    slopes = reference.vjp(example.program, example.point, example.cotangent)
    cotangent = [float(x) for x in leaves(tuple(slopes.values()))]
    return _answer(example, value, cotangent)


def _answer(example: Example, value: list[float], cotangent: list[float]) -> Answer:
    return Answer(example, value, cotangent, [max(abs(x), TINY) for x in value + cotangent])


def compared(subject: Subject, answers: list[Answer]) -> Measured:
    return Comparison().ask(subject, answers).measured()
