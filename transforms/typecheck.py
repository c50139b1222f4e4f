"""The type checker: the type of a term in its context, or a named error with its place."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from transforms.environment import Environment
from transforms.errors import (
    ShapeMismatch,
    SourceError,
    UnboundVariable,
    UnknownPrimitive,
    WrongArity,
    WrongCase,
)
from transforms.rules import RULES, Operation, Rule, arity
from transforms.syntax import INFIX, Case, Inject, Let, Lit, Match, Op, Program, Sign, Term, Tuple, Var
from transforms.types import REAL, SIGN, Array, Product, Sum, Type, brief, shared
from transforms.unify import Open, find, open_type, settled, unify
from transforms.walks import walking

Operations = Mapping[str, Rule | Operation]


def typecheck(program: Program, operations: Operations = RULES) -> Type:
    """The type of a program's term; `operations` are those it may apply.

    Raises UnboundVariable, UnknownPrimitive, WrongArity, ShapeMismatch, WrongCase or TooLarge, with place and caret.
    """
    return _checked(program, operations)[0]


def other_sides(program: Program, operations: Operations = RULES) -> dict[int, Type]:
    """For each injection of a program that typechecks, by the term's identity, the type of the side it is not on."""
    return _checked(program, operations)[1]


def _checked(program: Program, operations: Operations) -> tuple[Type, dict[int, Type]]:
    sides: dict[int, Type] = {}
    try:
        with walking():
            type_ = _type(program.term, Environment(program.context), operations, sides)
            return settled(type_), {term: settled(side) for term, side in sides.items()}
    except SourceError as error:
        raise error.located(program.source, error.at) from None


def _type(term: Term, scope: Environment[Type], operations: Operations, sides: dict[int, Type]) -> Type:
    """The type of a term, open where nothing decides it yet; `sides` takes those of injections."""
    if isinstance(term, Var) and term.name in scope:  # as most terms are
        return scope[term.name]
    mark = scope.mark()
    while isinstance(term, (Let, Case)):  # a loop: chains may be long
        bound = _type(term.bound, scope, operations, sides)
        if isinstance(term, Let):
            scope.bind(term.name, bound)
        else:
            for name, part in zip(term.names, _components(term, bound), strict=True):
                scope.bind(name, part)
        term = term.body
    match term:
        case Var():
            type_ = _variable(term, scope)
        case Op():
            type_ = _apply(term, [_type(arg, scope, operations, sides) for arg in term.args], operations)
        case Lit(value=value):
            type_ = Array(value.shape) if isinstance(value, np.ndarray) else REAL
        case Tuple(parts=parts):
            type_ = shared(Product(tuple([_type(part, scope, operations, sides) for part in parts])), term.at)
        case Inject(side=side, arg=arg):
            here, other = _type(arg, scope, operations, sides), open_type()
            sides[id(term)] = other
            type_ = shared(Sum(other, here) if side else Sum(here, other), term.at)
        case Sign(arg=arg):
            found = _type(arg, scope, operations, sides)
            if not unify(found, REAL):
                raise ShapeMismatch(f"sign needs a real, found {brief(found)}", at=term.at)
            type_ = SIGN
        case Match():
            type_ = _match(term, scope, operations, sides)
    scope.leave(mark)
    return type_


def _variable(x: Var, scope: Environment[Type]) -> Type:
    try:
        return scope[x.name]
    except KeyError:
        raise UnboundVariable(f"unbound variable {x.name!r}: expected {_known(scope)}", at=x.at) from None


def _match(term: Match, scope: Environment[Type], operations: Operations, sides: dict[int, Type]) -> Type:
    bound, (left, right) = _type(term.bound, scope, operations, sides), (open_type(), open_type())
    if not unify(bound, Sum(left, right)):
        raise WrongCase(f"match needs a value of a sum, found {brief(bound)}", at=term.at)
    results = []
    for name, payload, branch in zip(term.names, (left, right), term.branches, strict=True):
        mark = scope.mark()
        scope.bind(name, payload)
        results.append(_type(branch, scope, operations, sides))
        scope.leave(mark)
    if not unify(*results):
        raise ShapeMismatch(f"the branches of a match differ: {' and '.join(map(brief, results))}", at=term.at)
    return results[0]


def _apply(term: Op, types: list[Type], operations: Operations) -> Type:
    if term.name not in operations:
        raise UnknownPrimitive(
            f"unknown primitive {term.name!r}: expected one of {', '.join(sorted(operations.keys() - INFIX.keys()))}",
            at=term.at,
        )
    operation = operations[term.name]
    expected = arity(operation.evaluate)
    if len(types) != expected:
        raise WrongArity(f"{term.name} takes {_count(expected, 'argument')}, found {len(types)}", at=term.at)
    types = _known_arguments(types)
    try:
        return operation.shape(*types, **dict(term.statics))
    except ShapeMismatch as error:
        raise ShapeMismatch(f"{term.name}: {error.message}", at=term.at) from None


def _known_arguments(types: list[Type]) -> list[Type]:
    """The arguments' types; open ones are taken to be like the first array among them, or else reals."""
    if Open in map(type, types):
        types = [find(type_) for type_ in types]
        like = next((type_ for type_ in types if isinstance(type_, Array)), REAL)
        for type_ in types:
            if isinstance(type_, Open):
                unify(type_, like)
        types = [find(type_) for type_ in types]
    return types


def _components(term: Case, type_: Type) -> tuple[Type, ...]:
    type_ = find(type_)
    if isinstance(type_, Open):
        unify(type_, Product(tuple([open_type() for _ in term.names])))
        type_ = find(type_)
    if not isinstance(type_, Product):
        raise WrongCase(f"case needs a tuple, found {brief(type_)}", at=term.at)
    if len(type_.parts) != len(term.names):
        found, expected = _count(len(term.names), "name"), _count(len(type_.parts), "component")
        raise WrongCase(f"case on {expected} of {brief(type_)}, found {found}", at=term.at)
    return type_.parts


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _known(scope: Environment[Type]) -> str:
    names = list(scope)
    return "one of " + ", ".join(names[:10]) + (", ..." if len(names) > 10 else "") if names else "a closed term"
