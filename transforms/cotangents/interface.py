"""The abstract cotangent interface that the reverse macro is written against.

A representation says how context cotangents, the elements of C(Gamma), are held. It is a frozen record of five
functions; `pointwise(machine)` and `accumulator(machine)` build the two. A cotangent that never arrived is `ABSENT`: it
counts as zero and costs nothing. Only a representation decides whether there are such.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from transforms.machines.interface import Context, Machine
from transforms.rules import Minus

ABSENT = None

Cotangent = Any
"""An element of C(type): a machine value, a tuple of cotangents, or a `Minus` of a number; perhaps absent in parts."""
ContextCotangent = Any
"""An element of C(Gamma), as the representation holds it."""


@dataclass(frozen=True, slots=True)
class Representation:
    """How context cotangents are held.

    zero(context)               the zero of C(context)
    inject(context, x, d)       d in the slot of variable x, zero elsewhere
    plus(u, v)                  the sum; u was computed before v
    scope(ct, outer, inner)     closes the scope of the variables that `inner` has beyond `outer`: the part of ct that
                                belongs to `outer`, and what each of their slots holds
    run(context, compute)       what each slot holds after compute(), which returns a cotangent of the whole context
    """

    name: str
    zero: Callable[[Context], ContextCotangent]
    inject: Callable[[Context, Context, Cotangent], ContextCotangent]
    plus: Callable[[ContextCotangent, ContextCotangent], ContextCotangent]
    scope: Callable[[ContextCotangent, Context, Context], tuple[ContextCotangent, tuple[Cotangent, ...]]]
    run: Callable[[Context, Callable[[], ContextCotangent]], tuple[Cotangent, ...]]


def settle(machine: Machine, d: Cotangent) -> Cotangent:
    """`d` with its minus sign performed, if it has one: 1 neg."""
    return machine.neg(d.ct) if isinstance(d, Minus) else d
