"""What programs cost, written down independently of what is judged: for every rule, every family, and in closed form.

Of each program: the operations of its primal part and one run of its backpropagator together, the cotangent numbers
that are written without arithmetic, the most that are alive at once, and the numbers of the primal part that are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from harness.checks.examples import Shape, Use
from transforms.machines.syntax import Line, binding
from transforms.syntax import Op, Program, Term, Var
from transforms.types import Array


@dataclass(frozen=True, slots=True)
class Totals:
    """What one program costs; `lines` is how many `let`s it has once it is transformed, None where nobody says."""

    operations: int
    slot_writes: int
    peak_slots: int
    saved: int
    lines: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What one pullback costs: operations by kind and entry, which of a, b and r it reads, which arguments receive.

    `minus` is how many of them receive what they subtract: one negation, where nothing is there to subtract from.
    """

    kinds: Mapping[str, int]
    reads: str
    receives: int = 1
    minus: int = 0


# fmt: off
ROWS: Mapping[str, Row] = {
    "add":     Row({}, "", 2),
    "sub":     Row({}, "", 2, minus=1),
    "mul":     Row({"mul": 2}, "ab", 2),
    "div":     Row({"div": 1, "mul": 1}, "br", 2, minus=1),
    "neg":     Row({}, "", minus=1),
    "sin":     Row({"cos": 1, "mul": 1}, "a"),
    "cos":     Row({"sin": 1, "mul": 1}, "a", minus=1),
    "exp":     Row({"mul": 1}, "r"),
    "log":     Row({"div": 1}, "a"),
    "sqrt":    Row({"add": 1, "div0": 1}, "r"),
    "tanh":    Row({"cosh": 1, "div": 2}, "a"),
    "sigmoid": Row({"mul": 2, "neg": 1, "sigmoid": 1}, "ar"),
    "pow":     Row({"pow_da": 1, "pow_db": 1, "mul0": 2}, "ab", 2),
    "abs":     Row({"sgn": 1, "mul": 1}, "a"),
    "relu":    Row({"ge": 1, "mul": 1}, "a"),
    "max":     Row({"share": 2, "mul": 2}, "ab", 2),
    "min":     Row({"share": 2, "mul": 2}, "ab", 2),
    "ge":      Row({}, "", 0),
    "div0":    Row({"div0": 2, "mul": 1}, "br", 2, minus=1),
    "add_k":   Row({}, ""),
    "sub_k":   Row({}, ""),
    "k_sub":   Row({}, "", minus=1),
    "mul_k":   Row({"mul": 1}, ""),
    "div_k":   Row({"div": 1}, ""),
    "k_div":   Row({"mul": 1, "div": 1}, "ar", minus=1),
}
"""Rules that work entry by entry: an operation for each entry, and as many lines as operations."""
# fmt: on

PRIMAL = {"add_k": "add", "sub_k": "sub", "k_sub": "sub", "mul_k": "mul", "div_k": "div", "k_div": "div"}
"""Under which kind a rule's own operations are counted, where that is not its name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a rule costs, alone, on variables of given shapes.

    `primal` and `pullback` are operations by kind, `lines` how many a written pullback has, and `reads`, `receives`
    and `minus` the numbers that the pullback reads, that arrive, and that are negated on arrival.
    """

    primal: Mapping[str, int]
    pullback: Mapping[str, int]
    lines: int
    reads: int
    receives: tuple[int, ...]
    minus: int = 0


def claim(use: Use) -> Claim:
    sizes = [prod(shape) for shape in use.shapes]
    n = sizes[0]
    if use.rule in ROWS:
        row = ROWS[use.rule]
        kinds = {kind: count * n for kind, count in row.kinds.items()}
        primal = {PRIMAL.get(use.rule, use.rule): n}
        return Claim(
            primal, kinds, sum(row.kinds.values()) + row.minus, n * len(row.reads), (n,) * row.receives, n * row.minus
        )
    return ARRAYS[use.rule](*use.shapes, **use.statics)


def _matmul(a: Shape, b: Shape) -> Claim:
    (m, k), n = a, b[1]
    primal = {"mul": m * k * n, "add": m * n * (k - 1)}
    pullback = {"mul": 2 * m * k * n, "add": m * k * (n - 1) + k * n * (m - 1)}
    return Claim(primal, pullback, 4, m * k + k * n, (m * k, k * n))


def _move(a: Shape, **statics: Any) -> Claim:
    return Claim({}, {}, 1, 0, (prod(a),))


def _reduce(a: Shape, *, axis: int, kind: str) -> Claim:
    n, rows = prod(a), prod(a) // a[axis]
    stretched = int(a[axis] > 1)
    if kind == "sum":
        return Claim({"add": n - rows}, {}, stretched, 0, (n,))
    pullback = {"ge": n, "add": n - rows, "div": rows, "mul": n}
    return Claim({"max": n - rows}, pullback, 4 + 2 * stretched, n + rows, (n,))


def _broadcast(a: Shape, *, shape: Shape) -> Claim:
    stretched = sum(size != wanted for size, wanted in zip(a, shape, strict=True))
    return Claim({}, {"add": prod(shape) - prod(a)}, stretched, 0, (prod(a),))


ARRAYS: Mapping[str, Callable[..., Claim]] = {
    "matmul": _matmul, "transpose": _move, "reshape": _move, "permute": _move, "reduce": _reduce,
    "broadcast": _broadcast,
}  # fmt: skip


def alone_costs(use: Use, stated: Claim, representation: str) -> Totals:
    """What a rule costs in all, applied to variables."""
    arrives, whole = sum(stated.receives), sum(map(prod, use.shapes))
    operations = sum(stated.primal.values()) + sum(stated.pullback.values()) + stated.minus
    if representation == "accumulator":
        return Totals(operations, arrives, arrives, stated.reads, 1 + stated.lines)
    tuples = max(1, len(stated.receives))  # where nothing arrives, the zero tuple
    sums = tuples - 1
    lines = 1 + stated.lines + sums * len(use.shapes)
    return Totals(operations + sums * whole, tuples * whole, (1 + 2 * sums) * whole, stated.reads, lines)


Form = Callable[..., Totals]

# Each step of a family is differentiated in a context of its own, c_k scalars large. Pointwise, a sum of two units of
# it takes c_k additions, beside the c_k scalars that the body leaves, so that 4 c_k scalars are alive at most.
FAMILIES: Mapping[str, Mapping[str, Form]] = {
    "product": {
        "accumulator": lambda n: Totals(3 * (n - 1), 2 * n - 1, n, 2 * n - 2, 3 * (n - 1)),
        "pointwise": lambda n: Totals(
            3 * n**2 - 2 * n - 1, 3 * n**2 - 3 * n + 1, 8 * n - 8, 2 * n - 2, 3 * n**2 - 2 * n - 1
        ),
    },
    "square": {
        "accumulator": lambda m, n: Totals(4 * m, m + 1, 1, m, 4 * m),
        "pointwise": lambda m, n: Totals(
            2 * m * n + m**2 + 2 * m, 2 * m * n + m**2 + n, 4 * (n + m - 1), m, 2 * m * n + m**2 + 2 * m
        ),
    },
    "sigmoid-square": {
        "accumulator": lambda n: Totals(12, 3, 2, 4, 12),
        "pointwise": lambda n: Totals(3 * n + 12, 4 * n + 2, max(3 * n + 3, 4 * n), 4, 3 * n + 12),
    },
    "doubling": {
        "accumulator": lambda k: Totals(2 * k, k + 1, 1, 0, 2 * k),
        "pointwise": lambda k: Totals(k**2 + 2 * k, k**2 + 2 * k + 1, 4 * k, 0, k**2 + 2 * k),
    },
    "projection": {
        "accumulator": lambda k: Totals(k - 1, 3 * k, k, 0, k - 1),
        "pointwise": lambda k: Totals(5 * k**2 - k - 1, 6 * k**2, 8 * k, 0, 5 * k**2 - k - 1),
    },
    "jacobian": {
        "accumulator": lambda n, m: Totals(3 * n + 5 * m - 4, 2 * n - 1, n + 1, 2 * n - 1, 3 * n + 5 * m - 4),
        "pointwise": lambda n, m: Totals(
            3 * n**2 - 2 * n - 1 + 3 * m + (2 * m - 1) * (2 * n - 1),
            3 * n**2 - 5 * n + 2 + 2 * m * (2 * n - 1),
            4 * (2 * n - 1),
            2 * n - 1,
            3 * n**2 - 2 * n - 1 + 3 * m + (2 * m - 1) * (2 * n - 1),
        ),
    },
}
"""Costs of `harness.families`, by representation; of `jacobian`, for n > 2 and m > 1."""


def layer(r: int, i: int, c: int) -> Program:
    """`sum(exp(x @ w + b)^2)` of x: real[r,i], w: real[i,c], b: real[1,c]: all sizes above 1."""
    wide = (("shape", (r, c)),)
    lines: list[Line] = [
        ("p", Op("matmul", (Var("x"), Var("w")))),
        ("q", Op("add", (Var("p"), Op("broadcast", (Var("b"),), wide)))),
        ("e", Op("exp", (Var("q"),))),
    ]
    total: Term = Op("mul", (Var("e"), Var("e")))
    for axis in (1, 0):
        total = Op("reduce", (total,), (("axis", axis), ("kind", "sum")))
    return Program((("x", Array((r, i))), ("w", Array((i, c))), ("b", Array((1, c)))), binding(lines, total))


def _layer_accumulator(r: int, i: int, c: int) -> Totals:
    inputs, e = r * i + i * c + c, r * c
    return Totals(6 * e * i + 9 * e - inputs - 1 - e, 3 * e + inputs, max(e + c, inputs), e + inputs - c, 18)


def _layer_pointwise(r: int, i: int, c: int) -> Totals:
    inputs, e = r * i + i * c + c, r * c
    # Most is alive where x @ w + b is taken apart: in the context of the inputs and x @ w, or in the last one.
    peak = max(4 * (inputs + e), 3 * (inputs + 3 * e))
    return Totals(6 * e * i + 14 * e + 5 * inputs - 1, 7 * inputs + 10 * e, peak, e + inputs - c, 42)


LAYER: Mapping[str, Form] = {"accumulator": _layer_accumulator, "pointwise": _layer_pointwise}
"""Costs of `layer`."""

FIXED: tuple[tuple[str, Mapping[str, Totals]], ...] = (
    ("let d = exp(x * y) in let e = d * d in x * y",  # two that nothing needs
     {"accumulator": Totals(6, 2, 2, 2, 6), "pointwise": Totals(25, 18, 12, 3, 25)}),
    ("let p = x * y in case <p, sin(x)> of <u, v> -> u * y",  # a component that nothing needs
     {"accumulator": Totals(8, 4, 2, 3, 8)}),
    ("let d = sqrt(x) in let e = tanh(d) in 2", {"accumulator": Totals(2, 0, 0, 0, 2)}),
    ("x / (let a = x in a)", {"accumulator": Totals(5, 2, 2, 2, 5)}),
    ("2 - x", {"accumulator": Totals(2, 1, 1, 0, 2)}),
    ("x - 2", {"accumulator": Totals(2, 1, 1, 0, 2), "pointwise": Totals(3, 2, 3, 0, 3)}),
    ("x - y * z", {"accumulator": Totals(5, 3, 3, 2, 5)}),
    ("x - (let a = y in x)", {"accumulator": Totals(2, 1, 1, 0, 2)}),
    ("<x1*x2, x1+x2>", {"accumulator": Totals(6, 2, 2, 2, 6), "pointwise": Totals(10, 8, 8, 2, 10)}),
)  # fmt: skip
"""Small programs, counted by hand."""
