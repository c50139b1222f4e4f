"""Terms of the first-order fragment.

Terms are immutable and compared by identity. A chain of `let`s may be 100,000 long, so nothing that Python would do
by recursion over fields (equality, hash, repr, pickling) does so here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from transforms.types import Type

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
"""The primitives that are written between their arguments, and only there."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Node:
    """What all terms share: `at`, the offset in the source text (-1 where there is none), and `depth`."""

    at: int = field(default=-1, kw_only=True)
    depth: int = field(default=0, init=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of depth {self.depth}>"

    def __reduce__(self) -> tuple[Callable[..., Term], tuple[Any, ...]]:
        return _rebuild, (_flatten(self),)  # type: ignore[arg-type]


def _nests(node: _Node, inside: tuple[Term, ...], body: Term | None = None) -> None:
    depth = 1 + max([term.depth for term in inside], default=0)
    object.__setattr__(node, "depth", max(depth, body.depth if body else 0))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Var(_Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lit(_Node):
    """A literal: a real, or an array of reals."""

    value: float | np.ndarray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Op(_Node):
    """A primitive applied to arguments; `statics` are its static parameters (an axis, a permutation) by name."""

    name: str
    args: tuple[Term, ...]
    statics: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        _nests(self, self.args)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuple(_Node):
    parts: tuple[Term, ...]

    def __post_init__(self) -> None:
        _nests(self, self.parts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Let(_Node):
    """`let name = bound in body`."""

    name: str
    bound: Term
    body: Term

    def __post_init__(self) -> None:
        _nests(self, (self.bound,), self.body)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Case(_Node):
    """`case bound of <names> -> body`."""

    bound: Term
    names: tuple[str, ...]
    body: Term

    def __post_init__(self) -> None:
        _nests(self, (self.bound,), self.body)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Inject(_Node):
    """`inl arg` (side 0) or `inr arg` (side 1): a value of a sum."""

    side: int
    arg: Term

    def __post_init__(self) -> None:
        _nests(self, (self.arg,))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sign(_Node):
    """`sign arg`: the sign of a real as a value of a sum, to branch on."""

    arg: Term

    def __post_init__(self) -> None:
        _nests(self, (self.arg,))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Match(_Node):
    """`match bound with inl names[0] -> branches[0] | inr names[1] -> branches[1]`."""

    bound: Term
    names: tuple[str, str]
    branches: tuple[Term, Term]

    def __post_init__(self) -> None:
        _nests(self, (self.bound, *self.branches))


Term = Var | Lit | Op | Tuple | Let | Case | Inject | Sign | Match

BINDERS = (Let, Case, Match)
"""What binds variables; a chain of them may be long, so walks loop over it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A term in its context: the free variables with their types, in the order of their slots."""

    context: tuple[tuple[str, Type], ...]
    term: Term
    source: str = ""


def children(term: Term) -> tuple[Term, ...]:
    """The direct sub-terms, in the order of the text."""
    match term:
        case Op(args=parts) | Tuple(parts=parts):
            return parts
        case Let(bound=bound, body=body) | Case(bound=bound, body=body):
            return bound, body
        case Inject(arg=arg) | Sign(arg=arg):
            return (arg,)
        case Match(bound=bound, branches=branches):
            return bound, *branches
        case _:
            return ()


def subterms(term: Term) -> Iterator[Term]:
    """Every sub-term, the term itself first, in the order of the text."""
    todo = [term]
    while todo:
        term = todo.pop()
        yield term
        todo.extend(reversed(children(term)))


def free_variables(term: Term) -> tuple[str, ...]:
    """The names of the free variables, in the order of their first occurrence in the text."""
    free: dict[str, None] = {}
    bound: dict[str, int] = {}
    todo: list[Term | tuple[int, tuple[str, ...]]] = [term]
    while todo:
        item = todo.pop()
        match item:
            case (change, names):  # a scope opens (1) or closes (-1)
                for name in names:
                    bound[name] = bound.get(name, 0) + change
            case Var(name=name):
                if not bound.get(name):
                    free.setdefault(name)
            case Let(name=name, bound=head, body=body):
                todo += [(-1, (name,)), body, (1, (name,)), head]
            case Case(names=names, bound=head, body=body):
                todo += [(-1, names), body, (1, names), head]
            case Match(names=(x, y), bound=head, branches=(left, right)):
                todo += [(-1, (y,)), right, (1, (y,)), (-1, (x,)), left, (1, (x,)), head]
            case _:
                todo.extend(reversed(children(item)))
    return tuple(free)


def bound_names(term: Term) -> set[str]:
    """The names that binders of the term introduce."""
    names: set[str] = set()
    for subterm in subterms(term):
        match subterm:
            case Let(name=name):
                names.add(name)
            case Case(names=several) | Match(names=several):
                names.update(several)
    return names


def _flatten(term: Term) -> list[tuple[Any, ...]]:
    """The term as instructions for `_rebuild`: constructor, offset, positions of the sub-terms, the other fields."""
    instructions: list[tuple[Any, ...]] = []
    position: dict[int, int] = {}
    todo = [term]
    while todo:
        node = todo[-1]
        below = children(node)
        missing = [child for child in reversed(below) if id(child) not in position]
        if missing:
            todo += missing
            continue
        todo.pop()
        if id(node) in position:
            continue
        match node:
            case (
                Var(name=rest)
                | Lit(value=rest)
                | Let(name=rest)
                | Case(names=rest)
                | Inject(side=rest)
                | Match(names=rest)
            ):
                pass
            case Op(name=name, statics=statics):
                rest = (name, statics)
            case _:
                rest = None
        instructions.append((type(node), node.at, tuple(position[id(child)] for child in below), rest))
        position[id(node)] = len(instructions) - 1
    return instructions


def _rebuild(instructions: list[tuple[Any, ...]]) -> Term:
    built: list[Term] = []
    for constructor, at, positions, rest in instructions:
        below = tuple(built[k] for k in positions)
        if constructor is Op:
            built.append(Op(rest[0], below, rest[1], at=at))
        elif constructor is Tuple:
            built.append(Tuple(below, at=at))
        elif constructor is Let:
            built.append(Let(rest, *below, at=at))
        elif constructor is Case:
            built.append(Case(below[0], rest, below[1], at=at))
        elif constructor is Inject:
            built.append(Inject(rest, *below, at=at))
        elif constructor is Match:
            built.append(Match(below[0], rest, below[1:], at=at))  # type: ignore[arg-type]
        elif constructor is Sign:
            built.append(Sign(*below, at=at))
        else:
            built.append(constructor(rest, at=at))
    return built[-1]
