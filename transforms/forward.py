"""The forward (tangent) macro: `real` becomes a pair of value and tangent.

One sweep computes the value and the product of the Jacobian with one tangent of the context; a full Jacobian of n
scalar inputs takes n sweeps. It exists to be compared with the reverse macro, and to check it: it shares what the rules
evaluate, but none of their pullbacks.
"""

from __future__ import annotations

from transforms.environment import Environment
from transforms.machines.interface import Machine, Value
from transforms.rules import Rules
from transforms.syntax import BINDERS, Case, Inject, Let, Lit, Match, Op, Sign, Term, Tuple, Var
from transforms.types import Injected

Dual = tuple[Value, Value]
"""Value and tangent, of the same structure: numbers, arrays, or tuples of them. That of `inl v` is the tangent of v."""


def forward(rules: Rules, machine: Machine, term: Term, scope: Environment[Dual]) -> Dual:
    """The value of `term` and its tangent, given those of the variables in scope."""
    outside = scope.mark()
    while isinstance(term, BINDERS):  # a loop: a chain of binders may be long
        value, tangent = forward(rules, machine, term.bound, scope)
        match term:
            case Let(name=name, body=body):
                scope.bind(name, (value, tangent))
            case Case(names=names, body=body):
                for name, part, dpart in zip(names, value, tangent, strict=True):
                    scope.bind(name, (part, dpart))
            case Match(names=names, branches=branches):
                scope.bind(names[value.side], (value.value, tangent))
                body = branches[value.side]
        term = body
    match term:
        case Var(name=name):
            dual = scope[name]
        case Lit(value=literal):
            value = machine.constant(literal)
            dual = value, machine.constant_like(value, 0.0)
        case Tuple(parts=parts):
            duals = [forward(rules, machine, part, scope) for part in parts]
            dual = tuple([value for value, _ in duals]), tuple([tangent for _, tangent in duals])
        case Inject(side=side, arg=arg):
            value, tangent = forward(rules, machine, arg, scope)
            dual = Injected(side, value), tangent
        case Sign(arg=arg):
            value, _ = forward(rules, machine, arg, scope)
            dual = machine.sign_of(value), ()
        case Op(name=name, args=args, statics=pairs):
            duals = [forward(rules, machine, arg, scope) for arg in args]
            values, tangents = [value for value, _ in duals], [tangent for _, tangent in duals]
            statics = dict(pairs)
            result = machine.apply(name, *values, **statics)
            dual = result, rules[name].tangent(machine, result, *values, *tangents, **statics)
    scope.leave(outside)
    return dual
