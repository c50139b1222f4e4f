"""The machine that performs operations on doubles and counts them.

What it counts, apart from one another for the primal part and the backward part:

    operations     scalar arithmetic operations by kind; an array operation counts its scalar ones
    slot_writes    cotangent numbers written that are no arithmetic
    peak_slots     the most cotangent numbers alive at once
    saved          numbers of the primal part (inputs included, literals not) that the backward part reads

No operation is skipped because of a value, so counts do not depend on the point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from transforms.errors import OutsideDomain, TooLarge
from transforms.machines.interface import Context, Value
from transforms.machines.table import TableMachine
from transforms.rules import REALS, Rule, Rules
from transforms.types import MAX_NUMBERS, REAL, Array, Injected, Product, Type, held


class Number:
    """A double or an array of doubles; `unsaved` while it is a number of the primal part that nothing read since."""

    __slots__ = ("unsaved", "value")

    def __init__(self, value: float | np.ndarray, unsaved: bool) -> None:
        self.value, self.unsaved = value, unsaved


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted; all are exact whole numbers."""

    primal: Mapping[str, int]
    backward: Mapping[str, int]
    slot_writes: int
    peak_slots: int
    saved: int

    @property
    def by_kind(self) -> dict[str, int]:
        """Operations by kind, of both parts, in order of the name."""
        return dict(sorted((Counter(self.primal) + Counter(self.backward)).items()))

    @property
    def primal_operations(self) -> int:
        return sum(self.primal.values())

    @property
    def operations(self) -> int:
        """Operations of the primal part and the backward part together."""
        return self.primal_operations + sum(self.backward.values())

    def times(self, runs: int) -> Counts:
        """What so many runs perform, one after the other: what is alive at once is that of one."""
        primal, backward = ({kind: runs * n for kind, n in part.items()} for part in (self.primal, self.backward))
        return Counts(primal, backward, runs * self.slot_writes, self.peak_slots, self.saved)


class Counting(TableMachine):
    """A counting machine for a rule table; `backward_part` tells it that the primal part is over."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.by_kind: Counter[str] = Counter()
        self.primal: Counter[str] | None = None
        self.slot_writes = self.alive = self.peak_slots = self.saved = 0

    def backward_part(self) -> None:
        """From here on, operations belong to the backward part."""
        self.primal, self.by_kind = self.by_kind, Counter()

    def counts(self) -> Counts:
        primal, backward = (self.by_kind, {}) if self.primal is None else (self.primal, self.by_kind)
        return Counts(dict(primal), dict(backward), self.slot_writes, self.peak_slots, self.saved)

    def apply(self, operation: str, *args: Number, **statics: Any) -> Number:
        """Perform an operation. Raises OutsideDomain where a primitive of the primal part is not defined."""
        row = self.rows[operation]
        values = [arg.value for arg in args]
        primal = self.primal is None
        if primal:
            if isinstance(row, Rule) and row.domain is not REALS:
                _check_domain(row, values, statics)
        else:
            for arg in args:
                if arg.unsaved:
                    arg.unsaved = False
                    self.saved += _size(arg.value)
        value = row.evaluate(*values, **statics)
        if not isinstance(value, np.ndarray):
            self.by_kind[operation] += 1
        elif operation in ARRAY_OPERATIONS:
            for kind, times in _scalar_operations(operation, values, value, statics).items():
                self.by_kind[kind] += times
        else:
            self.by_kind[operation] += value.size
        return Number(value, primal)

    def given(self, value: Any) -> Value:
        """A value from outside, nested tuples of floats and arrays: an input in the primal part, a seed after it."""
        if isinstance(value, tuple):
            return tuple([self.given(part) for part in value])
        if isinstance(value, Injected):
            return Injected(value.side, self.given(value.value))
        return Number(value, self.primal is None)

    def read(self, value: Value, type_: Type) -> Any:
        """The floats and arrays of a machine value of a layout; zeros where a cotangent is absent."""
        if isinstance(value, Injected):
            return Injected(value.side, self.read(value.value, type_))
        if isinstance(type_, Product):
            parts = [None] * len(type_.parts) if value is None else value
            return tuple([self.read(part, t) for part, t in zip(parts, type_.parts, strict=True)])
        assert isinstance(type_, Array)
        if value is None:
            return 0.0 if type_ == REAL else np.zeros(type_.shape)
        return value.value

    def constant(self, value: float | np.ndarray) -> Number:
        return Number(value, False)

    def constant_like(self, a: Value, value: float) -> Value:
        if isinstance(a, tuple):
            return tuple([self.constant_like(part, value) for part in a])
        return Number(value if isinstance(a.value, float) else np.full(a.value.shape, value), False)

    def known(self, number: Number) -> float:
        return float(number.value)

    def number_type(self, number: Number) -> Type:
        return Array(number.value.shape) if isinstance(number.value, np.ndarray) else REAL

    def place(self, ct: Number) -> Number:
        size = _size(ct.value)
        self.slot_writes += size
        self._live(size)
        return ct

    def release(self, ct: Number) -> None:
        self.alive -= _size(ct.value)

    # A tuple of a whole context is one flat array of doubles: adding two of them is one array operation.

    def zeros(self, context: Context) -> np.ndarray:
        if context.stop > MAX_NUMBERS:
            raise TooLarge(f"a context of {context.stop:,} numbers: full tuples hold {MAX_NUMBERS:,} at most")
        self.slot_writes += context.stop
        self._live(context.stop)
        return np.zeros(context.stop)

    def unit(self, context: Context, variable: Context, ct: Value) -> np.ndarray:
        tuple_ = self.zeros(context)
        _flatten(tuple_, variable.start, ct)
        return tuple_

    def plus(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        self.by_kind["add"] += u.size
        self._live(u.size)
        self.alive -= 2 * u.size
        return u + v

    def split(self, ct: np.ndarray, outer: Context, inner: Context) -> tuple[np.ndarray, tuple[Value, ...]]:
        self.alive -= ct.size - outer.stop
        return ct[: outer.stop], tuple([_unflatten(ct, x.start, x.type)[0] for x in inner.since(outer)])

    def slots(self, ct: np.ndarray, context: Context) -> tuple[Value, ...]:
        return tuple([_unflatten(ct, x.start, x.type)[0] for x in context.variables()])

    def _live(self, more: int) -> None:
        self.alive += more
        self.peak_slots = max(self.peak_slots, self.alive)


def _check_domain(rule: Rule, values: list[float | np.ndarray], statics: Mapping[str, Any]) -> None:
    inside = rule.domain.contains(*values, **statics)
    if inside is not True and not np.all(inside):
        raise OutsideDomain(f"{rule.name} needs {rule.domain.text}, found {', '.join(map(_text, values))}")


SCALAR_FORMS = {"add_k": "add", "sub_k": "sub", "k_sub": "sub", "mul_k": "mul", "div_k": "div", "k_div": "div"}
MOVES = frozenset(("transpose", "reshape", "permute", "broadcast"))
ARRAY_OPERATIONS = frozenset(("matmul", "reduce", *MOVES, *SCALAR_FORMS))
"""Those that are not counted under their own name, once for each entry of the result."""


def _scalar_operations(
    operation: str, values: list[Any], value: np.ndarray, statics: Mapping[str, Any]
) -> dict[str, int]:
    """The scalar operations of an array operation, by kind."""
    if operation in MOVES:
        return {}
    if operation == "matmul":
        inner = values[0].shape[1]
        return {"mul": value.size * inner, "add": value.size * (inner - 1)}
    if operation == "reduce":
        return {"add" if statics["kind"] == "sum" else statics["kind"]: values[0].size - value.size}
    return {SCALAR_FORMS[operation]: _size(value)}


def _size(value: float | np.ndarray) -> int:
    return value.size if isinstance(value, np.ndarray) else 1


def _text(value: float | np.ndarray) -> str:
    return repr(value) if isinstance(value, float) else " ".join(str(value).split())


def _flatten(tuple_: np.ndarray, start: int, ct: Value) -> int:
    """Write the numbers of `ct` from `start` on; where they end."""
    if isinstance(ct, tuple):
        for part in ct:
            start = _flatten(tuple_, start, part)
        return start
    stop = start + _size(ct.value)
    tuple_[start:stop] = ct.value if isinstance(ct.value, float) else ct.value.ravel()
    return stop


def _unflatten(tuple_: np.ndarray, start: int, type_: Type) -> tuple[Value, int]:
    """The cotangent of `type_` that starts at `start`, and where it ends."""
    if isinstance(type_, Product):
        held(type_)
        parts = []
        for t in type_.parts:
            part, start = _unflatten(tuple_, start, t)
            parts.append(part)
        return tuple(parts), start
    assert isinstance(type_, Array)
    stop = start + type_.size
    value = float(tuple_[start]) if type_ == REAL else tuple_[start:stop].reshape(type_.shape)
    return Number(value, False), stop
