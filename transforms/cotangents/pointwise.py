"""Context cotangents as full tuples: one slot for each variable in scope, added slot by slot, zeros included."""

from __future__ import annotations

from collections.abc import Callable

from transforms.cotangents.interface import ContextCotangent, Cotangent, Representation, settle
from transforms.machines.interface import Context, Machine


def pointwise(m: Machine) -> Representation:
    """The representation that makes a tuple of the whole context at every leaf of a term."""

    def inject(context: Context, variable: Context, d: Cotangent) -> ContextCotangent:
        return m.unit(context, variable, settle(m, d))

    def run(context: Context, compute: Callable[[], ContextCotangent]) -> tuple[Cotangent, ...]:
        return m.slots(compute(), context)

    return Representation("pointwise", zero=m.zeros, inject=inject, plus=m.plus, scope=m.split, run=run)
