"""Source terms of the core language.

Terms are typed by construction: `type` is computed from the parts, and parts that do not fit raise IllTyped. What a
constructor cannot see, scopes, is checked by `typecheck.py`. A variable is an object: its binder and its occurrences
are the same `Var`, so a fresh variable is a new one, and names are for the reader alone. Terms are immutable and
compared by identity; nothing recurses over them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from transforms.chad.errors import IllTyped
from transforms.chad.primitives import Primitive
from transforms.chad.types import UNIT, Product, Sum, Type, brief, coproduct, product

K = TypeVar("K")
Parts = tuple[tuple["Node", "Var | None"], ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """What all terms share."""

    type: Any = field(init=False)  # a Type; a construct knows of which kind

    def __post_init__(self) -> None:
        object.__setattr__(self, "type", self.typed())

    def typed(self) -> Type:
        """The type, by the rule of this construct."""
        raise NotImplementedError

    def parts(self) -> Parts:
        """The sub-terms in the order of evaluation, each with the variable that it is in the scope of, if any."""
        return ()

    def same(self, found: Type, expected: Type) -> None:
        """Require that a part's type is the expected one."""
        if found is not expected:
            raise IllTyped(f"{type(self).__name__}: expected {brief(expected)}, found {brief(found)}")

    def kind(self, found: Type, expected: type[K]) -> K:
        """The type of a part, which must be of the expected kind."""
        if not isinstance(found, expected):
            raise IllTyped(f"{type(self).__name__}: expected a type {expected.__name__}, found {brief(found)}")
        return found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of type {brief(self.type)}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Var(Node):
    name: str
    of: Type

    def typed(self) -> Type:
        return self.of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Let(Node):
    """`let x = bound in body`."""

    x: Var
    bound: Node
    body: Node

    def typed(self) -> Type:
        self.same(self.bound.type, self.x.type)
        return self.body.type

    def parts(self) -> Parts:
        return (self.bound, None), (self.body, self.x)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prim(Node):
    """A primitive applied to its argument."""

    op: Primitive
    argument: Node

    def typed(self) -> Type:
        self.same(self.argument.type, self.op.argument)
        return self.op.result

    def parts(self) -> Parts:
        return ((self.argument, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Unit(Node):
    def typed(self) -> Type:
        return UNIT


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pair(Node):
    left: Node
    right: Node

    def typed(self) -> Type:
        return product(self.left.type, self.right.type)

    def parts(self) -> Parts:
        return (self.left, None), (self.right, None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fst(Node):
    pair: Node

    def typed(self) -> Type:
        return self.kind(self.pair.type, Product).left

    def parts(self) -> Parts:
        return ((self.pair, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Snd(Node):
    pair: Node

    def typed(self) -> Type:
        return self.kind(self.pair.type, Product).right

    def parts(self) -> Parts:
        return ((self.pair, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Inl(Node):
    """The left injection; `other` is the type of the right side."""

    value: Node
    other: Type

    def typed(self) -> Type:
        return coproduct(self.value.type, self.other)

    def parts(self) -> Parts:
        return ((self.value, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Inr(Node):
    """The right injection; `other` is the type of the left side."""

    value: Node
    other: Type

    def typed(self) -> Type:
        return coproduct(self.other, self.value.type)

    def parts(self) -> Parts:
        return ((self.value, None),)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Case(Node):
    """`case scrutinee of inl x -> left | inr y -> right`."""

    scrutinee: Node
    x: Var
    left: Node
    y: Var
    right: Node

    def typed(self) -> Type:
        either = self.kind(self.scrutinee.type, Sum)
        self.same(self.x.type, either.left)
        self.same(self.y.type, either.right)
        self.same(self.right.type, self.left.type)
        return self.left.type

    def parts(self) -> Parts:
        return (self.scrutinee, None), (self.left, self.x), (self.right, self.y)


SOURCE = (Var, Let, Prim, Unit, Pair, Fst, Snd, Inl, Inr, Case)
"""The constructors of source terms; the target has these and those of `target.py`."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A source term in its context: the free variables, in the order of their slots."""

    context: tuple[Var, ...]
    term: Node
