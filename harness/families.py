"""The families: programs that grow with a size, whose costs are known in closed form.

Each function builds the program for given sizes. All inputs at 1 is a good point for every one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transforms.machines.syntax import Line, binding
from transforms.syntax import Case, Let, Op, Program, Term, Tuple, Var
from transforms.types import REAL, Type, full


def product(n: int) -> Program:
    """`let y2 = x1*x2 in let y3 = y2*x3 in ... in yn`, n >= 2 inputs: n-1 multiplications."""
    lines: list[Line] = []
    before = "x1"
    for k in range(2, n + 1):
        lines.append((f"y{k}", _op("mul", before, f"x{k}")))
        before = f"y{k}"
    return _program(_reals(n), binding(lines, Var(before)))


def square(m: int, n: int) -> Program:
    """`let y1 = x1*x1 in let y2 = y1*y1 in ... in ym` in a context of n variables, of which one is used: m mul."""
    return _program(_reals(n), _chain("mul", "x1", m))


def sigmoid_square(n: int) -> Program:
    """`let y = sigmoid(x1*x2) in y*y` with n >= 2 variables in scope: how a representation depends on n alone."""
    return _program(_reals(n), Let("y", Op("sigmoid", (_op("mul", "x1", "x2"),)), _op("mul", "y", "y")))


def doubling(k: int) -> Program:
    """`let y1 = x+x in let y2 = y1+y1 in ... in yk`: value 2^k x, and 2^k paths from the result to x."""
    return _program([("x", REAL)], _chain("add", "x", k))


def projection(k: int) -> Program:
    """`let r = <x1, ..., xk> in` the sum over j of `case r of <a1, ..., ak> -> aj`: one component for each use."""
    names = tuple(f"a{j}" for j in range(1, k + 1))
    total: Term = Case(Var("r"), names, Var("a1"))
    for name in names[1:]:
        total = Op("add", (total, Case(Var("r"), names, Var(name))))
    return _program(_reals(k), Let("r", Tuple(tuple(Var(f"x{j}") for j in range(1, k + 1))), total))


def jacobian(n: int, m: int) -> Program:
    """m results that share the product of n >= 2 inputs: `let s = x1*...*xn in <s*x1, s*x2, ...>`, round the inputs."""
    shared = product(n)
    last = f"y{n}"
    results = Tuple(tuple(_op("mul", last, f"x{1 + j % n}") for j in range(m)))
    return Program(shared.context, _with_body(shared.term, results))


def at_ones(program: Program) -> dict[str, Any]:
    """The point at which every input is 1."""
    return {name: full(type_, 1.0) for name, type_ in program.context}


FAMILIES: dict[str, Callable[..., Program]] = {
    "product": product,
    "square": square,
    "sigmoid-square": sigmoid_square,
    "doubling": doubling,
    "projection": projection,
    "jacobian": jacobian,
}


def _reals(n: int) -> list[tuple[str, Type]]:
    return [(f"x{k}", REAL) for k in range(1, n + 1)]


def _program(context: list[tuple[str, Type]], term: Term) -> Program:
    return Program(tuple(context), term)


def _op(name: str, left: str, right: str) -> Op:
    return Op(name, (Var(left), Var(right)))


def _chain(operation: str, start: str, length: int) -> Term:
    """`let y1 = start o start in let y2 = y1 o y1 in ...`, ended by the last variable."""
    lines: list[Line] = []
    before = start
    for k in range(1, length + 1):
        lines.append((f"y{k}", _op(operation, before, before)))
        before = f"y{k}"
    return binding(lines, Var(before))


def _with_body(term: Term, body: Term) -> Term:
    """A chain of `let`s around another body."""
    lines: list[Line] = []
    while isinstance(term, Let):
        lines.append((term.name, term.bound))
        term = term.body
    return binding(lines, body)
