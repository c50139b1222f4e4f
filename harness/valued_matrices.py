"""Expressions of Mountain Goat made together with the doubles that they have, away from kinks and well conditioned.

The meaning of the language is stated here once more, on trees of this module alone and in plain NumPy, so that what a
program prints is known independently of the front end and of the rules.

An operation on values that do not suit it raises Unsuited: logarithms below 0.2, square roots below 0.05, divisors
below 0.2 in magnitude; comparisons, entries at a kink and largest entries of a row or column nearer than KINK to a tie;
results with entries beyond LIMIT, or all but 0, or without correct digits. For the last, each double has a twin,
computed with relative errors of NOISE in every operation, and the two may differ by TRUST times that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

LIMIT, SMALL, KINK, NOISE, TRUST = 50.0, 1e-4, 1e-3, 1e-12, 1e3

Shape = tuple[int, ...]


class Unsuited(Exception):
    """An operation that does not suit its arguments."""


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A name, number or literal (`form` "name", "number", "matrix", with its text), a sign, or a function.

    The form "()" is an expression in parentheses that it could do without. `numbers` are the sizes or axes that a
    function takes besides its arguments, two lists of them for a contraction.
    """

    form: str
    args: tuple[Expression, ...] = ()
    text: str = ""
    numbers: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """What a `def` defines; parameters are names with their shapes."""

    parameters: tuple[tuple[str, Shape], ...]
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A matrix, or a compile-time scalar, with its twin, and the inputs that it varies with other than through ge."""

    double: np.ndarray | float
    twin: np.ndarray | float
    varies: frozenset[int] = frozenset()

    @property
    def shape(self) -> Shape:
        return np.shape(self.double)

    @property
    def scalar(self) -> bool:
        return isinstance(self.double, float)


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """An expression and its value."""

    expression: Expression
    value: Value

    @property
    def shape(self) -> Shape:
        return self.value.shape


# Text.

TIGHTNESS = {"+": 1, "-": 1, "*": 2, "/": 2, "@": 2}
MINUS, TERM = 3, 4


def text(expression: Expression) -> str:
    """The expression as a program writes it, with no parentheses but those that it needs or has."""
    form, args = expression.form, expression.args
    if not args and expression.text:
        return expression.text
    if form == "()":
        return f"({text(args[0])})"
    if form in TIGHTNESS and len(args) == 2:
        tight = TIGHTNESS[form]
        return f"{_inside(args[0], tight)} {form} {_inside(args[1], tight + 1)}"
    if form == "-":
        return f"-{_inside(args[0], MINUS)}"
    given = [text(arg) for arg in args]
    if form == "contract":
        given = [given[0], _axes(expression.numbers[0]), given[1], _axes(expression.numbers[1])]
    else:
        given += map(str, expression.numbers)
    return f"{form}({', '.join(given)})"


def _inside(expression: Expression, tight: int) -> str:
    if expression.form in TIGHTNESS:
        found = TIGHTNESS[expression.form] if len(expression.args) == 2 else MINUS
    else:
        found = TERM
    return text(expression) if found >= tight else f"({text(expression)})"


def _axes(axes: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, axes))})"


# Meaning.


def _reduction(axis: int, function: Callable[..., Any]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda a: np.expand_dims(function(a, axis), axis)


def _matrix(a: np.ndarray) -> np.ndarray:
    """The value, a number alone as 1x1."""
    return a if a.ndim else a.reshape(1, 1)


MEANING: Mapping[str, Callable[..., Any]] = {
    "()": lambda a: a,
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "@": lambda a, b: np.einsum("ij,jk->ik", a, b),
    "-": lambda a, b=None: -a if b is None else a - b,
    "ge": lambda a, b: np.where(a - b >= 0.0, 1.0, 0.0),
    "transpose": lambda a: np.swapaxes(a, 0, 1),
    "relu": lambda a: np.where(a > 0.0, a, 0.0),
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "row_sum": _reduction(1, np.add.reduce),
    "col_sum": _reduction(0, np.add.reduce),
    "row_max": _reduction(1, np.maximum.reduce),
    "col_max": _reduction(0, np.maximum.reduce),
    "row_mean": _reduction(1, np.mean),
    "col_mean": _reduction(0, np.mean),
    "reshape": lambda a, *sizes: np.reshape(a, sizes),
    "permute": lambda a, *axes: np.transpose(a, axes),
    "contract": lambda a, b, i, k: _matrix(np.tensordot(a, b, (i, k))),
}


def apply(form: str, args: tuple[Value, ...], numbers: tuple[Any, ...] = ()) -> Value:
    """An operation or built-in function on values, scalars among them. Raises Unsuited."""
    given = [np.asarray(arg.double) for arg in args]
    if _unsuited(form, given):
        raise Unsuited(form)
    function = MEANING[form]
    double, twin = function(*[arg.double for arg in args], *numbers), function(*[arg.twin for arg in args], *numbers)
    size = np.abs(double)
    noise = NOISE * np.cos(1e5 * double)  # unlike from one entry and operation to the next
    twin = twin * (1.0 + noise)
    sound = (size <= LIMIT) & ((size == 0.0) | (size >= SMALL)) & (np.abs(double - twin) <= TRUST * NOISE * size)
    if not np.all(sound):
        raise Unsuited(form)
    varies = frozenset[int]() if form == "ge" else frozenset[int]().union(*[arg.varies for arg in args])
    if all(arg.scalar for arg in args):
        return Value(float(double), float(twin), varies)
    return Value(double, twin, varies)


def _unsuited(form: str, args: list[np.ndarray]) -> bool:
    """Whether an operation is outside its domain, or near a kink, at these arguments."""
    match form:
        case "/":
            return bool(np.min(np.abs(args[1])) < 0.2)
        case "log":
            return bool(np.min(args[0]) < 0.2)
        case "sqrt":
            return bool(np.min(args[0]) < 0.05)
        case "relu":
            return bool(np.min(np.abs(args[0])) < KINK)
        case "ge":
            return bool(np.min(np.abs(args[0] - args[1])) < KINK)
        case "row_max" | "col_max":
            axis = 1 if form == "row_max" else 0
            if args[0].shape[axis] == 1:
                return False
            *_, second, first = np.moveaxis(np.sort(args[0], axis), axis, 0)
            return bool(np.min(first - second) < KINK)
    return False


def evaluate(expression: Expression, scope: Mapping[str, Value], functions: Mapping[str, Function]) -> Value:
    """The value of an expression, where names have these values. Raises Unsuited."""
    form = expression.form
    match form:
        case "name":
            return scope[expression.text]
        case "number":
            return Value(float(expression.text), float(expression.text))
        case "matrix":
            entries = [[float(entry) for entry in row.split(",")] for row in expression.text[2:-2].split("], [")]
            return Value(np.array(entries), np.array(entries))
    args = tuple([evaluate(arg, scope, functions) for arg in expression.args])
    if form in functions:
        function = functions[form]
        inside = {name: arg for (name, _), arg in zip(function.parameters, args, strict=True)}
        return evaluate(function.body, inside, functions)
    return apply(form, args, expression.numbers)
