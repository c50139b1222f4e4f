"""What machines share: the operations of a rule table by name, and the types of tuples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from transforms.machines.interface import Value
from transforms.rules import OPERATIONS, Operation, Rule, Rules
from transforms.types import Injected, Product, Type


class TableMachine:
    """A machine whose operations are the rows of a rule table, and those that pullbacks need besides.

    A machine of this kind says what `apply` does with one operation, what `number_type` each of its numbers has, and
    what is `known` of one at the point where it runs.
    """

    def __init__(self, rules: Rules) -> None:
        self.rows: Mapping[str, Rule | Operation] = {**OPERATIONS, **rules}
        # The type of each tuple is worked out once: tuples share parts, and may be large. The tuples are held too, so
        # that the identity they are known by stays theirs.
        self._tuple_types: dict[int, tuple[Value, Product]] = {}

    def __getattr__(self, operation: str) -> Any:
        """An operation of the table by its name, made when it is asked for first: most programs use few."""
        if operation not in vars(self).get("rows", ()):
            raise AttributeError(f"{type(self).__name__} has no operation {operation!r}")
        named = partial(self.apply, operation)
        setattr(self, operation, named)
        return named

    def apply(self, operation: str, *args: Value, **statics: Any) -> Value:
        raise NotImplementedError

    def number_type(self, number: Value) -> Type:
        raise NotImplementedError

    def known(self, number: Value) -> float:
        """What a number is, for a branch that depends on it."""
        raise NotImplementedError

    def sign_of(self, a: Value) -> Injected:
        sign = self.known(self.apply("sgn", a))
        if sign == 0.0 or sign != sign:
            return Injected(1, ())
        return Injected(0, Injected(int(sign > 0.0), ()))

    def type_of(self, value: Value) -> Type:
        while isinstance(value, Injected):
            value = value.value
        if not isinstance(value, tuple):
            return self.number_type(value)
        known = self._tuple_types.get(id(value))
        if known is None:
            known = value, Product(tuple([self.type_of(part) for part in value]))
            self._tuple_types[id(value)] = known
        return known[1]
