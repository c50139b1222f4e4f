"""Mutants of how context cotangents are held: each representation with one thing wrong.

The accumulator stores, adds and subtracts by its machine, so what it does with a slot is changed by giving it a machine
that does these few things otherwise. What it does with scopes is in `scopes`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mutants.catalogue.rows import COURSE, OURS
from mutants.catalogue.rules import ALL_MODELS
from mutants.mutant import Mutant, representation
from transforms.cotangents.accumulator import accumulator
from transforms.cotangents.interface import ABSENT, ContextCotangent, Cotangent, Representation
from transforms.cotangents.pointwise import pointwise
from transforms.machines.interface import Context, Value
from transforms.rules import Minus
from transforms.types import REAL, Product, Type, full


class Otherwise:
    """A machine, but for the operations that are given."""

    def __init__(self, machine: Any, **operations: Any) -> None:
        self._machine = machine
        vars(self).update(operations)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)


def otherwise(machine: Any, **operations: Any) -> Any:
    return Otherwise(machine, **operations)


# The accumulator's slots.


def replaces(m: Any) -> Representation:
    return accumulator(otherwise(m, add=lambda slot, d: d, sub=lambda slot, d: m.neg(d)))


def cleared_after_use(m: Any) -> Representation:
    """A slot that holds something is empty again once it was added to."""
    return accumulator(otherwise(m, add=lambda slot, d: ABSENT, sub=lambda slot, d: ABSENT))


def minus_lost_when_empty(m: Any) -> Representation:
    return accumulator(otherwise(m, neg=lambda d: d))


def never_releases(m: Any) -> Representation:
    return accumulator(otherwise(m, release=lambda ct: None))


def dense(m: Any) -> Representation:
    """Every contribution to a real is added to the slots of all reals: zeros to all but one."""
    right = accumulator(m)

    def inject(context: Context, variable: Context, d: Cotangent) -> None:
        for other in context.variables():
            if other is not variable and other.type == REAL == variable.type:
                right.inject(context, other, m.constant(0.0))
        right.inject(context, variable, d)

    return replace(right, inject=inject)


def dense_when_large(m: Any) -> Representation:
    """As `dense`, once more than a hundred variables are in scope."""
    right = accumulator(m)

    def inject(context: Context, variable: Context, d: Cotangent) -> None:
        if context.index > 100:
            for other in context.variables():
                if other.type == REAL == variable.type:
                    right.inject(context, other, m.constant(0.0))
        right.inject(context, variable, d)

    return replace(right, inject=inject)


def tuples_filled(m: Any) -> Representation:
    """Zeros are written for the absent parts of a tuple."""
    right = accumulator(m)

    def inject(context: Context, variable: Context, d: Cotangent) -> None:
        right.inject(context, variable, _filled(m, variable.type, d))

    return replace(right, inject=inject)


def last_part_lost(m: Any) -> Representation:
    right = accumulator(m)

    def inject(context: Context, variable: Context, d: Cotangent) -> None:
        right.inject(context, variable, (*d[:-1], ABSENT) if isinstance(d, tuple) and len(d) > 1 else d)

    return replace(right, inject=inject)


# Full tuples.


def zeros_are_ones(m: Any) -> Representation:
    return replace(pointwise(m), zero=lambda context: m.unit(context, context, every(m, context.type, 1.0)))


def sign_lost(m: Any) -> Representation:
    def inject(context: Context, variable: Context, d: Cotangent) -> ContextCotangent:
        return m.unit(context, variable, d.ct if isinstance(d, Minus) else d)

    return replace(pointwise(m), inject=inject)


def every(m: Any, type_: Type, number: float) -> Value:
    """The cotangent of a type whose numbers are all the same."""
    if isinstance(type_, Product):
        return tuple([every(m, part, number) for part in type_.parts])
    return m.constant(full(type_, number))


def _filled(m: Any, type_: Type, d: Cotangent) -> Cotangent:
    if isinstance(d, tuple) and isinstance(type_, Product):
        return tuple([_filled(m, t, part) for t, part in zip(type_.parts, d, strict=True)])
    return every(m, type_, 0.0) if d is ABSENT else d


MUTANTS = (
    Mutant("accumulator.second-replaces", "representation.accumulator", "value",
           "a second contribution replaces the first", COURSE, representation(accumulator, replaces), ALL_MODELS),
    *[
        Mutant(f"{right.__name__}.{what}", f"representation.{right.__name__}", breaks, says, source,
               representation(right, wrong))
        for right, what, wrong, breaks, says, source in (
            (accumulator, "minus-lost-when-empty", minus_lost_when_empty, "value",
             "an empty slot takes what it ought to negate", OURS),
            (accumulator, "cleared-after-use", cleared_after_use, "value",
             "a slot that was read to be added to is empty after that", OURS),
            (accumulator, "last-part-lost", last_part_lost, "value", "the last part of a tuple does not arrive",
             "pymc-devs/pytensor#723"),
            (accumulator, "never-releases", never_releases, "cost", "closed slots stay alive", "jax-ml/jax#19250"),
            (accumulator, "dense", dense, "cost", "every contribution adds zeros to the other slots", OURS),
            (accumulator, "dense-when-large", dense_when_large, "cost",
             "from a hundred variables on, every contribution adds zeros to the other slots", OURS),
            (accumulator, "tuples-filled", tuples_filled, "cost", "absent parts of a tuple are written as zeros",
             "jaxleyverse/jaxley#795"),
            (pointwise, "zero-is-one", zeros_are_ones, "value", "a zero has a one for its innermost variable", OURS),
            (pointwise, "minus-lost", sign_lost, "value", "a contribution arrives without its minus sign", OURS),
        )
    ],
)  # fmt: skip
