"""Mutants of exact simplification: one of its rewrites replaced. Each has at least one.

The functions are as `transforms.simplify.rewrite` says: from the program so far and an operation to what takes its
place, or None. Where one says nothing of an operation, the right rewrite is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps

import numpy as np

from mutants.catalogue.rows import OURS
from mutants.mutant import Change, Mutant, drivers
from transforms.mountain_goat.straight import Straight
from transforms.simplify.exact import k_of, statics_of
from transforms.simplify.levels import LEVELS, simplified
from transforms.simplify.rewrite import Level, Rewrite, Sight, literal, uniform
from transforms.syntax import Lit, Op, Term

Apply = Callable[[Sight, Op], Term | None]


def instead(name: str, wrong: Apply) -> Change:
    """The rewrite of this name with another function, which the right one serves where it says nothing."""

    def mutated(rewrite: Rewrite) -> Rewrite:
        return replace(rewrite, apply=lambda s, o: found if (found := wrong(s, o)) is not None else rewrite.apply(s, o))

    @wraps(wrong)
    def simplify(straight: Straight, level: Level) -> Straight:
        rewrites = [mutated(rewrite) if rewrite.name == name else rewrite for rewrite in LEVELS[level]]
        return simplified(straight, rewrites)[0]

    return drivers(simplify=simplify)


def mutants(rows: Iterable[tuple[str, str, Apply, str]]) -> tuple[Mutant, ...]:
    """For each row, a mutant: the rewrite, what, the function that takes its place, and what is wrong."""
    return tuple(
        [
            Mutant(f"simplify.{what}", "drivers.simplify", "value", wrong, OURS, instead(name, apply), CAUGHT_BY)
            for name, what, apply, wrong in rows
        ]
    )


CAUGHT_BY = ("simplification",)


def in_halves(values: np.ndarray) -> np.ndarray:
    half = len(values) // 2
    return in_halves(values[:half]) + in_halves(values[half:]) if half else values[0]


def sum_pairwise(s: Sight, o: Op) -> Term | None:
    if o.name != "reduce" or statics_of(o)["kind"] != "sum" or not isinstance(o.args[0], Lit):
        return None
    axis = statics_of(o)["axis"]
    return Lit(np.expand_dims(in_halves(np.moveaxis(np.asarray(o.args[0].value, float), axis, 0)), axis))


def transposed_once(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "transpose") if o.name == "transpose" else None
    return o.args[0] if inner else None


def along_the_other_axis(s: Sight, o: Op) -> Term | None:
    return o.args[0] if s.shape(o.args[0])[1 - statics_of(o)["axis"]] == 1 else None


def sides_confused(s: Sight, o: Op) -> Term | None:
    k, n = map(uniform, o.args)
    if o.name != "sub" or (k is None) == (n is None):
        return None
    return Op("k_sub", (o.args[0],), (("k", n),)) if k is None else Op("sub_k", (o.args[1],), (("k", k),))


def times_0(s: Sight, o: Op) -> Term | None:
    return literal(0.0, s.shape(o.args[0])) if o.name == "mul_k" and k_of(o) == 0.0 else None


def minus_minus(s: Sight, o: Op) -> Term | None:
    b = s.operation(o.args[-1], "neg")
    return Op("sub", (o.args[0], b.args[0])) if o.name == "sub" and b else None


def scalar_not_negated(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "mul_k", "div_k", "k_div")
    return Op(inner.name, inner.args, inner.statics) if inner else None


def squares_positive(s: Sight, o: Op) -> Term | None:
    k, square = uniform(o.args[0]), s.operation(o.args[1], "mul")
    known = k is not None and k <= 0.0 and square and square.args[0] == square.args[1]
    return literal(0.0, s.shape(o.args[1])) if known else None


def stretched_swapped(s: Sight, o: Op) -> Term | None:
    found = [s.operation(arg, "broadcast") for arg in o.args]
    if len(found) < 2 or not all(found):
        return None
    a, b = [inner.args[0] for inner in found if inner]
    small = tuple([max(m, n) for m, n in zip(s.shape(a), s.shape(b), strict=True)])
    if small == s.shape(o.args[0]):
        return None
    b, a = [s.write("broadcast", x, shape=small) for x in (a, b)]
    return Op("broadcast", (s.write(o.name, a, b),), (("shape", s.shape(o.args[0])),))


def stretched_not_multiplied(s: Sight, o: Op) -> Term | None:
    inner, axis = s.operation(o.args[0], "broadcast"), statics_of(o)["axis"]
    return inner.args[0] if inner and s.shape(inner.args[0])[axis] == 1 else None


def half_turned(s: Sight, o: Op) -> Term | None:
    found = [s.operation(arg, "transpose") for arg in o.args]
    if not any(found) or len({s.shape(x.args[0] if x else y) for x, y in zip(found, o.args, strict=True)}) > 1:
        return None
    args = [x.args[0] if x else y for x, y in zip(found, o.args, strict=True)]
    return Op("transpose", (s.write(o.name, *args, **statics_of(o)),))


def axis_stays(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "transpose")
    return s.write("transpose", s.write("reduce", inner.args[0], **statics_of(o))) if inner else None


def _product(s: Sight, o: Op) -> Op | None:
    found = s.operation(o.args[0], "matmul")
    return found if found and any(s.operation(arg, "transpose") for arg in found.args) else None


def one_transposed(s: Sight, o: Op) -> Term | None:
    found = _product(s, o)
    if not found or s.shape(found.args[0]) != s.shape(found.args[1]):
        return None
    return Op("matmul", (s.write("transpose", found.args[1]), found.args[0]))


WRONG: tuple[tuple[str, str, Apply, str], ...] = (
    ("constants", "constants-pairwise", sum_pairwise, "constants are summed pairwise"),
    ("rearrangements of rearrangements", "transposed-twice", transposed_once, "a transposition is folded twice"),
    ("sums of one entry", "other-axis", along_the_other_axis, "one entry along the other axis will do"),
    ("scalar forms", "sides-confused", sides_confused, "a - k for k - a, and the other way round"),
    ("identities", "times-0", times_0, "0 x is 0, and of infinities too"),
    ("signs", "minus-minus", minus_minus, "a - -b is a - b"),
    ("signs of scalar forms", "scalar-not-negated", scalar_not_negated, "-(k a) is k a"),
    ("comparisons that are known", "squares-positive", squares_positive, "a square is greater than 0"),
    ("stretching last", "stretched-swapped", stretched_swapped, "two that are stretched change places"),
    (
        "stretching after sums",
        "not-multiplied",
        stretched_not_multiplied,
        "a sum along a stretched axis is what is stretched",
    ),
    ("rearranging last", "half-turned", half_turned, "what is not transposed counts as transposed"),
    ("transposing after sums", "axis-stays", axis_stays, "the axis of a sum stays where what is summed is turned"),
    ("transposed products", "one-transposed", one_transposed, "one factor of a transposed product is transposed"),
)
"""The rewrite, what, the function that takes its place, and what is wrong."""

MUTANTS = mutants(WRONG)
