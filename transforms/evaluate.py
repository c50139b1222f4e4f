"""The evaluator: the value of a term, on any machine."""

from __future__ import annotations

from transforms.environment import Environment
from transforms.errors import OutsideDomain
from transforms.machines.interface import Machine, Value
from transforms.syntax import BINDERS, Case, Inject, Let, Lit, Match, Op, Sign, Term, Tuple, Var
from transforms.types import Injected


def evaluate(machine: Machine, term: Term, scope: Environment[Value]) -> Value:
    """The value of `term`, which typechecks in `scope`.

    Raises OutsideDomain, with the place of the primitive.
    """
    if isinstance(term, Var):  # as most terms are
        return scope[term.name]
    outside = scope.mark()
    while isinstance(term, BINDERS):  # a loop: a chain of binders may be long
        bound = evaluate(machine, term.bound, scope)
        match term:
            case Let(name=name, body=body):
                scope.bind(name, bound)
            case Case(names=names, body=body):
                for name, part in zip(names, bound, strict=True):
                    scope.bind(name, part)
            case Match(names=names, branches=branches):
                scope.bind(names[bound.side], bound.value)
                body = branches[bound.side]
        term = body
    match term:
        case Var(name=name):
            value = scope[name]
        case Op(name=name, args=terms, statics=statics, at=at):
            args = [evaluate(machine, arg, scope) for arg in terms]
            try:
                value = machine.apply(name, *args, **dict(statics))
            except OutsideDomain as error:
                raise error.located("", at) from None
        case Lit(value=literal):
            value = machine.constant(literal)
        case Tuple(parts=parts):
            value = tuple([evaluate(machine, part, scope) for part in parts])
        case Inject(side=side, arg=arg):
            value = Injected(side, evaluate(machine, arg, scope))
        case Sign(arg=arg):
            value = machine.sign_of(evaluate(machine, arg, scope))
    scope.leave(outside)
    return value
