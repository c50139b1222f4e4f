"""Mutants that pass adjoints on too early: at each arrival, not when a variable's scope is closed.

A bound variable's slot exists so that the bound term's backpropagator runs once, when everything has arrived. Here it
runs at an arrival, which is a matter of two clauses, `Var` and `Let`: what a variable stands for in scope carries what
becomes of its cotangents. For reals alone, and with the accumulator, where a contribution can be made at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mutants.mutant import Change, Mutant
from transforms import reverse as macro
from transforms.cotangents.accumulator import accumulator
from transforms.cotangents.interface import ABSENT, ContextCotangent, Cotangent
from transforms.drivers import Transformation
from transforms.machines.interface import Context, Value
from transforms.reverse import Backpropagator, Finish, Reverse
from transforms.scope import Scope, Variable, bind, context
from transforms.syntax import Let, Term, Var
from transforms.types import REAL

FEW = 8
"""Only the first few variables pass on what arrives, for paths double with each."""

Arrival = Callable[[Reverse, Context, Cotangent], None]


class Passing(Variable):
    """A variable in scope that passes on what arrives at it."""

    arrival: Arrival


def passing(policy: Callable[[Context, Context, Backpropagator], Arrival]) -> Change:
    """Clauses that do what `policy` says, for a variable in its context and its bound term, with every arrival."""

    def let(ad: Reverse, e: Let, scope: Scope) -> tuple[Finish, Term]:
        outer = context(scope)
        value, bound = macro.reverse(ad, e.bound, scope)
        inner = bind(ad.machine, scope, [e.name], [value])
        if inner.type != REAL or inner.index > FEW:
            return macro._one(ad, outer, bound, inner), e.body
        variable = Passing(value, inner)
        variable.arrival = policy(outer, inner, bound)
        scope.leave(scope.mark() - 1)
        scope.bind(e.name, variable)
        return lambda ct: ad.cotangents.scope(ct, outer, inner)[0], e.body

    def variable(ad: Reverse, x: Var, scope: Scope) -> tuple[Value, Backpropagator]:
        found, here = scope[x.name], context(scope)
        if not isinstance(found, Passing):
            return macro.variable(ad, x, scope)
        return found.value, lambda d: found.arrival(ad, here, d)

    def change(judged: Transformation) -> Transformation:
        if judged.representation is not accumulator:
            return judged
        return replace(judged, clauses={**judged.clauses, Let: let, Var: variable})

    return change


def _outside(ad: Reverse, outer: Context, here: Context, bound: Backpropagator, d: Cotangent) -> None:
    """Run a backpropagator of the context `outer` from `here` inside it; what is open between is set aside."""
    _, aside = ad.cotangents.scope(None, outer, here)
    bound(d)
    for variable, ct in zip(here.since(outer), aside, strict=True):
        if ct is not ABSENT:
            ad.cotangents.inject(here, variable, ct)


def per_path(outer: Context, inner: Context, bound: Backpropagator) -> Arrival:
    return lambda ad, here, d: _outside(ad, outer, here, bound, d)


def sums_again(outer: Context, inner: Context, bound: Backpropagator) -> Arrival:
    def arrival(ad: Reverse, here: Context, d: Cotangent) -> ContextCotangent:
        ad.cotangents.inject(here, inner, d)
        _, (s, *others) = ad.cotangents.scope(None, outer, here)
        bound(s)
        for variable, ct in zip(here.since(outer), (s, *others), strict=True):
            if ct is not ABSENT:
                ad.cotangents.inject(here, variable, ct)

    return arrival


def first_alone(outer: Context, inner: Context, bound: Backpropagator) -> Arrival:
    def arrival(ad: Reverse, here: Context, d: Cotangent) -> ContextCotangent:
        _, (s, *others) = ad.cotangents.scope(None, outer, here)
        if s is ABSENT:
            bound(d)
        for variable, ct in zip(here.since(outer), (d if s is ABSENT else s, *others), strict=True):
            if ct is not ABSENT:
                ad.cotangents.inject(here, variable, ct)

    return arrival


MUTANTS = (
    Mutant("let.per-path", "clauses.Let", "cost", "a shared backpropagator runs once for each path to it",
           "jax-ml/jax#520", passing(per_path)),
    Mutant("let.sums-again", "clauses.Let", "value", "each arrival passes on the whole sum so far",
           "karpathy/micrograd#2", passing(sums_again)),
    Mutant("let.read-too-early", "clauses.Let", "value", "the adjoint is read when the first contribution arrives",
           "pymc-devs/pytensor#723", passing(first_alone)),
)  # fmt: skip
