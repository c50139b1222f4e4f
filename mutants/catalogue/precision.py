"""Mutants that keep cotangents in single precision at one place, which is seen where that place is passed.

Single precision has seven digits, so that a loose tolerance lets them through.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mutants.catalogue.representations import otherwise
from mutants.catalogue.rows import OURS
from mutants.catalogue.values import single
from mutants.mutant import Mutant, clause, representation
from transforms import reverse as macro
from transforms.cotangents.accumulator import accumulator
from transforms.cotangents.interface import ABSENT, ContextCotangent, Cotangent, Representation
from transforms.machines.counting import Number
from transforms.machines.interface import Context
from transforms.reverse import Reverse
from transforms.rules import Minus
from transforms.scope import Scope, bind, context
from transforms.syntax import Case, Let, Match, Tuple
from transforms.types import REAL


def narrow(ct: Cotangent) -> Cotangent:
    """A cotangent in single precision; machines that write or emit keep theirs."""
    if isinstance(ct, tuple):
        return tuple([narrow(part) for part in ct])
    if isinstance(ct, Minus):
        return Minus(narrow(ct.ct))
    return Number(single(ct.value), ct.unsaved) if isinstance(ct, Number) else ct


def tuple_(ad: Reverse, e: Tuple, scope: Scope) -> Any:
    value, bp = macro.tuple_(ad, e, scope)
    return value, lambda d: bp(narrow(d))


def let(ad: Reverse, e: Let, scope: Scope) -> Any:
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    return macro._one(ad, outer, lambda s: bound(narrow(s)), bind(ad.machine, scope, [e.name], [value])), e.body


def let_deep(ad: Reverse, e: Let, scope: Scope) -> Any:
    """As `let`, for reals with at least ten variables around them."""
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.name], [value])
    deep = inner.index >= 10 and inner.type == REAL
    return macro._one(ad, outer, (lambda s: bound(narrow(s))) if deep else bound, inner), e.body


def case(ad: Reverse, e: Case, scope: Scope) -> Any:
    outer = context(scope)
    value, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, e.names, value)

    def finish(ct: ContextCotangent) -> ContextCotangent:
        g, s = ad.cotangents.scope(ct, outer, inner)
        return g if s and all(part is ABSENT for part in s) else ad.cotangents.plus(g, bound(narrow(s)))

    return finish, e.body


def match(ad: Reverse, e: Match, scope: Scope) -> Any:
    outer = context(scope)
    taken, bound = macro.reverse(ad, e.bound, scope)
    inner = bind(ad.machine, scope, [e.names[taken.side]], [taken.value])
    return macro._one(ad, outer, lambda s: bound(narrow(s)), inner), e.branches[taken.side]


def filled_slots(m: Any) -> Representation:
    return accumulator(otherwise(m, add=lambda slot, d: narrow(m.add(slot, d))))


def filled_slots_less(m: Any) -> Representation:
    return accumulator(otherwise(m, sub=lambda slot, d: narrow(m.sub(slot, d))))


def tuples(m: Any) -> Representation:
    right = accumulator(m)

    def inject(here: Context, variable: Context, d: Cotangent) -> ContextCotangent:
        return right.inject(here, variable, narrow(d) if isinstance(d, tuple) else d)

    return replace(right, inject=inject)


MUTANTS = (
    *[
        Mutant(f"{constructor.__name__.lower()}.single", f"clauses.{constructor.__name__}", "value", wrong, OURS,
               clause(constructor, function))
        for constructor, function, wrong in (
            (Let, let, "what a bound variable received is narrowed to single precision"),
            (Case, case, "what the parts received is narrowed to single precision"),
            (Match, match, "what a branch's variable received is narrowed to single precision"),
            (Tuple, tuple_, "what a tuple receives is narrowed to single precision"),
        )
    ],
    *[
        Mutant(f"accumulator.{what}", "representation.accumulator", "value", wrong, OURS,
               representation(accumulator, build))
        for what, build, wrong in (
            ("single-when-filled", filled_slots, "additions into a slot are rounded to single precision"),
            ("single-when-less", filled_slots_less, "subtractions from a slot are rounded to single precision"),
            ("single-in-tuples", tuples, "tuples arrive in single precision"),
        )
    ],
    Mutant("let.single-when-deep", "clauses.Let", "value", "with ten variables around, a real's part is narrowed", OURS,
           clause(Let, let_deep)),
)  # fmt: skip
