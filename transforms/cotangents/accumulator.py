"""Context cotangents as contributions to one mutable environment, sparse: a slot is absent until something arrives.

The slot of a tuple is a tuple of such slots, absent component by component. Zero does nothing, plus is doing one after
the other, and a context cotangent is the fact that its contributions have been made: there is nothing to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from transforms.cotangents.interface import ABSENT, Cotangent, Representation, settle
from transforms.machines.interface import Context, Machine
from transforms.rules import Minus

DONE = None


def accumulator(m: Machine) -> Representation:
    """The representation that adds each contribution to its slot when it arises."""
    slots: list[Cotangent] = []

    def zero(context: Context) -> None:
        return DONE

    def inject(context: Context, variable: Context, d: Cotangent) -> None:
        if variable.index >= len(slots):  # a scope opens when something arrives in it
            slots.extend([ABSENT] * (variable.index + 1 - len(slots)))
        slots[variable.index] = add(slots[variable.index], d)

    def add(slot: Cotangent, d: Cotangent) -> Cotangent:
        if d is ABSENT:
            return slot
        if isinstance(d, tuple):
            parts = (ABSENT,) * len(d) if slot is ABSENT else slot
            return tuple([add(part, e) for part, e in zip(parts, d, strict=True)])
        if slot is ABSENT:
            return m.place(settle(m, d))
        return m.sub(slot, d.ct) if isinstance(d, Minus) else m.add(slot, d)

    def plus(u: None, v: None) -> None:
        return DONE

    def scope(ct: None, outer: Context, inner: Context) -> tuple[None, tuple[Cotangent, ...]]:
        arrived = slots[outer.index + 1 :]
        del slots[outer.index + 1 :]
        release(arrived)
        return DONE, (*arrived, *[ABSENT] * (inner.index - outer.index - len(arrived)))

    def release(parts: Iterable[Cotangent]) -> None:
        for part in parts:
            if isinstance(part, tuple):
                release(part)
            elif part is not ABSENT:
                m.release(part)

    def run(context: Context, compute: Callable[[], None]) -> tuple[Cotangent, ...]:
        slots.clear()
        compute()
        return (*slots, *[ABSENT] * (context.index + 1 - len(slots)))

    return Representation("accumulator", zero=zero, inject=inject, plus=plus, scope=scope, run=run)
