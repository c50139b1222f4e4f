"""The machine that emits C: what it runs becomes a C program with the same operations in the same order.

A number is a variable of the C program, an array of doubles, or, where all its entries are one literal, that literal.
Each operation becomes one loop nest, of which the rule table gives the expression for an entry. Cotangents held slot by
slot are copied into their slots; those held as full tuples are arrays, whose sizes the C program passes around at run
time. Domains are not checked: infinities and NaN flow through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from transforms.errors import NeedsPoint
from transforms.machines.c_nests import NESTS, elementwise
from transforms.machines.c_text import Statement, Storage, literal, render
from transforms.machines.interface import Context, Value
from transforms.machines.table import TableMachine
from transforms.rules import Rules
from transforms.types import REAL, Array, Injected, Product, Type


@dataclass(frozen=True, slots=True)
class Number:
    """A double or an array of doubles in the C program.

    Its entries are those of the storage called `base` from number `start` on; or each is the literal `base`.
    """

    type: Array
    base: str
    start: int = 0
    kind: str = "array"
    """Whether the storage is a "variable", an "array" or a "literal"."""

    def entry(self, offset: str | int = 0) -> str:
        """The C expression for the entry at an offset, row by row."""
        if self.kind != "array":
            return self.base
        return f"{self.base}[{f'{self.start} + {offset}' if self.start and offset else self.start or offset}]"

    @property
    def touches(self) -> tuple[str, ...]:
        return () if self.kind == "literal" else (self.base,)


class EmitC(TableMachine):
    """An emitting machine for a rule table. `line` is the line in the source that comes next, 0 where not known."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.line = 0
        self.storage: list[Storage] = []
        self.statements: list[Statement] = []
        self.prefix = "v"

    def backward_part(self) -> None:
        """From here on, numbers belong to the backward part: their names begin otherwise."""
        self.prefix = "g"

    def source(self, results: Value, file: str = "", stop: str | None = None, memory: bool = False) -> str:
        """The C program that prints the numbers of `results`, in order; the rest is as `render` says."""
        return render(self.storage, self.statements, [*map(_shown, _flat(results))], file, stop, memory)

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        row = self.rows[operation]
        type_ = row.shape(*[arg.type for arg in args], **statics)
        assert isinstance(type_, Array)
        if operation == "reshape":  # the same numbers in the same order
            return replace(args[0], type=type_)
        result = self._new(self.prefix, type_)
        nest = NESTS.get(operation, elementwise)
        self._emit(nest(row.c, result, args, **statics), result, *args)
        return result

    def given(self, value: Any, note: str = "") -> Value:
        """A value from outside, nested tuples of floats and arrays: data of the C program, which is not folded."""
        if isinstance(value, tuple):
            return tuple([self.given(part, note) for part in value])
        if isinstance(value, Injected):
            return Injected(value.side, self.given(value.value, note))
        return self._new("x", Array(np.shape(value)), value, note)

    def constant(self, value: float | np.ndarray) -> Number:
        entries = np.ravel(value)
        type_ = Array(np.shape(value))
        if entries.size and np.all(entries.view(np.int64) == entries.view(np.int64)[0]):
            return Number(type_, literal(float(entries[0])), kind="literal")
        return self._new("c", type_, value)

    def constant_like(self, a: Value, value: float) -> Value:
        if isinstance(a, tuple):
            return tuple([self.constant_like(part, value) for part in a])
        return Number(a.type, literal(value), kind="literal")

    def received(self, ct: Value, layout: Type) -> Value:
        """A cotangent of a layout, zeros where it is absent."""
        if isinstance(layout, Product):
            parts = [None] * len(layout.parts) if ct is None else ct
            return tuple([self.received(part, of) for part, of in zip(parts, layout.parts, strict=True)])
        assert isinstance(layout, Array)
        return Number(layout, literal(0.0), kind="literal") if ct is None else ct

    def number_type(self, number: Number) -> Type:
        return number.type

    def known(self, number: Number) -> float:
        raise NeedsPoint("the program branches: native code is of the straight line it takes at a point, see `write`")

    def place(self, ct: Number) -> Number:
        slot = self._new("s", ct.type)
        self._copy(slot, ct)
        return slot

    def release(self, ct: Number) -> None:
        pass

    # A tuple of a whole context is one array of doubles, and its slots are parts of that array.

    def zeros(self, context: Context) -> Number:
        result = self._new("t", Array((context.stop,)))
        self._emit(f"clear({result.base}, {context.stop});", result)
        return result

    def unit(self, context: Context, variable: Context, ct: Value) -> Number:
        result = self.zeros(context)
        start = variable.start
        for number in _flat(ct):
            self._copy(Number(number.type, result.base, start), number)
            start += number.type.size
        return result

    def plus(self, u: Number, v: Number) -> Number:
        result = self._new("t", u.type)
        self._emit(f"sum({result.base}, {u.base}, {v.base}, {u.type.size});", result, u, v)
        return result

    def split(self, ct: Number, outer: Context, inner: Context) -> tuple[Number, tuple[Value, ...]]:
        return replace(ct, type=Array((outer.stop,))), tuple([_part(ct, x.start, x.type) for x in inner.since(outer)])

    def slots(self, ct: Number, context: Context) -> tuple[Value, ...]:
        return tuple([_part(ct, x.start, x.type) for x in context.variables()])

    def storage_for(self, prefix: str, size: int) -> Number:
        """New storage for as many doubles."""
        return self._new(prefix, Array((size,)))

    def statement(self, text: str, *touches: str) -> None:
        """A statement that somebody else has written, and the names of the storage that it touches."""
        self.statements.append(Statement(text, touches, self.line))

    def _new(self, prefix: str, type_: Array, data: Any = None, note: str = "") -> Number:
        name = f"{prefix}{len(self.storage)}"
        variable = type_ == REAL
        self.storage.append(Storage(name, None if variable else type_.size, data, note))
        return Number(type_, name, kind="variable" if variable else "array")

    def _emit(self, text: str, *touched: Number) -> None:
        names = tuple([name for number in touched for name in number.touches])
        self.statements.append(Statement(text, names, self.line))

    def _copy(self, to: Number, number: Number) -> None:
        self._emit(elementwise("{0}", to, [number]), to, number)


def _part(tuple_: Number, start: int, type_: Type) -> Value:
    """The cotangent of `type_` that starts at `start` in a tuple."""
    if isinstance(type_, Array):
        return Number(type_, tuple_.base, start)
    assert isinstance(type_, Product)
    parts = []
    for t in type_.parts:
        parts.append(_part(tuple_, start, t))
        start += t.size
    return tuple(parts)


def _flat(value: Value) -> Iterator[Number]:
    """The numbers of a value, in order."""
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    elif isinstance(value, Injected):
        yield from _flat(value.value)
    else:
        yield value


def _shown(number: Number) -> Statement:
    """The statement that prints a number, shape first."""
    shape = "x".join(map(str, number.type.shape)) or "real"
    shown = f'repeat("{shape}", {number.base}' if number.kind == "literal" else f'show("{shape}", &{number.entry()}'
    return Statement(f"{shown}, {number.type.size});", number.touches, 0)
