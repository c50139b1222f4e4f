"""What surrounds a derivative: types, the same answer twice, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness.checks import refusals
from harness.checks.check import Check, Measured, Needs, Question, counted
from harness.checks.comparison import asked, runs, tables
from harness.checks.examples import (
    BINARY,
    FEW_ARRAYS,
    SCALAR_FORMS,
    UNARY,
    Example,
    Use,
    alone,
    constructs,
)
from harness.checks.subject import Subject
from harness.nests import leaves
from harness.reference_double import evaluate
from transforms.drivers import write
from transforms.errors import ShapeMismatch
from transforms.rules import Rules
from transforms.syntax import Op, Program, Tuple, Var
from transforms.typecheck import typecheck
from transforms.types import REAL, Array, Type, layout


@dataclass(frozen=True, slots=True)
class Typed:
    """An example with the types of its context and of its result, sums taken at the point."""

    example: Example
    context: tuple[Type, ...]
    result: Type


@dataclass(frozen=True, slots=True)
class Types:
    """Programs that have a type, and applications that have none."""

    typed: list[Typed]
    ill_typed: list[Program]


ILL_TYPED: tuple[Use, ...] = (
    *[Use(name, ((2, 3), (3, 2)), {}) for name in BINARY],
    *[Use(name, ((2, 3), ()), {}) for name in BINARY],
    *[Use(name, ((2, 1), (2, 3)), {}) for name in BINARY],
    Use("matmul", ((2, 3), (2, 3)), {}),
    Use("matmul", ((3,), (3, 1)), {}),
    Use("matmul", ((2, 3, 4), (4, 3)), {}),
    Use("transpose", ((2, 3, 4),), {}),
    Use("reshape", ((2, 3),), {"shape": (4, 2)}),
    Use("reshape", ((2, 3),), {"shape": (0, 6)}),
    Use("reshape", ((2, 3),), {"shape": (-2, -3)}),
    Use("permute", ((2, 3),), {"permutation": (1, 1)}),
    Use("permute", ((2, 3),), {"permutation": (0,)}),
    Use("permute", ((2, 3),), {"permutation": (1, 2)}),
    Use("reduce", ((2, 3),), {"axis": 2, "kind": "sum"}),
    Use("reduce", ((2, 3),), {"axis": -1, "kind": "max"}),
    Use("reduce", ((2, 3),), {"axis": 1, "kind": "min"}),
    Use("reduce", ((2, 3, 4),), {"axis": 1, "kind": "sum"}),
    Use("broadcast", ((2, 3),), {"shape": (4, 3)}),
    Use("broadcast", ((2, 1),), {"shape": (3, 3)}),
    Use("broadcast", ((1, 3),), {"shape": (1, 2, 3)}),
)
"""Applications to shapes that do not fit."""

TUPLES = (*[Use(name, ((),), {}) for name in UNARY], *[Use(name, ((),), {"k": 2.0}) for name in SCALAR_FORMS])
"""Rules that a tuple of reals is given instead of an argument."""


def typed(seed: int) -> Types:
    rules = [replace(alone(use, seed), turn=seed + 1) for use in FEW_ARRAYS]
    whole = [replace(example, turn=k + seed) for k, example in enumerate(constructs(seed))]
    return Types([_typed(example) for example in (*rules, *whole)], list(_ill_typed()))


def _typed(example: Example) -> Typed:
    context = tuple([layout(part) for part in example.point.values()])
    return Typed(example, context, layout(evaluate(example.program, example.point)))


def _ill_typed() -> Iterator[Program]:
    for use in ILL_TYPED:
        names = [f"x{k}" for k in range(len(use.shapes))]
        context = tuple([(name, Array(shape)) for name, shape in zip(names, use.shapes, strict=True)])
        yield Program(context, Op(use.rule, tuple(map(Var, names)), tuple(use.statics.items())))
    for use in TUPLES:
        yield Program((("x", REAL),), Op(use.rule, (Tuple((Var("x"),)),), tuple(use.statics.items())))


def well_typed(subject: Subject, prepared: Types) -> Measured:
    """How many programs have another type once they are transformed, or are refused, and how many have one wrongly.

    `write` typechecks what it has written, against the types that it gives context, cotangent and result.
    """
    wrong = []
    for case in prepared.typed:
        for name, judged in asked(subject, case.example):
            written = write(judged, case.example.program, case.example.point).program
            found = tuple([type_ for _, type_ in written.context])
            if found != (*case.context, case.result):
                wrong.append(f"{case.example.label}: context and cotangent have types {found} ({name})")
    for rules in tables(subject):
        wrong += [f"{_text(program)} has a type" for program in prepared.ill_typed if not _refuses(program, rules)]
    return counted(wrong)


def _refuses(program: Program, rules: Rules) -> bool:
    try:
        typecheck(program, rules)
    except ShapeMismatch:
        return True
    return False


def repeated(seed: int) -> list[Example]:
    """Every rule, on arrays, which come from outside and could be changed, and every construct."""
    examples = [*[alone(use, seed) for use in FEW_ARRAYS], *constructs(seed)]
    return [replace(example, turn=k) for k, example in enumerate(examples)]


def deterministic(subject: Subject, prepared: list[Example]) -> Measured:
    """How many examples give other bits the second time, after others ran, or have their inputs changed."""
    wrong, first = [], []
    for example in prepared:
        before = _bits([*example.point.values(), example.cotangent])
        first.append(_found(subject, example))
        if _bits([*example.point.values(), example.cotangent]) != before:
            wrong.append(f"{example.label}: the inputs were changed")
    for example, bits in zip(reversed(prepared), reversed(first), strict=True):
        if _found(subject, example) != bits:
            wrong.append(f"{example.label}: a second call gives other bits")
    return counted(wrong)


def _found(subject: Subject, example: Example) -> list[bytes]:
    return [_bits([primal, cotangent]) for _, primal, cotangent in runs(subject, example)]


def _bits(values: list[Any]) -> bytes:
    """The numbers of some values, bit by bit."""
    return np.array(list(leaves(values)), dtype=float).tobytes()


def _text(program: Program) -> str:
    term = program.term
    assert isinstance(term, Op)
    types = ", ".join([str(type_) for _, type_ in program.context])
    return f"{term.name} of {types} {dict(term.statics) or ''}".strip()


NONE = "how many; none may be"

CHECKS = (
    Check(
        "refusals", Question.RIGHT,
        "a primitive without a row gets no derivative, nor a point outside a domain, nor a matrix task that has none",
        0.0, NONE, refusals.refusals, refusals.refused,
    ),
    Check(
        "well-typed", Question.RIGHT,
        "the transformed program typechecks, every cotangent has its variable's type, and what has no type gets none",
        0.0, NONE, typed, well_typed,
    ),
    Check(
        "determinism", Question.RIGHT,
        "a second call, after others, gives the same bits, and inputs are left as they were",
        0.0, NONE, repeated, deterministic, Needs.GRADIENTS,
    ),
)  # fmt: skip
