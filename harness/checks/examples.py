"""What the checks ask about: every rule alone and inside small programs, and the constructs of the language.

All inputs are drawn from a seed: of both signs where the rule is defined there, distinct, of magnitude 0.3 to 3, away
from kinks, on shapes that are not square. At such inputs every correct form of a derivative is right to many digits;
where digits are lost is a question for other checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from random import Random
from typing import Any

import numpy as np

from harness.reference_double import evaluate
from transforms.parse import parse
from transforms.syntax import Let, Op, Program, Tuple, Var
from transforms.types import REAL, Array, Injected, Product, Sum, Type

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A program with a value for each variable of its context, and a cotangent like its result.

    A subject is asked in each of its representations or, where `turn` is a number, in one of them: rules do not depend
    on how context cotangents are held, so theirs take turns.
    """

    label: str
    program: Program
    point: dict[str, Any]
    cotangent: Any
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A rule applied to arguments of some shapes. The k of a scalar form is drawn."""

    rule: str
    shapes: tuple[Shape, ...]
    statics: Mapping[str, Any]

    @property
    def label(self) -> str:
        shapes = ", ".join(["x".join(map(str, shape)) or "real" for shape in self.shapes])
        statics = "".join([f", {name}={value}" for name, value in self.statics.items()])
        return f"{self.rule}({shapes}{statics})"


def _use(rule: str, *shapes: Shape, **statics: Any) -> Use:
    return Use(rule, shapes, statics)


UNARY = ("neg", "sin", "cos", "exp", "log", "sqrt", "tanh", "sigmoid", "abs", "relu")
BINARY = ("add", "sub", "mul", "div", "pow", "max", "min", "ge", "div0")
SCALAR_FORMS = ("add_k", "sub_k", "k_sub", "mul_k", "div_k", "k_div")
POSITIVE = {"log": (0,), "sqrt": (0,), "pow": (0,)}
"""Which arguments of a rule have to be positive."""

REAL_USES = (*[_use(name, ()) for name in UNARY], *[_use(name, (), ()) for name in BINARY])
ELEMENTWISE_USES = (*[_use(name, (2, 3)) for name in UNARY], *[_use(name, (3, 2), (3, 2)) for name in BINARY])
ARRAY_FORM_USES = tuple([_use(name, (2, 3)) for name in SCALAR_FORMS])
FORM_USES = (*ARRAY_FORM_USES, *[_use(name, ()) for name in SCALAR_FORMS])
ARRAY_USES = (
    _use("matmul", (2, 3), (3, 4)), _use("matmul", (2, 3), (3, 3)), _use("matmul", (3, 3), (3, 1)),
    _use("matmul", (1, 4), (4, 1)),
    _use("transpose", (2, 3)), _use("transpose", (3, 3)),
    _use("reshape", (2, 3), shape=(3, 2)), _use("reshape", (6,), shape=(2, 3)),
    _use("reshape", (2, 3, 2), shape=(4, 3)),
    _use("permute", (2, 3), permutation=(1, 0)), _use("permute", (2, 3, 4), permutation=(1, 2, 0)),
    _use("permute", (2, 2, 2), permutation=(2, 0, 1)), _use("permute", (2, 1, 3, 2), permutation=(3, 0, 1, 2)),
    *[_use("reduce", shape, axis=axis, kind=kind)
      for kind, shapes in (("sum", ((2, 3), (3, 3), (1, 4))), ("max", ((2, 3), (3, 3), (4, 1))))
      for axis in (0, 1) for shape in shapes],
    _use("broadcast", (1, 3), shape=(2, 3)), _use("broadcast", (2, 1), shape=(2, 3)),
    _use("broadcast", (1, 3), shape=(3, 3)), _use("broadcast", (3, 1), shape=(3, 3)),
    _use("broadcast", (1, 1), shape=(2, 3)), _use("broadcast", (1, 1), shape=(1, 4)),
)  # fmt: skip
FEW_ARRAY_USES = (
    _use("matmul", (2, 3), (3, 3)), _use("transpose", (3, 3)), _use("reshape", (2, 3), shape=(3, 2)),
    _use("permute", (2, 2, 2), permutation=(2, 0, 1)),
    *[_use("reduce", (3, 3), axis=axis, kind=kind) for kind in ("sum", "max") for axis in (0, 1)],
    _use("broadcast", (1, 3), shape=(3, 3)), _use("broadcast", (3, 1), shape=(3, 3)),
    _use("broadcast", (1, 1), shape=(2, 3)),
)  # fmt: skip
"""Those of which one shape is enough: square where a wrong axis would not fit otherwise, and be noticed at once."""

DISTINCT_USES = (*REAL_USES, *FORM_USES, *ARRAY_USES)
"""Every rule; those that serve reals and arrays entry by entry, on reals."""

FEW_USES = (*REAL_USES, *ARRAY_FORM_USES, *FEW_ARRAY_USES)
"""Every rule, on few shapes: for checks that ask several things of each."""

FEW_ARRAYS = (*ELEMENTWISE_USES, *ARRAY_FORM_USES, *FEW_ARRAY_USES)
"""Every rule, on arrays, of few shapes."""

USES = (*DISTINCT_USES, *ELEMENTWISE_USES)

CONSTRUCTS = (
    "<x1 * x2, x1 + x2>",
    "let x = a * b in let y = x * a in <y, x * y, b>",
    "let x = x * y in let x = x * x in let y = x + y in x * y",
    "case <a * b, a - b, b> of <p, q, r> -> p * q + r * r - q / p",
    "context: p: (real, (real, real)) |- case p of <a, bc> -> case bc of <b, c> -> <a * b, <c, a * c>>",
    "case <a * b, sin(a), b> of <u, v, w> -> v * b",
    "case <<a, b>, a * b> of <p, c> -> case p of <d, e> -> d * c",
    "let d = exp(a * b) in a - b",
    "<2.1 * x - 0.3 / y, x - x, -(x * y), --x, 1 - x, 7>",
    "let a = (let b = x * y in b * b * x) in a * x",
    "(let a = x * y in a * a) + (let b = x + y in b * x) - (let c = y in x * x)",
    "x / (let a = x in a) + y",
    "context: a: real, unused: (real, real), b: real, c: real |- let u = a * c in u / b",
    "let p = <x, x * y, y> in case p of <a, b, c> -> case p of <d, e, f> -> a * e + b * f - c * d",
    "let p = <x * y, y> in <case p of <a, b> -> a, case p of <a, b> -> a * b, case p of <a, b> -> x>",
    "x * (x * a) + x * x * a + x * (x * a)",
    "context: s: (real + (real, real)), x: real |- "
    "match s with inl a -> a * x | inr p -> case p of <a, b> -> a * b * x",
    "let s = inr <x, x * y> in match s with inl a -> x | inr p -> case p of <a, b> -> a / b",
    "match sign(x) with inl s -> match s with inl n -> x * y | inr p -> x * x * y | inr z -> y",
    "let u = x * y in <inl (u * u), x + u>",
    "context: w: real[2,3], v: real[2,3] |- let a = w * v in <a, a + a * w, v>",
    "context: p: (real[2,3], real), v: real[2,3] |- case p of <w, s> -> <w * v - w, s * s>",
)
"""Every construct: shared, dead, nested and shadowed names, scopes one after the other, tuples, sums, literals."""


def alone(use: Use, seed: int, negated: bool = False) -> Example:
    """The rule applied to variables. Two examples that differ in `negated` have opposite signs where they may."""
    rng = Random(f"{seed}/{use.label}/alone")
    args = _arguments(use, rng)
    if negated:
        positive = POSITIVE.get(use.rule, ())
        args = [arg if k in positive else -arg for k, arg in enumerate(args)]
    point = {f"x{k}": arg for k, arg in enumerate(args)}
    term = Op(use.rule, tuple(map(Var, point)), _statics(use, rng))
    return _example(f"{use.label} alone", Program(_context(point), term), point, rng, rng.randrange(2))


def inside(use: Use, seed: int) -> Example:
    """`let y = f(x0 * z, x1) in <y * w, y + y>`: something before the rule and, shared, something after it."""
    rng = Random(f"{seed}/{use.label}/inside")
    args = _arguments(use, rng)
    z = _like(args[0], [signed(rng, 1.0, 2.0) for _ in range(np.size(args[0]))])
    point = {"x0": args[0] / z, **{f"x{k}": arg for k, arg in enumerate(args) if k}, "z": z}
    first = Op("mul", (Var("x0"), Var("z")))
    rest = [Var(f"x{k}") for k in range(1, len(args))]
    rule = Op(use.rule, (first, *rest), _statics(use, rng))
    value = evaluate(Program(_context(point), rule), point)
    point["w"] = _like(value, [signed(rng, 0.3, 3.0) for _ in range(np.size(value))])
    after = Tuple((Op("mul", (Var("y"), Var("w"))), Op("add", (Var("y"), Var("y")))))
    program = Program(_context(point), Let("y", rule, after))
    return _example(f"{use.label} inside", program, point, rng, rng.randrange(2))


def every_rule(seed: int) -> Iterator[Example]:
    """Every rule alone, and inside small programs."""
    for use in USES:
        example = alone(use, seed)
        yield example
        if use in REAL_USES:  # one program at two points, with one cotangent: what is kept of the first must not show
            elsewhere = alone(use, seed, negated=True)
            yield replace(elsewhere, program=example.program, cotangent=example.cotangent)
    for use in FEW_USES:
        yield inside(use, seed)


def tied(seed: int) -> Iterator[Example]:
    """Maxima along either axis that two entries attain."""
    for axis in (0, 1):
        rng = Random(f"{seed}/tied/{axis}")
        top = rng.uniform(1.0, 3.0)
        entries = [top, top, rng.uniform(-3.0, 0.9)]
        rng.shuffle(entries)
        point = {"x0": np.array(entries).reshape((3, 1) if axis == 0 else (1, 3))}
        term = Op("reduce", (Var("x0"),), (("axis", axis), ("kind", "max")))
        yield _example(f"a maximum along axis {axis} that two attain", Program(_context(point), term), point, rng)


def small_programs(seed: int) -> Iterator[Example]:
    """Every rule inside a small program, and every construct, in either representation in turn."""
    for use in FEW_USES:
        yield inside(use, seed)
    for k, example in enumerate(constructs(seed)):
        yield replace(example, turn=k)


def constructs(seed: int) -> Iterator[Example]:
    """A program for each text of CONSTRUCTS, and the first at equal inputs, where only names tell them apart."""
    for k, text in enumerate(CONSTRUCTS):
        yield written(text, Random(f"{seed}/construct/{k}"))
    x = signed(Random(f"{seed}/equal"), 0.3, 3.0)
    yield written("let y = a * b in y / b + a - b * b", Random(f"{seed}/equal"), {"a": x, "b": x})


def written(text: str, rng: Random, point: dict[str, Any] | None = None) -> Example:
    """The program of a text, at a given point or at a random one, with a random cotangent."""
    program = parse(text)
    if point is None:
        point = {name: drawn(type_, rng) for name, type_ in program.context}
    return _example(text, program, point, rng)


def drawn(type_: Type, rng: Random) -> Any:
    """A random value of a type; of a sum, on a random side."""
    match type_:
        case Product(parts=parts):
            return tuple([drawn(part, rng) for part in parts])
        case Sum(sides=sides):
            side = rng.randrange(2)
            return Injected(side, drawn(sides[side], rng))
    assert isinstance(type_, Array)
    entries = [signed(rng, 0.3, 3.0) for _ in range(type_.size)]
    return entries[0] if type_ == REAL else np.array(entries).reshape(type_.shape)


def direction(value: Any, rng: Random, high: float = 2.0) -> Any:
    """A random cotangent or tangent like a value: never 1, of both signs."""
    match value:
        case Injected(side=side, value=inner):
            return Injected(side, direction(inner, rng, high))
        case tuple():
            return tuple([direction(part, rng, high) for part in value])
    return _like(value, [signed(rng, 0.25 * high, high) for _ in range(np.size(value))])


def signed(rng: Random, low: float, high: float) -> float:
    return rng.choice((-1.0, 1.0)) * rng.uniform(low, high)


def _example(label: str, program: Program, point: dict[str, Any], rng: Random, turn: int | None = None) -> Example:
    return Example(label, program, point, direction(evaluate(program, point), rng), turn)


def _context(point: Mapping[str, Any]) -> tuple[tuple[str, Type], ...]:
    return tuple([(name, Array(np.shape(value))) for name, value in point.items()])


def _statics(use: Use, rng: Random) -> tuple[tuple[str, Any], ...]:
    if use.rule in SCALAR_FORMS:  # of both signs, in every seed
        return (("k", rng.uniform(1.2, 3.0) * (-1.0 if use.shapes[0] else 1.0)),)
    return tuple(use.statics.items())


def _arguments(use: Use, rng: Random) -> list[Any]:
    """Arguments whose magnitudes are all distinct, with signs that alternate where they are free."""
    total = sum(map(prod, use.shapes))
    sizes = [0.3 + 2.7 * (k + rng.uniform(0.25, 0.75)) / total for k in range(total)]
    rng.shuffle(sizes)
    args = []
    for k, shape in enumerate(use.shapes):
        entries, sizes = sizes[: prod(shape)], sizes[prod(shape) :]
        if k not in POSITIVE.get(use.rule, ()):
            sign = rng.choice((-1.0, 1.0))
            entries = [sign * (-1.0) ** j * entry for j, entry in enumerate(entries)]
            rng.shuffle(entries)
        args.append(np.array(entries).reshape(shape) if shape else entries[0])
    return args


def _like(value: Any, entries: list[float]) -> Any:
    return np.array(entries).reshape(np.shape(value)) if np.ndim(value) else entries[0]
