"""The machine that writes operations down: what it runs becomes a straight-line program of the same language.

Its numbers are atoms (variables and literals) with their types; each operation becomes one `let` with a fresh name.
Cotangents held as full tuples are written out slot by slot, zeros included, so the program performs exactly the
operations that the counting machine counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from transforms.errors import NeedsPoint
from transforms.machines.interface import Context, Value
from transforms.machines.table import TableMachine
from transforms.rules import Rules
from transforms.syntax import Case, Let, Lit, Op, Term, Tuple, Var
from transforms.types import REAL, Array, Injected, Product, Sum, Type

Line = tuple[str | tuple[str, ...], Term]
"""What one `let` binds, or one `case`: a name or a tuple of names, and the bound term."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A number of this machine: the variable or literal that stands for it, its type, and what it is at the point."""

    term: Term
    type: Type
    value: float | np.ndarray | None = None


class Writing(TableMachine):
    """A writing machine for a rule table; `taken` are the names that fresh ones must not clash with."""

    def __init__(self, rules: Rules, taken: Collection[str] = ()) -> None:
        super().__init__(rules)
        self.taken = set(taken)
        self.prefix = "v"
        self.serial: Counter[str] = Counter()
        self.lines: list[Line] = []

    def backward_part(self) -> None:
        """From here on, fresh names are those of adjoints."""
        self.prefix = "g"

    def fresh(self, prefix: str) -> str:
        """A name that nothing else has."""
        while True:
            self.serial[prefix] += 1
            name = f"{prefix}{self.serial[prefix]}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def apply(self, operation: str, *args: Atom, **statics: Any) -> Atom:
        type_ = self.rows[operation].shape(*[arg.type for arg in args], **statics)
        name = self.fresh(self.prefix)
        self.lines.append((name, Op(operation, tuple([arg.term for arg in args]), tuple(statics.items()))))
        values = [arg.value for arg in args]
        known = None if any(value is None for value in values) else self.rows[operation].evaluate(*values, **statics)
        return Atom(Var(name), type_, known)

    def variable(self, name: str, type_: Type, value: Any = None) -> Value:
        """A variable from outside, and its value at the point if there is one; a tuple is taken apart first.

        Raises NeedsPoint for a variable of a sum without a value.
        """
        match type_:
            case Product(parts=parts):
                names = tuple([self.fresh(name) for _ in parts])
                self.lines.append((names, Var(name)))
                values = [None] * len(parts) if value is None else value
                return tuple(map(self.variable, names, parts, values))
            case Sum(sides=sides):
                if value is None:
                    raise NeedsPoint(f"{name} is a value of a sum: a point is needed that says on which side")
                return Injected(value.side, self.variable(name, sides[value.side], value.value))
        return Atom(Var(name), type_, value)

    def constant(self, value: float | np.ndarray) -> Atom:
        return Atom(Lit(value), Array(value.shape) if isinstance(value, np.ndarray) else REAL, value)

    def constant_like(self, a: Value, value: float) -> Value:
        if isinstance(a, tuple):
            return tuple([self.constant_like(part, value) for part in a])
        return _full(a.type, value)

    def known(self, number: Atom) -> float:
        if number.value is None:
            raise NeedsPoint("the program branches: a point is needed that says which way")
        return float(number.value)

    def number_type(self, number: Atom) -> Type:
        return number.type

    def place(self, ct: Atom) -> Atom:
        return ct

    def release(self, ct: Atom) -> None:
        pass

    # A tuple of a whole context is a Python tuple of slots.

    def zeros(self, context: Context) -> tuple[Value, ...]:
        return tuple([_full(x.type, 0.0) for x in context.variables()])

    def unit(self, context: Context, variable: Context, ct: Value) -> tuple[Value, ...]:
        zeros = self.zeros(context)
        return (*zeros[: variable.index], ct, *zeros[variable.index + 1 :])

    def plus(self, u: Value, v: Value) -> Value:
        if isinstance(u, tuple):
            return tuple([self.plus(a, b) for a, b in zip(u, v, strict=True)])
        return self.apply("add", u, v)

    def split(self, ct: tuple[Value, ...], outer: Context, inner: Context) -> tuple[Value, tuple[Value, ...]]:
        return ct[: outer.index + 1], ct[outer.index + 1 :]

    def slots(self, ct: tuple[Value, ...], context: Context) -> tuple[Value, ...]:
        return ct


def _full(type_: Type, value: float) -> Value:
    if isinstance(type_, Product):
        return tuple([_full(part, value) for part in type_.parts])
    assert isinstance(type_, Array)
    literal = value if type_ == REAL else np.full(type_.shape, value)
    return Atom(Lit(literal), type_, literal)


def as_term(value: Value, type_: Type) -> Term:
    """The term for a value of this machine of a layout; zeros where a cotangent is absent."""
    while isinstance(value, Injected):
        value = value.value
    if isinstance(type_, Product):
        parts = [None] * len(type_.parts) if value is None else value
        return Tuple(tuple([as_term(part, t) for part, t in zip(parts, type_.parts, strict=True)]))
    return _full(type_, 0.0).term if value is None else value.term


def binding(lines: Iterable[Line], body: Term) -> Term:
    """The lines as binders around a body."""
    for names, bound in reversed(list(lines)):
        body = Case(bound, names, body) if isinstance(names, tuple) else Let(names, bound, body)
    return body
