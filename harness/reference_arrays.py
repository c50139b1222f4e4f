"""Which entries meet in the primitives on arrays, for the reference: nested lists, scalar by scalar.

`scalar(name, *entries)` is what the caller does with one scalar primitive, and `constant(k)` enters a number. No code
is shared with the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce as fold
from itertools import product
from typing import Any

from harness.nests import leaves

Nest = Any
"""Something for each entry of an array: a list for each axis."""

Scalar = Callable[..., Any]


def combined(name: str, args: tuple[Nest, ...], statics: dict[str, Any], scalar: Scalar, constant: Scalar) -> Nest:
    """A primitive on arrays, or elementwise on arrays of one shape, or on scalars: the entries of its result."""
    match name:
        case "matmul":
            a, b = args
            columns = list(zip(*b, strict=True))
            return [[_sum([scalar("mul", x, y) for x, y in zip(row, column, strict=True)], scalar)
                     for column in columns] for row in a]  # fmt: skip
        case "transpose":
            return [list(column) for column in zip(*args[0], strict=True)]
        case "reshape":
            entries = leaves(args[0])
            return _shaped(statics["shape"], lambda _: next(entries))
        case "permute":
            order, shape = statics["permutation"], _shape(args[0])
            result = tuple([shape[axis] for axis in order])
            return _shaped(result, lambda at: _entry(args[0], [at[order.index(axis)] for axis in range(len(order))]))
        case "reduce":
            together = "add" if statics["kind"] == "sum" else "max"
            rows = args[0] if statics["axis"] == 1 else list(zip(*args[0], strict=True))
            reduced = [fold(lambda x, y: scalar(together, x, y), row) for row in rows]
            return [[entry] for entry in reduced] if statics["axis"] == 1 else [reduced]
        case "broadcast":
            shape = _shape(args[0])
            return _shaped(
                statics["shape"],
                lambda at: _entry(args[0], [0 if size == 1 else i for i, size in zip(at, shape, strict=True)]),
            )
        case "add_k" | "sub_k" | "mul_k" | "div_k":
            return _elementwise(lambda x: scalar(name[:-2], x, constant(statics["k"])), args)
        case "k_sub" | "k_div":
            return _elementwise(lambda x: scalar(name[2:], constant(statics["k"]), x), args)
        case _:
            return _elementwise(lambda *entries: scalar(name, *entries), args)


def _elementwise(function: Scalar, args: tuple[Nest, ...]) -> Nest:
    if isinstance(args[0], list):
        return [_elementwise(function, entries) for entries in zip(*args, strict=True)]
    return function(*args)


def _sum(entries: list[Any], scalar: Scalar) -> Any:
    return fold(lambda x, y: scalar("add", x, y), entries)


def _shape(nest: Nest) -> tuple[int, ...]:
    return (len(nest), *_shape(nest[0])) if isinstance(nest, list) else ()


def _entry(nest: Nest, at: list[int]) -> Any:
    for i in at:
        nest = nest[i]
    return nest


def _shaped(shape: tuple[int, ...], entry: Callable[[tuple[int, ...]], Any]) -> Nest:
    """The array of a shape whose entries are `entry` of their places, made in row-major order."""
    made = iter([entry(at) for at in product(*map(range, shape))])

    def nested(sizes: tuple[int, ...]) -> Nest:
        return [nested(sizes[1:]) for _ in range(sizes[0])] if sizes else next(made)

    return nested(shape)
