"""Loop nests in C: how an operation goes through the entries of its result and its arguments.

The rule table has the expression for one entry of the result: in the entries {0} and {1} of the arguments that belong
to it, in static parameters, and, where a result is summed up, in what it is so far, {r}. A nest is a function of that
text, the result, the arguments and the static parameters; it returns one statement.

Offsets run along instead of being multiplied out: at -O0 an operation would mostly consist of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Protocol

from transforms.array_rules import REDUCTIONS
from transforms.machines.c_text import literal
from transforms.types import Array


class Entries(Protocol):
    """What a nest sees of an array: its type, and the C expression for the entry at an offset, row by row."""

    @property
    def type(self) -> Array: ...

    def entry(self, offset: str | int = 0) -> str: ...


Nest = Callable[..., str]
"""From the table's text, the result, the arguments and static parameters by keyword to a statement."""


def elementwise(c: str, r: Entries, args: Sequence[Entries], **statics: float) -> str:
    """Entries at the same offset; static parameters are numbers."""
    one = r.type.size == 1
    at = 0 if one else "i"
    constants = {name: literal(value) for name, value in statics.items()}
    step = f"{r.entry(at)} = {c.format(*[a.entry(at) for a in args], **constants)};"
    return step if one else f"for (long i = 0; i < {r.type.size}; i++) {step}"


def matmul(c: str, r: Entries, args: Sequence[Entries]) -> str:
    """Row times column: the entries of a row lie side by side, those of a column a row's length apart."""
    (rows, inner), columns = args[0].type.shape, args[1].type.shape[1]
    step = "s = " + c.format(args[0].entry("p"), args[1].entry("q"), r="s")
    return (
        f"for (long i = 0, o = 0; i < {rows * inner}; i += {inner})"
        f" for (long j = 0; j < {columns}; j++, o++) {{"
        f" double s = 0.0;"
        f" for (long p = i, q = j, end = i + {inner}; p < end; p++, q += {columns}) {step};"
        f" {r.entry('o')} = s; }}"
    )


def reduce(c: str, r: Entries, args: Sequence[Entries], axis: int, kind: str) -> str:
    """Along one axis, from its first entry on: a row's lie side by side, a column's a row's length apart."""
    rows, columns = args[0].type.shape
    expressions = dict(zip(REDUCTIONS, c.split("; "), strict=True))
    step = "s = " + expressions[kind].format(args[0].entry("p"), r="s")
    outer, to_next, along, length = (rows, columns, 1, columns) if axis else (columns, 1, columns, rows)
    return (
        f"for (long o = 0, i = 0; o < {outer}; o++, i += {to_next}) {{"
        f" double s = {args[0].entry('i')};"
        f" for (long p = i + {along}, end = i + {along * length}; p < end; p += {along}) {step};"
        f" {r.entry('o')} = s; }}"
    )


def transpose(c: str, r: Entries, args: Sequence[Entries]) -> str:
    rows, columns = args[0].type.shape
    return gather(c, r, args[0], [(columns, 1), (rows, columns)])


def permute(c: str, r: Entries, args: Sequence[Entries], permutation: Sequence[int]) -> str:
    axes = _axes(args[0].type.shape)
    return gather(c, r, args[0], [axes[axis] for axis in permutation])


def broadcast(c: str, r: Entries, args: Sequence[Entries], shape: Sequence[int]) -> str:
    """An axis along which the argument stays where it is."""
    axes = _axes(args[0].type.shape)
    return gather(c, r, args[0], [(n, step if n == m else 0) for n, (m, step) in zip(shape, axes, strict=True)])


NESTS: Mapping[str, Nest] = {
    "matmul": matmul,
    "reduce": reduce,
    "transpose": transpose,
    "permute": permute,
    "broadcast": broadcast,
}
"""The operations of the table that are not elementwise, but for `reshape`: its result is its argument's entries."""


def _axes(shape: Sequence[int]) -> list[tuple[int, int]]:
    """For each axis its length, and how far apart its entries are."""
    return [(n, prod(shape[k + 1 :])) for k, n in enumerate(shape)]


def gather(c: str, r: Entries, a: Entries, axes: Sequence[tuple[int, int]]) -> str:
    """The entries of the result in order, each from the argument: for each axis, its length and the step there."""
    merged: list[tuple[int, int]] = []
    for n, step in axes:
        if n == 1:
            continue
        if merged and merged[-1][1] == n * step:  # one loop does for both
            merged[-1] = merged[-1][0] * n, step
        else:
            merged.append((n, step))
    text, before = "", "0"
    for k, (n, step) in enumerate(merged):
        start = ", o = 0" if k == 0 else ""
        along = (f", q{k} += {step}" if step else "") + (", o++" if k == len(merged) - 1 else "")
        text += f"for (long i{k} = 0, q{k} = {before}{start}; i{k} < {n}; i{k}++{along}) "
        before = f"q{k}"
    to, at = ("o", before) if merged else (0, 0)
    return f"{text}{r.entry(to)} = {c.format(a.entry(at))};"
