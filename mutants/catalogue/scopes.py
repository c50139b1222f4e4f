"""Mutants of the accumulator's scopes: when slots open and close, and what is read out of them in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mutants.catalogue.rows import OURS
from mutants.mutant import Mutant, representation
from transforms.cotangents.accumulator import accumulator
from transforms.cotangents.interface import ABSENT, Cotangent, Representation
from transforms.drivers import Transformation
from transforms.machines.interface import Context, Machine
from transforms.types import Product

Builder = Callable[[Machine], Representation]


def not_closed(m: Any) -> Representation:
    right = accumulator(m)

    def scope(ct: None, outer: Context, inner: Context) -> tuple[None, tuple[Cotangent, ...]]:
        done, arrived = right.scope(ct, outer, inner)
        arrived = arrived[: inner.index - outer.index]
        for variable, d in zip(inner.since(outer), arrived, strict=True):
            if d is not ABSENT:
                right.inject(inner, variable, d)
        return done, arrived

    def run(context: Context, compute: Callable[[], None]) -> tuple[Cotangent, ...]:
        return right.run(context, compute)[: context.index + 1]

    return replace(right, scope=scope, run=run)


def closes_one_more(m: Any) -> Representation:
    """The slot just outside is closed too, and what it held is lost."""
    right = accumulator(m)

    def scope(ct: None, outer: Context, inner: Context) -> tuple[None, tuple[Cotangent, ...]]:
        done, arrived = right.scope(ct, outer.outside or outer, inner)
        return done, arrived[1:] if outer.outside else arrived

    return replace(right, scope=scope)


def overwritten(m: Any) -> Representation:
    """When a scope closes, the slot just outside gets what was in it, if it is of the same type."""
    right = accumulator(m)

    def scope(ct: None, outer: Context, inner: Context) -> tuple[None, tuple[Cotangent, ...]]:
        done, arrived = right.scope(ct, outer, inner)
        if outer.outside and arrived[0] is not ABSENT and outer.type == inner.since(outer)[0].type:
            right.scope(ct, outer.outside, outer)
            right.inject(outer, outer, arrived[0])
        return done, arrived

    return replace(right, scope=scope)


def keeping() -> Builder:
    """A representation that keeps what the slots held at the end, for the next call with such a context."""
    kept: dict[str, tuple[Cotangent, ...]] = {}

    def build(m: Any) -> Representation:
        right = accumulator(m)

        def run(context: Context, compute: Callable[[], None]) -> tuple[Cotangent, ...]:
            key = str(Product(tuple([x.type for x in context.variables()])))

            def accumulate() -> None:
                for variable, ct in zip(context.variables(), kept.get(key, ()), strict=False):
                    if ct is not ABSENT:
                        right.inject(context, variable, ct)
                compute()

            kept[key] = right.run(context, accumulate)
            return kept[key]

        return replace(right, run=run)

    return build


def keeps_state(judged: Transformation) -> Transformation:
    return replace(judged, representation=keeping()) if judged.representation is accumulator else judged


MUTANTS = (
    *[
        Mutant(f"accumulator.{what}", "representation.accumulator", breaks, says, source,
               representation(accumulator, wrong))
        for what, wrong, breaks, says, source in (
            ("not-closed", not_closed, "value", "a slot leaks into the next scope", OURS),
            ("closes-one-more", closes_one_more, "value", "what the slot just outside held is lost", OURS),
            ("overwritten", overwritten, "value", "a closing scope overwrites the slot just outside",
             "TuringLang/SSMProblems.jl#188"),
        )
    ],
    Mutant("accumulator.state-kept", "representation.accumulator.run", "value",
           "a second call adds to what the first one left", "bshillingford/autobw.torch#7", keeps_state),
)  # fmt: skip
