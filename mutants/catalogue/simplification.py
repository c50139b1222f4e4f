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
from transforms.simplify.exact import FORMS, k_of, statics_of
from transforms.simplify.facts import FROM_0, certain
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


def permutations_swapped(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "permute")
    if o.name != "permute" or not inner:
        return None
    first, second = statics_of(inner)["permutation"], statics_of(o)["permutation"]
    return Op("permute", inner.args, (("permutation", tuple([second[axis] for axis in first])),))


def transposed_once(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "transpose") if o.name == "transpose" else None
    return o.args[0] if inner else None


def reshaped_instead(s: Sight, o: Op) -> Term | None:
    return Op("reshape", o.args, (("shape", s.shape_of(o)),)) if o.name == "transpose" else None


def along_the_other_axis(s: Sight, o: Op) -> Term | None:
    return o.args[0] if s.shape(o.args[0])[1 - statics_of(o)["axis"]] == 1 else None


def sides_confused(s: Sight, o: Op) -> Term | None:
    k, n = map(uniform, o.args)
    if o.name != "sub" or (k is None) == (n is None):
        return None
    return Op("k_sub", (o.args[0],), (("k", n),)) if k is None else Op("sub_k", (o.args[1],), (("k", k),))


def divided_the_other_way(s: Sight, o: Op) -> Term | None:
    k, n = map(uniform, o.args)
    return Op("div_k", (o.args[1],), (("k", k),)) if o.name == "div" and k is not None and n is None else None


def first_entry(s: Sight, o: Op) -> Term | None:
    a, b = o.args
    if isinstance(b, Lit) and not isinstance(a, Lit):
        return Op(FORMS[o.name][1], (a,), (("k", float(np.ravel(b.value)[0])),))
    return None


def plus_0(s: Sight, o: Op) -> Term | None:
    return o.args[0] if o.name == "add_k" and k_of(o) == 0.0 else None


def minus_0(s: Sight, o: Op) -> Term | None:
    return o.args[0] if o.name == "sub_k" and k_of(o) == 0.0 else None


def times_0(s: Sight, o: Op) -> Term | None:
    return literal(0.0, s.shape(o.args[0])) if o.name == "mul_k" and k_of(o) == 0.0 else None


def opposite_lost(s: Sight, o: Op) -> Term | None:
    return o.args[0] if o.name in ("mul_k", "div_k") and k_of(o) == -1.0 else None


def minus_minus(s: Sight, o: Op) -> Term | None:
    b = s.operation(o.args[-1], "neg")
    return Op("sub", (o.args[0], b.args[0])) if o.name == "sub" and b else None


def minus_first(s: Sight, o: Op) -> Term | None:
    a = s.operation(o.args[0], "neg")
    return Op("sub", (a.args[0], o.args[1])) if o.name == "add" and a else None


def opposite_difference(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "sub") if o.name == "neg" else None
    return Op("sub", inner.args[::-1]) if inner else None


def sign_of_product_lost(s: Sight, o: Op) -> Term | None:
    a = s.operation(o.args[0], "neg")
    return Op(o.name, (a.args[0], o.args[1])) if o.name in ("mul", "div") and a else None


def added_first(s: Sight, o: Op) -> Term | None:
    a = s.operation(o.args[0], "neg")
    return Op("sub_k", a.args, o.statics) if o.name == "k_sub" and a else None


def sum_negated(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "add_k")
    return Op("add_k", inner.args, (("k", -k_of(inner)),)) if inner else None


def scalar_not_negated(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "mul_k", "div_k", "k_div")
    return Op(inner.name, inner.args, inner.statics) if inner else None


def at_equality(s: Sight, o: Op) -> Term | None:
    k = uniform(o.args[0])
    known = k is not None and k <= 0.0 and certain(s, o.args[1], FROM_0)
    return literal(0.0, s.shape(o.args[1])) if known else None


def squares_positive(s: Sight, o: Op) -> Term | None:
    k, square = uniform(o.args[0]), s.operation(o.args[1], "mul")
    known = k is not None and k <= 0.0 and square and square.args[0] == square.args[1]
    return literal(0.0, s.shape(o.args[1])) if known else None


def itself_known(s: Sight, o: Op) -> Term | None:
    return literal(1.0, s.shape(o.args[0])) if o.args[0] == o.args[1] else None


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


def operands_stay(s: Sight, o: Op) -> Term | None:
    found = _product(s, o)
    if not found or s.shape(found.args[0]) != s.shape(found.args[1]):
        return None
    return Op("matmul", tuple([s.write("transpose", arg) for arg in found.args]))


def one_transposed(s: Sight, o: Op) -> Term | None:
    found = _product(s, o)
    if not found or s.shape(found.args[0]) != s.shape(found.args[1]):
        return None
    return Op("matmul", (s.write("transpose", found.args[1]), found.args[0]))


def factor_lost(s: Sight, o: Op) -> Term | None:
    scaled = s.operation(o.args[0], "mul_k", "neg")
    product = s.operation(scaled.args[0], "matmul") if scaled else None
    if not product:
        return None
    a, b = product.args
    return Op("matmul", (s.write("transpose", b), s.write("transpose", a)))


WRONG: tuple[tuple[str, str, Apply, str], ...] = (
    ("constants", "constants-pairwise", sum_pairwise, "constants are summed pairwise"),
    (
        "rearrangements of rearrangements",
        "permutations-swapped",
        permutations_swapped,
        "permutations are composed in the wrong order",
    ),
    ("rearrangements of rearrangements", "transposed-twice", transposed_once, "a transposition is folded twice"),
    ("rearrangements of rearrangements", "reshaped", reshaped_instead, "whatever is transposed is reshaped"),
    ("sums of one entry", "other-axis", along_the_other_axis, "one entry along the other axis will do"),
    ("scalar forms", "sides-confused", sides_confused, "a - k for k - a, and the other way round"),
    ("scalar forms", "divided-backwards", divided_the_other_way, "a / k for k / a"),
    ("scalar forms", "first-entry", first_entry, "the first entry of a literal for all of them"),
    ("identities", "plus-0", plus_0, "x + 0 is x, and -0 too"),
    ("identities", "minus-0", minus_0, "x - -0 is x, and -0 too"),
    ("identities", "times-0", times_0, "0 x is 0, and of infinities too"),
    ("identities", "opposite-lost", opposite_lost, "-1 x is x"),
    ("signs", "minus-minus", minus_minus, "a - -b is a - b"),
    ("signs", "minus-first", minus_first, "-a + b is a - b"),
    ("signs", "opposite-difference", opposite_difference, "-(a - b) is b - a, and of equals too"),
    ("signs", "sign-lost", sign_of_product_lost, "-a b is a b"),
    ("signs", "k-subtracted", added_first, "k - -a is a - k"),
    ("signs of scalar forms", "scalar-not-negated", scalar_not_negated, "-(k a) is k a"),
    ("signs of scalar forms", "sum-negated", sum_negated, "-(a + k) is a - k"),
    ("comparisons that are known", "at-equality", at_equality, "0 is not at least what is at least 0"),
    ("comparisons that are known", "squares-positive", squares_positive, "a square is greater than 0"),
    ("comparisons that are known", "itself", itself_known, "a is at least a, and of NaN too"),
    ("stretching last", "stretched-swapped", stretched_swapped, "two that are stretched change places"),
    (
        "stretching after sums",
        "not-multiplied",
        stretched_not_multiplied,
        "a sum along a stretched axis is what is stretched",
    ),
    ("rearranging last", "half-turned", half_turned, "what is not transposed counts as transposed"),
    ("transposing after sums", "axis-stays", axis_stays, "the axis of a sum stays where what is summed is turned"),
    ("transposed products", "operands-stay", operands_stay, "the factors of a transposed product stay in place"),
    ("transposed products", "one-transposed", one_transposed, "one factor of a transposed product is transposed"),
    ("transposed products", "factor-lost", factor_lost, "a product's scalar is lost where it is transposed"),
)
"""The rewrite, what, the function that takes its place, and what is wrong."""

MUTANTS = mutants(WRONG)
