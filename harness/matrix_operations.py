"""Expressions of Mountain Goat drawn at random: every operation and built-in function, and calls of what is defined.

A budget is how deep an expression may nest, roughly. What does not suit its arguments raises Unsuited.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from harness.matrix_operands import LARGEST, RANK, Operands
from harness.valued_matrices import Expression, Made, Shape, Unsuited, evaluate

ELEMENTWISE = ("+", "-", "*", "/", "ge")
SHAPES = ("1x1", "1xn", "mx1", "mxn")
STRETCHES = tuple([(a, b) for a in SHAPES for b in SHAPES if a != b])
"""The shapes of two operands of which one stretches, or both; m and n are more than 1."""

SCALAR = tuple([(sign, left) for sign in "+-*/" for left in (True, False)])
"""An operation with a scalar on the left, or on the right."""

UNARY = ("-", "transpose", "transpose", "relu", "exp", "log", "log", "sqrt", "sqrt")
REDUCTIONS = ("row_sum", "row_max", "row_mean", "col_sum", "col_max", "col_mean")


def make(o: Operands, budget: int) -> Made:
    """A matrix, or a tensor of another rank, with an operation outermost where one suits."""
    ways: list[Callable[[Operands, int], Made]] = [
        *[stretched] * 14, equal, *[with_scalar] * 5, *[unary] * 5, *[reduced] * 2,
        product, reshaped, permuted, contracted, *[called] * bool(o.functions),
    ]  # fmt: skip
    return o.suited(*[lambda way=way: way(o, budget) for way in ways]) or o.variable(o.matrices())


def inner(o: Operands, budget: int) -> Made:
    """Any value: an expression where the budget allows one, or a variable."""
    if budget <= 0 or o.rng.random() < 0.4:
        return o.variable(o.tensors())
    made = make(o, budget - 1)
    if o.rng.random() < 0.05:
        return Made(Expression("()", (made.expression,)), made.value)
    return made


def matrix(o: Operands, budget: int) -> Made:
    """A matrix: an expression where the budget allows one, or a variable."""
    if budget <= 0 and o.rng.random() < 0.8:
        return o.variable(o.matrices())
    return o.flattened(inner(o, budget))


def stretched(o: Operands, budget: int) -> Made:
    """An elementwise operation in which an operand stretches, or both do."""
    m, n = o.larger()
    sizes = {"1x1": (1, 1), "1xn": (1, n), "mx1": (m, 1), "mxn": (m, n)}
    a, b = o.rng.choice(STRETCHES)
    return elementwise(o, sizes[a], sizes[b], budget)


def equal(o: Operands, budget: int) -> Made:
    shape = o.variable(o.matrices(), use=False).shape
    return elementwise(o, shape, shape, budget)


def elementwise(o: Operands, left: Shape, right: Shape, budget: int) -> Made:
    """An elementwise operation on operands of these shapes; drawn again, it stays the same one."""
    sign = o.rng.choice(ELEMENTWISE)

    def operation() -> Made:
        a, b = o.shaped(left, budget - 1), o.shaped(right, budget - 1)
        return o.op(sign, a, o.divisor(b) if sign == "/" else b)

    return o.insisted(operation)


def with_scalar(o: Operands, budget: int) -> Made:
    sign, left = o.rng.choice(SCALAR)

    def operation() -> Made:
        a, k = matrix(o, budget - 1), o.scalar()
        return o.op(sign, k, o.divisor(a) if sign == "/" else a) if left else o.op(sign, a, k)

    return o.insisted(operation)


def unary(o: Operands, budget: int) -> Made:
    form = o.rng.choice(UNARY)

    def operation() -> Made:
        a = matrix(o, budget - 1)
        return o.op(form, o.positive(a) if form in ("log", "sqrt") else a)

    return o.insisted(operation)


def reduced(o: Operands, budget: int) -> Made:
    return o.op(o.rng.choice(REDUCTIONS), matrix(o, budget - 1))


def product(o: Operands, budget: int) -> Made:
    a, size = matrix(o, budget - 1), o.rng.randint(1, 4)
    if o.rng.random() < 0.5:
        return o.op("@", a, o.shaped((a.shape[1], size), budget - 1))
    return o.op("@", o.shaped((size, a.shape[0]), budget - 1), a)


def reshaped(o: Operands, budget: int) -> Made:
    a = inner(o, budget - 1)
    return o.op("reshape", a, numbers=o.factors(prod(a.shape)))


def permuted(o: Operands, budget: int) -> Made:
    a = inner(o, budget - 1)
    axes = tuple(o.rng.sample(range(len(a.shape)), len(a.shape)))
    return o.op("permute", a, numbers=axes)


def contracted(o: Operands, budget: int) -> Made:
    """A contraction over some axes of a value, in any order, with one made to fit."""
    rng, a = o.rng, inner(o, budget - 1)
    rank = len(a.shape)
    axes = rng.sample(range(rank), rng.randint(1, rank) if rng.random() < 0.9 else 0)
    free = [rng.randint(1, 3) for _ in range(rng.choice((0, 1, 1, 2)))]
    if (
        rank - len(axes) + len(free) > RANK
        or len(axes) + len(free) > RANK
        or prod(free) * prod(a.shape[axis] for axis in axes) > LARGEST
    ):
        raise Unsuited("contract")
    places = rng.sample(range(len(axes) + len(free)), len(axes) + len(free))
    sizes = [0] * len(places)
    for place, size in zip(places, [*[a.shape[axis] for axis in axes], *free], strict=True):
        sizes[place] = size
    b = o.shaped(tuple(sizes) or (1,), budget - 1)
    made = o.op("contract", a, b, numbers=(tuple(axes), tuple(places[: len(axes)])))
    if prod(made.shape) > LARGEST:
        raise Unsuited("contract")
    return made


def called(o: Operands, budget: int) -> Made:
    """A call of a function that is defined, on values of its parameters' shapes."""
    name = o.rng.choice(list(o.functions))
    function = o.functions[name]
    args = [o.shaped(shape, budget - 1) for _, shape in function.parameters]
    inside = {p: arg.value for (p, _), arg in zip(function.parameters, args, strict=True)}
    value = evaluate(function.body, inside, o.functions)
    return Made(Expression(name, tuple([arg.expression for arg in args])), value)
