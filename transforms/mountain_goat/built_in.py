"""The built-in functions: how many arguments each takes, of what kind, and the instructions it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.mountain_goat import shapes
from transforms.mountain_goat.body import Body, Value
from transforms.mountain_goat.errors import NoMatrix, TooLarge, WrongCount
from transforms.mountain_goat.tree import LARGEST

ARGUMENTS = {
    "transpose": 1, "relu": 1, "exp": 1, "log": 1, "sqrt": 1, "ge": 2,
    "row_sum": 1, "row_max": 1, "row_mean": 1, "col_sum": 1, "col_max": 1, "col_mean": 1,
    "reshape": None, "permute": None, "contract": 4,
}  # fmt: skip
"""How many arguments each function takes; None for a matrix and at least one number."""


def built_in(body: Body, function: str, args: Sequence[Any], name: str | None = None) -> Value:
    """The value of a built-in function; `args` are matrices, scalars (floats) and lists of axes (tuples of them)."""
    count_of(function, ARGUMENTS[function], args)
    a = value_of(args[0], function)
    match function:
        case "transpose":
            return body.emit("transpose", (a,), shapes.transpose(a.shape), name)
        case "relu" | "exp" | "log" | "sqrt":
            return body.emit(function, (a,), shapes.matrix(a.shape, function), name)
        case "ge":
            return body.elementwise("ge", "ge", a, value_of(args[1], function), name)
        case "reshape":
            return body.reshape(a, _whole(args[1:], "reshape: sizes"), name)
        case "permute":
            return body.permute(a, _whole(args[1:], "permute: axes"), name)
        case "contract":
            b = value_of(args[2], function)
            return body.contract(a, _axes(args[1]), b, _axes(args[3]), name)
        case _:
            axis, kind = 1 if function.startswith("row_") else 0, function.partition("_")[2]
            if kind == "mean":
                return body.mean(a, axis, function, name)
            return body.reduce(a, axis, kind, function, name)


def count_of(function: str, expected: int | None, args: Sequence[Any]) -> None:
    """Check the number of arguments. Raises WrongCount."""
    if expected is None and len(args) < 2:
        raise WrongCount(f"{function} takes a matrix and at least one number, found {_arguments(len(args))}")
    if expected is not None and len(args) != expected:
        raise WrongCount(f"{function} takes {_arguments(expected)}, found {len(args)}")


def _arguments(n: int) -> str:
    return f"{n} argument{'' if n == 1 else 's'}"


def value_of(meaning: Any, what: str) -> Value:
    """The matrix that `what` needs. Raises NoMatrix."""
    if not isinstance(meaning, Value):
        found = f"the scalar {meaning!r}" if isinstance(meaning, float) else "a list of axes"
        raise NoMatrix(f"{what} needs a matrix, found {found}")
    return meaning


def _whole(numbers: Sequence[Any], what: str) -> tuple[int, ...]:
    """Compile-time scalars as whole numbers. Raises NoMatrix, TooLarge."""
    for number in numbers:
        if not isinstance(number, float) or not number.is_integer():
            found = repr(number) if isinstance(number, float) else "a matrix" if isinstance(number, Value) else "a list"
            raise NoMatrix(f"{what} must be whole numbers, found {found}")
        if abs(number) > LARGEST:
            raise TooLarge(f"{what} of at most {LARGEST:,} can be used, found {number!r}")
    return tuple(map(int, numbers))


def _axes(meaning: Any) -> tuple[int, ...]:
    return _whole((meaning,) if isinstance(meaning, (float, Value)) else meaning, "contract: axes")
