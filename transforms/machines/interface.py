"""What a machine is: it performs operations, or writes them down, or emits them as code.

The evaluator, the macros and the rules are written against this interface, so each works on every machine. A machine
value is opaque: a number (or array) of the machine, or a Python tuple of machine values for a tuple,
or an injected one of a sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from transforms.types import Injected, Product, Type

Value = Any


class Context(NamedTuple):
    """The variables in scope at a place in a term: the type of the innermost one, and those `outside` it.

    A context cotangent has one slot for each. Counted from the outermost variable, the innermost one's slot is number
    `index` and holds the scalars from `start` up to `stop`. A variable is named by the context that ends with it.
    """

    outside: Context | None
    type: Type
    index: int
    start: int
    stop: int

    def extend(self, type_: Type) -> Context:
        return Context(self, type_, self.index + 1, self.stop, self.stop + type_.size)

    def since(self, outer: Context) -> list[Context]:
        """The variables bound inside `outer`, outermost first."""
        found, context = [], self
        while context.outside is not None and context.index > outer.index:
            found.append(context)
            context = context.outside
        return found[::-1]

    def variables(self) -> list[Context]:
        """All of them, outermost first."""
        return self.since(EMPTY)


EMPTY = Context(None, Product(()), -1, 0, 0)


class Machine(Protocol):
    """Operations by name (`m.mul(a, b)`, `m.apply("mul", a, b)`), and the storage of cotangents."""

    def __getattr__(self, operation: str) -> Any: ...

    def apply(self, operation: str, *args: Value, **statics: Any) -> Value:
        """One operation of the rule table, or one of those that pullbacks need besides."""
        ...

    def constant(self, value: Any) -> Value:
        """A literal."""
        ...

    def constant_like(self, a: Value, value: float) -> Value:
        """The array of `a`'s shape whose entries are all `value`."""
        ...

    def sign_of(self, a: Value) -> Injected:
        """The sign of a number, to branch on: one operation."""
        ...

    def type_of(self, value: Value) -> Type:
        """The layout of a value's cotangents: its type, where a value of a sum counts as what it injects."""
        ...

    # Cotangents held slot by slot: numbers arrive, and are released when nothing holds them any more.

    def place(self, ct: Value) -> Value:
        """Write a cotangent number into an empty slot."""
        ...

    def release(self, ct: Value) -> None:
        """Close a slot that holds `ct`."""
        ...

    # Cotangents held as full tuples, one slot for each variable of a context.

    def zeros(self, context: Context) -> Value:
        """The zero tuple."""
        ...

    def unit(self, context: Context, variable: Context, ct: Value) -> Value:
        """The tuple with `ct` in the slot of `variable` and zeros elsewhere."""
        ...

    def plus(self, u: Value, v: Value) -> Value:
        """The sum of two tuples, slot by slot; consumes both."""
        ...

    def split(self, ct: Value, outer: Context, inner: Context) -> tuple[Value, tuple[Value, ...]]:
        """The part of a tuple of `inner` that belongs to `outer`, and the slots of the other variables; consumes it."""
        ...

    def slots(self, ct: Value, context: Context) -> tuple[Value, ...]:
        """The slots of a tuple, read out."""
        ...
