"""What programs of Mountain Goat contain: evidence that a sample of them exercises what it is meant to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from transforms.mountain_goat.built_in import ARGUMENTS
from transforms.mountain_goat.lower import lower_tree
from transforms.mountain_goat.module import Instruction, Module, Shape
from transforms.mountain_goat.parse import parse
from transforms.mountain_goat.rows import ELEMENTWISE
from transforms.mountain_goat.tree import Axes, Call, Def, Expr, Infix, Let, Matrix, Minus, Name, Number, Statement

FORMS = (
    *[form for sign in "+-*/" for form in (f"a {sign} b", f"a {sign} k", f"k {sign} a", f"k {sign} k")],
    "a @ b", "-a", "-k", *ARGUMENTS,
)  # fmt: skip
"""Every operation that a program can write: a and b are matrices, k compile-time scalars."""

SHAPES = ("1x1", "1xn", "mx1", "mxn")
STRETCHES = tuple([f"{a} {sign} {b}" for sign in ELEMENTWISE.values() for a in SHAPES for b in SHAPES if a != b])
"""Every elementwise operation that stretches an operand, or both; m and n are more than 1."""


@dataclass(frozen=True, slots=True)
class MatrixStatistics:
    """What some programs contain, as they are written: the body of a function counts once.

    `forms` and `stretches` are counted by the names above, `ranks` are those of what each instruction results in, and
    `seen` counts "functions", their "calls", "literals" inside expressions, and `let`s that are "shadowing" a name.
    """

    forms: Counter[str] = field(default_factory=Counter)
    stretches: Counter[str] = field(default_factory=Counter)
    ranks: Counter[int] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)


def statistics(sources: Iterable[str]) -> MatrixStatistics:
    """Count what programs contain. Raises MountainGoatError for a text that is none."""
    found = MatrixStatistics()
    for source in sources:
        statements = parse(source)
        _count_statements(found, statements)
        _count_values(found, lower_tree(statements))
    return found


def _count_statements(found: MatrixStatistics, statements: list[Statement]) -> None:
    scalars: dict[str, bool] = {}
    """The names bound so far, and whether what they stand for is a compile-time scalar."""
    for statement in statements:
        if isinstance(statement, Def):
            found.seen["functions"] += 1
            _count(found, statement.body, {})
            continue
        scalar = _count(found, statement.value, scalars)
        if isinstance(statement, Let):
            found.seen["shadowing"] += statement.name in scalars
            found.seen["literals"] -= isinstance(statement.value, Matrix)
            scalars[statement.name] = scalar


def _count(found: MatrixStatistics, expr: Expr, scalars: dict[str, bool]) -> bool:
    """Count what an expression contains, and say whether it is a scalar."""
    match expr:
        case Name(name=name):
            return scalars.get(name, False)
        case Number():
            return True
        case Matrix():
            found.seen["literals"] += 1
            return False
        case Minus(operand=operand):
            scalar = _count(found, operand, scalars)
            found.forms["-k" if scalar else "-a"] += 1
            return scalar
        case Infix(sign=sign, left=left, right=right):
            a, b = _count(found, left, scalars), _count(found, right, scalars)
            found.forms[f"{'k' if a else 'a'} {sign} {'k' if b else 'a' if a else 'b'}"] += 1
            return a and b
        case Call(function=function, args=args):
            for arg in args:
                _count(found, arg, scalars)
            if function in ARGUMENTS:
                found.forms[function] += 1
            else:
                found.seen["calls"] += 1
            return False
        case Axes():
            return False


def _count_values(found: MatrixStatistics, module: Module) -> None:
    for parameters, body in [((), module.main), *[(f.parameters, f.body) for f in module.functions]]:
        shapes: dict[str, Shape] = dict(parameters)
        stretched: dict[str, Shape] = {}
        for instruction in body:
            if instruction.op in ELEMENTWISE:
                _count_stretch(found, instruction, [stretched.get(x, shapes[x]) for x in instruction.operands])
            if instruction.result is not None and instruction.shape is not None:
                found.ranks[len(instruction.shape)] += 1
                shapes[instruction.result] = instruction.shape
                if instruction.op == "broadcast":
                    stretched[instruction.result] = shapes[instruction.operands[0]]


def _count_stretch(found: MatrixStatistics, instruction: Instruction, shapes: list[Shape]) -> None:
    a, b = ["x".join([size if n != 1 else "1" for n, size in zip(shape, "mn", strict=True)]) for shape in shapes]
    if a != b:
        found.stretches[f"{a} {ELEMENTWISE[instruction.op]} {b}"] += 1
