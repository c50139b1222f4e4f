"""Mutants of the macro's clauses for binders: let, case, match.

Wrong clauses are made of what the right ones in `transforms.reverse` are made of.
"""

from __future__ import annotations

from mutants.catalogue.rows import OURS
from mutants.mutant import Mutant, clause
from transforms import reverse as macro
from transforms.cotangents.interface import ABSENT, ContextCotangent, Cotangent
from transforms.machines.interface import EMPTY, Value
from transforms.reverse import Finish, Reverse
from transforms.scope import Scope, bind, context
from transforms.syntax import Case, Let, Match, Term, Tuple
from transforms.types import Injected

Binder = tuple[Finish, Term]


def let_exchanged(ad: Reverse, e: Let, scope: Scope) -> Binder:
    """The innermost variable of the context receives x's part, and the bound term what that variable has."""
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.name], [value])
    further = outer.outside
    if further is None or outer.type != inner.type:
        return macro._one(ad, outer, bound, inner), e.body
    inject, plus = ad.cotangents.inject, ad.cotangents.plus

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, (s,) = ad.cotangents.scope(ct, outer, inner)
        if ad.cotangents.name == "pointwise":
            *_, o = ad.cotangents.run(outer, lambda: g)
        else:
            g, (o,) = ad.cotangents.scope(g, further, outer)
            g = g if o is ABSENT else plus(g, inject(outer, outer, o))
        g = g if s is ABSENT else plus(g, inject(outer, outer, s))
        return g if o is ABSENT else plus(g, bound(o))

    return finish, e.body


def let_without_context(ad: Reverse, e: Let, scope: Scope) -> Binder:
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.name], [value])

    def finish(ct: ContextCotangent) -> ContextCotangent:
        _, (*_, s) = ad.cotangents.scope(ct, EMPTY, inner)
        return ad.cotangents.zero(outer) if s is ABSENT else bound(s)

    return finish, e.body


def let_without_bound(ad: Reverse, e: Let, scope: Scope) -> Binder:
    outer = context(scope)
    value, _ = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.name], [value])
    return lambda ct: ad.cotangents.scope(ct, outer, inner)[0], e.body


def case_names_reversed(ad: Reverse, e: Case, scope: Scope) -> Binder:
    return macro.case(ad, Case(e.bound, e.names[::-1], e.body), scope)


def case_without_last(ad: Reverse, e: Case, scope: Scope) -> Binder:
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, e.names, value)

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, s = ad.cotangents.scope(ct, outer, inner)
        return ad.cotangents.plus(g, bound((*s[:-1], ABSENT)))

    return finish, e.body


def match_other_branch(ad: Reverse, e: Match, scope: Scope) -> Binder:
    outer = context(scope)
    taken, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.names[0]], [taken.value])
    return macro._one(ad, outer, bound, inner), e.branches[0]


# Costs alone.


def let_dead_run(ad: Reverse, e: Let, scope: Scope) -> Binder:
    """A bound term that nothing arrived for runs backwards all the same, from zeros."""
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.name], [value])

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, (s,) = ad.cotangents.scope(ct, outer, inner)
        return ad.cotangents.plus(g, bound(_whole(ad, value, s)))

    return finish, e.body


def case_full_tuple(ad: Reverse, e: Case, scope: Scope) -> Binder:
    """The scrutinee receives a full tuple, zeros for what nothing arrived for."""
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, e.names, value)

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, s = ad.cotangents.scope(ct, outer, inner)
        return ad.cotangents.plus(g, bound(_whole(ad, value, s)))

    return finish, e.body


def case_twice(ad: Reverse, e: Case, scope: Scope) -> Binder:
    """A tuple that is taken apart runs backwards a second time, from nothing, which is free in the accumulator."""
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, e.names, value)
    again = ad.cotangents.name == "accumulator" and isinstance(e.bound, Tuple)

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, s = ad.cotangents.scope(ct, outer, inner)
        if s and all(part is ABSENT for part in s):
            return g
        g = ad.cotangents.plus(g, bound(s))
        return ad.cotangents.plus(g, bound((ABSENT,) * len(s))) if again else g

    return finish, e.body


def _whole(ad: Reverse, value: Value, ct: Cotangent) -> Cotangent:
    """The cotangent of a value with zeros where it is absent."""
    while isinstance(value, Injected):
        value = value.value
    if isinstance(value, tuple):
        parts = (ABSENT,) * len(value) if ct is ABSENT else ct
        return tuple([_whole(ad, v, part) for v, part in zip(value, parts, strict=True)])
    return ad.machine.constant_like(value, 0.0) if ct is ABSENT else ct


MUTANTS = tuple([
    Mutant(f"{constructor.__name__.lower()}.{what}", f"clauses.{constructor.__name__}", breaks, wrong, source,
           clause(constructor, function))
    for constructor, what, function, breaks, wrong, source in (
        (Let, "parts-exchanged", let_exchanged, "value", "the variable's part goes to the context, and back", OURS),
        (Let, "without-context", let_without_context, "value", "what the context received in the body is lost", OURS),
        (Let, "without-bound", let_without_bound, "value", "the bound term receives nothing", OURS),
        (Let, "dead-run", let_dead_run, "cost", "bound terms that nothing arrived for run backwards", OURS),
        (Case, "names-reversed", case_names_reversed, "value", "the names stand for the parts in reverse", OURS),
        (Case, "without-last", case_without_last, "value", "the last part receives nothing", OURS),
        (Case, "full-tuple", case_full_tuple, "cost", "a full tuple of zeros for each projection",
         "jax-ml/jax#15906"),
        (Case, "run-twice", case_twice, "cost", "the scrutinee's backpropagator runs twice, once for nothing", OURS),
        (Match, "left-branch", match_other_branch, "value", "the left branch is always taken",
         "pytorch/pytorch#16317"),
    )
])  # fmt: skip
