"""The reverse macro: a term to its value and its backpropagator, the transposed Jacobian as a function.

    term                            value           backpropagator applied to d
    variable x                      x               inject_x(d)
    literal                         itself          zero
    op(e1..ek)                      op(v1..vk)      sum over j of bj(partial_j op(v) * d)
    <e1..en>                        <v1..vn>        sum over j of bj(dj)
    let x = e1 in e2                v2              b2(d) = <g, s>, context part and part of x; g + b1(s)
    case e of <x1..xn> -> e'        v'              the same with n variables, s a tuple
    inl e, inr e                    inl v, inr v    b(d)
    match e with inl x -> e1 | ..   v1, if e's is inl  as let, of the branch that is taken
    sign e                          the sign of v   zero

One clause for each row, written against the cotangent interface and a machine: what context cotangents are, and what
becomes of the operations, is decided elsewhere. After Smeding and Vakar, Efficient CHAD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from transforms.cotangents.interface import ABSENT, ContextCotangent, Cotangent, Representation, settle
from transforms.machines.interface import Context, Machine, Value
from transforms.rules import Rules
from transforms.scope import Scope, bind, context
from transforms.syntax import BINDERS, Case, Inject, Let, Lit, Match, Op, Sign, Term, Tuple, Var
from transforms.types import Injected

Backpropagator = Callable[[Cotangent], ContextCotangent]
Finish = Callable[[ContextCotangent], ContextCotangent]
"""From a cotangent of a binder's body to one of the context outside, with the bound term's part added."""


@dataclass(frozen=True, slots=True)
class Reverse:
    """What the macro runs with: the rule table, a clause for each constructor, how cotangents are held, a machine."""

    rules: Rules
    clauses: Mapping[type, Callable[..., Any]]
    cotangents: Representation
    machine: Machine


def reverse(ad: Reverse, term: Term, scope: Scope) -> tuple[Value, Backpropagator]:
    """The value of `term` in `scope`, and its backpropagator from C(type of the term) to C(scope)."""
    if not isinstance(term, BINDERS):
        return ad.clauses[type(term)](ad, term, scope)
    outside, binders = scope.mark(), []
    while isinstance(term, BINDERS):  # a loop: a chain of them may be long
        finish, term = ad.clauses[type(term)](ad, term, scope)
        binders.append(finish)
    value, body = ad.clauses[type(term)](ad, term, scope)
    scope.leave(outside)

    def backpropagator(d: Cotangent) -> ContextCotangent:
        ct = body(d)
        for finish in reversed(binders):
            ct = finish(ct)
        return ct

    return value, backpropagator


def variable(ad: Reverse, x: Var, scope: Scope) -> tuple[Value, Backpropagator]:
    value, bound_in = scope[x.name]
    return value, partial(ad.cotangents.inject, context(scope), bound_in)


def literal(ad: Reverse, e: Lit, scope: Scope) -> tuple[Value, Backpropagator]:
    here = context(scope)

    def backpropagator(d: Cotangent) -> ContextCotangent:
        settle(ad.machine, d)  # pullbacks are evaluated whole, for literals too
        return ad.cotangents.zero(here)

    return ad.machine.constant(e.value), backpropagator


def operation(ad: Reverse, e: Op, scope: Scope) -> tuple[Value, Backpropagator]:
    here, args, bps = _each(ad, e.args, scope)
    statics, pullback = dict(e.statics), ad.rules[e.name].pullback
    result = ad.machine.apply(e.name, *args, **statics)
    return result, lambda d: _sum(ad, here, bps, pullback(ad.machine, settle(ad.machine, d), result, *args, **statics))


def tuple_(ad: Reverse, e: Tuple, scope: Scope) -> tuple[Value, Backpropagator]:
    here, parts, bps = _each(ad, e.parts, scope)
    return tuple(parts), lambda d: _sum(ad, here, bps, d)


def inject(ad: Reverse, e: Inject, scope: Scope) -> tuple[Value, Backpropagator]:
    value, bound = reverse(ad, e.arg, scope)
    return Injected(e.side, value), bound


def sign(ad: Reverse, e: Sign, scope: Scope) -> tuple[Value, Backpropagator]:
    value, _ = reverse(ad, e.arg, scope)
    here = context(scope)
    return ad.machine.sign_of(value), lambda d: ad.cotangents.zero(here)


def let(ad: Reverse, e: Let, scope: Scope) -> tuple[Finish, Term]:
    outer = context(scope)
    value, bound = reverse(ad, e.bound, scope)
    return _one(ad, outer, bound, bind(ad.machine, scope, [e.name], [value])), e.body


def match(ad: Reverse, e: Match, scope: Scope) -> tuple[Finish, Term]:
    outer = context(scope)
    taken, bound = reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.names[taken.side]], [taken.value])
    return _one(ad, outer, bound, inner), e.branches[taken.side]


def case(ad: Reverse, e: Case, scope: Scope) -> tuple[Finish, Term]:
    outer = context(scope)
    value, bound = reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, e.names, value)

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, s = ad.cotangents.scope(ct, outer, inner)
        nothing_arrived = s and all(part is ABSENT for part in s)
        return g if nothing_arrived else ad.cotangents.plus(g, bound(s))

    return finish, e.body


CLAUSES = {
    Var: variable, Lit: literal, Op: operation, Tuple: tuple_, Inject: inject, Sign: sign,
    Let: let, Case: case, Match: match,
}  # fmt: skip


def _one(ad: Reverse, outer: Context, bound: Backpropagator, inner: Context) -> Finish:
    """What ends the scope of one variable, bound to a term of the given backpropagator."""

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, (s,) = ad.cotangents.scope(ct, outer, inner)
        return g if s is ABSENT else ad.cotangents.plus(g, bound(s))

    return finish


def _each(ad: Reverse, terms: tuple[Term, ...], scope: Scope) -> tuple[Context, list[Value], list[Backpropagator]]:
    """The context of several terms, their values and their backpropagators."""
    pairs = [reverse(ad, term, scope) for term in terms]
    return context(scope), [value for value, _ in pairs], [bp for _, bp in pairs]


def _sum(ad: Reverse, here: Context, bps: list[Backpropagator], ds: Iterable[Cotangent]) -> ContextCotangent:
    """The sum over j of bj(dj), from left to right; absent parts cost nothing."""
    total, empty = None, True
    for bp, d in zip(bps, ds, strict=True):
        if d is not ABSENT:
            total, empty = bp(d) if empty else ad.cotangents.plus(total, bp(d)), False
    return ad.cotangents.zero(here) if empty else total
