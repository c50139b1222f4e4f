"""Mutants of the macro's clauses that bind nothing: variable, literal, operation, tuple, injection, sign.

Wrong clauses are made of what the right ones in `transforms.reverse` are made of. Binders are in `binders`.
"""

from __future__ import annotations

from typing import Any

from mutants.catalogue.rows import OURS
from mutants.mutant import Mutant, clause
from transforms import reverse as macro
from transforms.cotangents.interface import ABSENT, ContextCotangent, Cotangent, settle
from transforms.machines.interface import EMPTY, Value
from transforms.reverse import Backpropagator, Reverse
from transforms.rules import Rule, elementwise
from transforms.scope import Scope, context
from transforms.syntax import Inject, Lit, Op, Sign, Tuple, Var
from transforms.types import REAL

Derived = tuple[Value, Backpropagator]


def variable_everywhere(ad: Reverse, x: Var, scope: Scope) -> Derived:
    value, bound_in = scope[x.name]
    here = context(scope)
    if bound_in.type != REAL:
        return macro.variable(ad, x, scope)

    def backpropagator(d: Cotangent) -> ContextCotangent:
        ct = ad.cotangents.inject(here, bound_in, d)
        for other in here.variables():
            if other.index != bound_in.index and other.type == REAL:
                ct = ad.cotangents.plus(ct, ad.cotangents.inject(here, other, d))
        return ct

    return value, backpropagator


def literal_as_variable(ad: Reverse, e: Lit, scope: Scope) -> Derived:
    """What a literal receives goes to the innermost variable, if that is a number of its shape."""
    here = context(scope)
    value = ad.machine.constant(e.value)
    if here is EMPTY or here.type != ad.machine.type_of(value):
        return macro.literal(ad, e, scope)
    return value, lambda d: ad.cotangents.inject(here, here, d)


def operation_first_only(ad: Reverse, e: Op, scope: Scope) -> Derived:
    row = ad.rules[e.name]

    def pullback(*args: Any, **statics: Any) -> tuple[Cotangent, ...]:
        first, *others = row.pullback(*args, **statics)
        return first, *[ABSENT for _ in others]

    return _with_pullback(ad, e, scope, row, pullback)


def operation_at_one(ad: Reverse, e: Op, scope: Scope) -> Derived:
    row = ad.rules[e.name]
    return _with_pullback(
        ad, e, scope, row, lambda m, ct, *args, **statics: row.pullback(m, m.constant_like(ct, 1.0), *args, **statics)
    )


def operation_by_default(ad: Reverse, e: Op, scope: Scope) -> Derived:
    """A primitive without a row is the identity, with derivative 1."""
    if e.name in ad.rules:
        return macro.operation(ad, e, scope)
    return macro.reverse(ad, e.args[0], scope)


LISTED = frozenset(
    ("add", "sub", "mul", "div", "neg", "matmul", "transpose", "reshape", "permute", "reduce", "broadcast")
)


def operation_unlisted(ad: Reverse, e: Op, scope: Scope) -> Derived:
    row = ad.rules[e.name]
    if e.name in LISTED or row.shape is not elementwise:
        return macro.operation(ad, e, scope)
    return _with_pullback(ad, e, scope, row, lambda m, ct, r, *args, **statics: (ct,) * len(args))


def operation_overwritten(ad: Reverse, e: Op, scope: Scope) -> Derived:
    """Results of one primitive and one type are saved in one place, so the last is what all pullbacks see."""
    row, saved = ad.rules[e.name], vars(ad.machine).setdefault("saved_results", {})
    value, bp = _with_pullback(
        ad, e, scope, row,
        lambda m, ct, r, *args, **statics: row.pullback(m, ct, saved[e.name, m.type_of(r)], *args, **statics),
    )  # fmt: skip
    saved[e.name, ad.machine.type_of(value)] = value
    return value, bp


def tuple_without_last(ad: Reverse, e: Tuple, scope: Scope) -> Derived:
    value, bp = macro.tuple_(ad, e, scope)
    return value, lambda d: bp((*d[:-1], ABSENT)) if d else bp(d)


def tuple_without_first(ad: Reverse, e: Tuple, scope: Scope) -> Derived:
    value, bp = macro.tuple_(ad, e, scope)
    return value, lambda d: bp((ABSENT, *d[1:])) if len(d) > 2 else bp(d)


def inject_drops(ad: Reverse, e: Inject, scope: Scope) -> Derived:
    value, _ = macro.inject(ad, e, scope)
    here = context(scope)
    return value, lambda d: ad.cotangents.zero(here)


def sign_reversed(ad: Reverse, e: Sign, scope: Scope) -> Derived:
    value, _ = macro.reverse(ad, e.arg, scope)
    here = context(scope)
    return ad.machine.sign_of(ad.machine.neg(value)), lambda d: ad.cotangents.zero(here)


def _with_pullback(ad: Reverse, e: Op, scope: Scope, row: Rule, pullback: Any) -> Derived:
    """The operation with another pullback; those inside its arguments stay right."""
    here, args, bps = macro._each(ad, e.args, scope)
    statics = dict(e.statics)
    result = ad.machine.apply(e.name, *args, **statics)
    return result, lambda d: macro._sum(
        ad, here, bps, pullback(ad.machine, settle(ad.machine, d), result, *args, **statics)
    )


def operation_computes_again(ad: Reverse, e: Op, scope: Scope) -> Derived:
    """The backward part computes the result again, for its own use."""
    row = ad.rules[e.name]
    return _with_pullback(
        ad, e, scope, row,
        lambda m, ct, r, *args, **statics: row.pullback(m, ct, m.apply(e.name, *args, **statics), *args, **statics),
    )  # fmt: skip


MUTANTS = tuple([
    Mutant(f"{constructor.__name__.lower()}.{what}", f"clauses.{constructor.__name__}", breaks, wrong, source,
           clause(constructor, function))
    for constructor, what, function, breaks, wrong, source in (
        (Var, "every-slot", variable_everywhere, "value", "every slot receives the cotangent of a real", OURS),
        (Lit, "as-variable", literal_as_variable, "value", "the innermost variable receives a literal's part", OURS),
        (Op, "first-argument-only", operation_first_only, "value", "the other arguments receive nothing", OURS),
        (Op, "upstream-as-1", operation_at_one, "value", "the cotangent is taken as 1", "tensorflow/tensorflow#1847"),
        (Op, "default-derivative", operation_by_default, "value", "an unknown primitive has derivative 1",
         "cool-japan/scirs#103"),
        (Op, "unlisted-derivative", operation_unlisted, "value", "all but arithmetic and layout has derivative 1",
         "cool-japan/scirs#103"),
        (Op, "stale-result", operation_overwritten, "value", "pullbacks see the last result of their primitive",
         "Genesis-Embodied-AI/quadrants#502"),
        (Op, "computed-again", operation_computes_again, "cost", "the backward part computes results again", OURS),
        (Tuple, "without-last", tuple_without_last, "value", "the last component receives nothing", OURS),
        (Tuple, "without-first", tuple_without_first, "value", "the first of three or more receives nothing",
         "JuliaDiff/ReverseDiff.jl#145"),
        (Inject, "dropped", inject_drops, "value", "what is injected receives nothing", OURS),
        (Sign, "reversed", sign_reversed, "value", "the sign of the opposite", OURS),
    )
])  # fmt: skip
