"""The variables in scope during a transformation: values, and the contexts that cotangents are laid out by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from transforms.environment import Environment
from transforms.machines.interface import EMPTY, Context, Machine, Value


class Variable(NamedTuple):
    """A variable in scope: its value, and the context that ends with it."""

    value: Value
    context: Context


Scope = Environment[Variable]


def context(scope: Scope) -> Context:
    """The context of everything in scope."""
    return scope.trail[-1][1].context if scope.trail else EMPTY


def bind(machine: Machine, scope: Scope, names: Iterable[str], values: Iterable[Value]) -> Context:
    """Bring variables into scope; the context they end."""
    here = context(scope)
    for name, value in zip(names, values, strict=True):
        here = here.extend(machine.type_of(value))
        scope.bind(name, Variable(value, here))
    return here
