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
from transforms.syntax import INFIX, Case, Let, Lit, Op, Program, Term, Tuple, Var
from transforms.types import REAL, Array, Product, Type, brief
from transforms.walks import walking

Operations = Mapping[str, Rule | Operation]


def typecheck(program: Program, operations: Operations = RULES) -> Type:
    """The type of a program's term; `operations` are those it may apply.

    Raises UnboundVariable, UnknownPrimitive, WrongArity, ShapeMismatch or WrongCase, with place and caret.
    """
    try:
        with walking():
            return _type(program.term, Environment(program.context), operations)
    except SourceError as error:
        raise error.located(program.source, error.at) from None


def _type(term: Term, scope: Environment[Type], operations: Operations) -> Type:
    mark = scope.mark()
    while isinstance(term, (Let, Case)):  # a loop: chains may be long
        bound = _type(term.bound, scope, operations)
        if isinstance(term, Let):
            scope.bind(term.name, bound)
        else:
            for name, part in zip(term.names, _components(term, bound), strict=True):
                scope.bind(name, part)
        term = term.body
    match term:
        case Var(name=name):
            if name not in scope:
                raise UnboundVariable(f"unbound variable {name!r}: expected {_known(scope)}", at=term.at)
            type_ = scope[name]
        case Lit(value=value):
            type_ = Array(value.shape) if isinstance(value, np.ndarray) else REAL
        case Tuple(parts=parts):
            type_ = Product(tuple([_type(part, scope, operations) for part in parts]))
        case Op():
            type_ = _apply(term, [_type(arg, scope, operations) for arg in term.args], operations)
    scope.leave(mark)
    return type_


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
    try:
        return operation.shape(*types, **dict(term.statics))
    except ShapeMismatch as error:
        raise ShapeMismatch(f"{term.name}: {error.message}", at=term.at) from None


def _components(term: Case, type_: Type) -> tuple[Type, ...]:
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
