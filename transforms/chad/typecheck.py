"""The type checker of both languages.

Constructors have checked each term against its parts; what is left is what they cannot see: that a term is in the
source language, and that every variable is in scope. A closure must list the variables that its body uses, each once,
and no others, because its cost depends on the list.
"""

from __future__ import annotations

from collections.abc import Iterable

from transforms.chad.errors import IllTyped, OutOfScope
from transforms.chad.primitives import TABLE
from transforms.chad.syntax import SOURCE, Node, Prim, Program, Var
from transforms.chad.target import Function
from transforms.chad.trampoline import Call, run
from transforms.chad.types import Type, brief


def check_source(program: Program) -> Type:
    """The type of a source program. Raises IllTyped for what is not in the source language, and OutOfScope."""
    todo: list[Node] = [*program.context, program.term]
    while todo:
        term = todo.pop()
        if not isinstance(term, SOURCE) or term.type.linear is None:
            raise IllTyped(f"expected a source term, found a {type(term).__name__} of type {brief(term.type)}")
        if isinstance(term, Prim) and term.op.name != "literal" and TABLE.get(term.op.name) is not term.op:
            raise IllTyped(f"expected a primitive of the source, found {term.op.name}")
        todo += [part for part, _ in term.parts()]
    return check_target(program.term, program.context)


def check_target(term: Node, context: Iterable[Var]) -> Type:
    """The type of a target term whose free variables are among `context`. Raises OutOfScope."""
    scope: set[Var] = set()
    for x in context:
        _enter(x, scope)
    run(_check(term, scope, set()))
    return term.type


def _check(term: Node, scope: set[Var], used: set[Var]) -> Call:
    """Adds the free variables of `term` to `used`."""
    if isinstance(term, Var):
        if term not in scope:
            raise OutOfScope(f"the variable {term.name} is not in scope")
        used.add(term)
    elif isinstance(term, Function):
        inside: set[Var] = set()
        outside = set(term.captured)
        for x in term.captured:
            yield _check(x, scope, used)
        if term.x in outside:
            raise OutOfScope(f"the variable {term.x.name} is bound twice")
        yield _check(term.body, {*term.captured, term.x}, inside)
        inside.discard(term.x)
        if inside != outside or len(outside) != len(term.captured):
            needed, listed = sorted(x.name for x in inside), [x.name for x in term.captured]
            raise OutOfScope(f"a closure lists {listed}, its body uses {needed}")
    else:
        for part, x in term.parts():
            if x is None:
                yield _check(part, scope, used)
            else:
                _enter(x, scope)
                yield _check(part, scope, used)
                scope.remove(x)
                used.discard(x)


def _enter(x: Var, scope: set[Var]) -> None:
    if x in scope:
        raise OutOfScope(f"the variable {x.name} is bound twice")
    scope.add(x)
