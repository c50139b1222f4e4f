"""What gradients contain, in operations that programs can name.

    div0(g, b)               g / (b + t), where t is 1 where g and b are both 0, and else 0
    a + b of another rank    on one row that holds the same numbers, since only matrices have arithmetic
    softmax(a), ...          what they are composed of

`b` is twice a square root, so it is not negative. The quotient is that of the rule: 0 where g is 0, whatever b is, and
g / b elsewhere. Where g is 0 and b is not, t stays 0 so that the derivative of the quotient is right too: 1 / b.
"""

from __future__ import annotations

from math import prod

import numpy as np

from transforms.array_rules import TABLE
from transforms.composed_rules import EXPANSIONS
from transforms.machines.syntax import Atom, Writing, binding
from transforms.mountain_goat.lines import Line, Shapes, renamed, shape_of, unchain
from transforms.mountain_goat.names import Names
from transforms.syntax import INFIX, Lit, Op, Term, Var
from transforms.types import Array

ELEMENTWISE = {*INFIX, "neg", "exp", "log", "sqrt", "relu", "ge"}


def expressed(lines: list[Line], known: Shapes, names: Names) -> list[Line]:
    """The lines with each operation that programs cannot name written out; `known` are the variables' shapes."""
    written: list[Line] = []
    for name, operation in lines:
        if operation.name == "div0":
            written += _quotient(name, operation, known, names)
        elif operation.name in ELEMENTWISE and len(known[name]) != 2:
            written += _in_one_row(name, operation, known, names)
        elif operation.name in EXPANSIONS:
            written += _composition(name, operation, known, names)
        else:
            written.append((name, operation))
    return written


def _quotient(name: str, operation: Op, known: Shapes, names: Names) -> list[Line]:
    g, b = operation.args
    zero = Lit(np.zeros(known[name]))
    lines: list[Line] = []

    def write(wanted: str, row: str, *args: Term) -> Var:
        lines.append((names.fresh(f"{name}_{wanted}"), Op(row, args)))
        return Var(lines[-1][0])

    not_negative, not_positive = write("ge", "ge", g, zero), write("le", "ge", zero, g)
    is_zero = write("zero", "mul", not_negative, not_positive)
    flat = write("flat", "ge", zero, b)
    both = write("both", "mul", is_zero, flat)
    divisor = write("divisor", "add", b, both)
    return [*lines, (name, Op("div", (g, divisor)))]


def _in_one_row(name: str, operation: Op, known: Shapes, names: Names) -> list[Line]:
    row = (("shape", (1, prod(known[name]))),)
    lines = [(names.fresh(f"{name}_row"), Op("reshape", (arg,), row)) for arg in operation.args]
    result = names.fresh(f"{name}_row")
    combined = Op(operation.name, tuple([Var(arg) for arg, _ in lines]))
    return [*lines, (result, combined), (name, Op("reshape", (Var(result),), (("shape", known[name]),)))]


def _composition(name: str, operation: Op, known: Shapes, names: Names) -> list[Line]:
    machine = Writing(TABLE, names.used)
    args = [Atom(arg, Array(shape_of(arg, known))) for arg in operation.args]
    result = EXPANSIONS[operation.name](machine, *args, **dict(operation.statics))
    lines, _ = unchain(binding(machine.lines, result.term))
    *inside, (last, _) = lines
    meant = {line: Var(names.fresh(f"{name}_{bound.name}")) for line, bound in inside}
    return renamed(lines, {**meant, last: Var(name)})
