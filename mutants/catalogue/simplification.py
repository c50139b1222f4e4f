"""Mutants of simplification: one rewrite of a level replaced, or what surrounds the rewrites.

Each rewrite has at least one. The functions are as `transforms.simplify.rewrite` says: from the program so far and an
operation to what takes its place, or None. Where one says nothing of an operation, the right rewrite is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from math import prod

import numpy as np

from mutants.catalogue.rows import OURS
from mutants.mutant import Change, Mutant, drivers
from transforms.machines.syntax import binding
from transforms.mountain_goat.lines import Line, substituted, unchain, variables
from transforms.mountain_goat.straight import Straight
from transforms.simplify.exact import FORMS, k_of, statics_of
from transforms.simplify.facts import FROM_0, certain
from transforms.simplify.levels import LEVELS, simplified, simplify
from transforms.simplify.rewrite import Level, Rewrite, Sight, literal, uniform
from transforms.syntax import Lit, Op, Program, Term, Tuple, Var

Apply = Callable[[Sight, Op], Term | None]
Simplify = Callable[[Straight, Level], Straight]


def instead(name: str, wrong: Apply) -> Change:
    """The rewrite of this name with another function, which the right one serves where it says nothing."""

    def mutated(rewrite: Rewrite) -> Rewrite:
        return replace(rewrite, apply=lambda s, o: found if (found := wrong(s, o)) is not None else rewrite.apply(s, o))

    @wraps(wrong)
    def simplify(straight: Straight, level: Level) -> Straight:
        rewrites = [mutated(rewrite) if rewrite.name == name else rewrite for rewrite in LEVELS[level]]
        return simplified(straight, rewrites)[0]

    return drivers(simplify=simplify)


# Exact rewrites.
def sum_pairwise(s: Sight, o: Op) -> Term | None:
    if o.name != "reduce" or statics_of(o)["kind"] != "sum" or not isinstance(o.args[0], Lit):
        return None
    axis, value = statics_of(o)["axis"], np.asarray(o.args[0].value, float)
    while value.shape[axis] > 1:
        half = (value.shape[axis] + 1) // 2
        first, second = np.split(value, [half], axis)
        pads = np.zeros(
            np.subtract(first.shape, second.shape) * [axis == 0, axis == 1]
            + [axis == 1, axis == 0] * np.array(first.shape)
        )
        value = first + np.concatenate([second, pads], axis)
    return Lit(value)


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


WRONG_EXACT: tuple[tuple[str, str, Apply, str], ...] = (
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


# Reassociating rewrites.
def k_for_reciprocal(s: Sight, o: Op) -> Term | None:
    return Op("mul_k", o.args, (("k", k_of(o)),)) if o.name == "div_k" else None


def scalars_added(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "mul_k") if o.name == "mul_k" else None
    return Op("mul_k", inner.args, (("k", k_of(o) + k_of(inner)),)) if inner else None


def out_of_divisor(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[1], "mul_k") if o.name == "div" else None
    return Op("mul_k", (s.write("div", o.args[0], inner.args[0]),), inner.statics) if inner else None


def out_of_maximum(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "mul_k", "neg")
    return Op(inner.name, (s.write("reduce", inner.args[0], **statics_of(o)),), inner.statics) if inner else None


def first_factor(s: Sight, o: Op) -> Term | None:
    a, b = s.operation(o.args[0], "mul_k"), s.operation(o.args[1], "mul_k")
    return Op("mul_k", (s.write(o.name, a.args[0], b.args[0]),), a.statics) if a and b else None


def factor_of_product_lost(s: Sight, o: Op) -> Term | None:
    for at, arg in enumerate(o.args):
        inner = s.operation(arg, "mul_k", "neg")
        if inner and s.once(arg):
            return Op("matmul", (*o.args[:at], inner.args[0], *o.args[at + 1 :]))
    return None


def into_both(s: Sight, o: Op) -> Term | None:
    product = s.operation(o.args[0], "matmul")
    if not product or not s.once(o.args[0]):
        return None
    if min([prod(s.shape(arg)) for arg in product.args]) >= prod(s.shape(o.args[0])):
        return None
    return Op("matmul", tuple([s.write("mul_k", arg, k=k_of(o)) for arg in product.args]))


def maximum_of_factor(s: Sight, o: Op) -> Term | None:
    inner, axis = s.operation(o.args[0], "mul"), statics_of(o)["axis"]
    wide = s.operation(inner.args[1], "broadcast") if inner else None
    if not inner or not wide or s.shape(wide.args[0]) != s.shape_of(o) or s.shape(wide.args[0])[axis] != 1:
        return None
    return Op("mul", (s.write("reduce", inner.args[0], **statics_of(o)), wide.args[0]))


def factor_of_columns(s: Sight, o: Op) -> Term | None:
    """A factor of each column counts as one of each row, where there are as many."""
    inner, axis, shape = s.operation(o.args[0], "mul"), statics_of(o)["axis"], s.shape(o.args[0])
    wide = s.operation(inner.args[1], "broadcast") if inner else None
    if not inner or not wide or s.shape(wide.args[0])[1 - axis] != 1 or shape[0] != shape[1]:
        return None
    return Op("mul", (s.write("reduce", inner.args[0], **statics_of(o)), s.write("transpose", wide.args[0])))


def divided_sum(s: Sight, o: Op) -> Term | None:
    """What is divided by counts as what is divided."""
    inner, axis = s.operation(o.args[0], "div"), statics_of(o)["axis"]
    wide = s.operation(inner.args[0], "broadcast") if inner else None
    if not inner or not wide or s.shape(wide.args[0]) != s.shape_of(o) or s.shape(wide.args[0])[axis] != 1:
        return None
    return Op("div", (wide.args[0], s.write("reduce", inner.args[1], **statics_of(o))))


def _inner(s: Sight, o: Op, at: int) -> tuple[Term, Term, bool] | None:
    """The factors of a factor that is a product, and whether that is transposed."""
    turned = s.operation(o.args[at], "transpose")
    inner = s.operation(turned.args[0] if turned else o.args[at], "matmul")
    return (*inner.args, bool(turned)) if inner else None  # type: ignore[return-value]


def chain_swapped(s: Sight, o: Op) -> Term | None:
    found = _inner(s, o, 0)
    if not found or found[2] or s.shape(found[1])[0] != s.shape(o.args[1])[1]:
        return None
    a, b, _ = found
    return Op("matmul", (a, s.write("matmul", o.args[1], b))) if s.shape(a)[1] == s.shape(o.args[1])[0] else None


def chain_not_turned(s: Sight, o: Op) -> Term | None:
    found = _inner(s, o, 0)
    if not found or not found[2]:
        return None
    a, b, _ = found
    if s.shape(a)[1] != s.shape(b)[0] or s.shape(b)[1] != s.shape(o.args[1])[0] or len({*s.shape(a)}) == 1:
        return None
    return Op("matmul", (a, s.write("matmul", b, o.args[1])))


WRONG_REASSOCIATING: tuple[tuple[str, str, Apply, str], ...] = (
    ("one scalar", "k-for-reciprocal", k_for_reciprocal, "k instead of 1/k"),
    ("one scalar", "scalars-added", scalars_added, "k (l a) is (k + l) a"),
    ("scalars out of factors", "out-of-divisor", out_of_divisor, "a / (k b) is k (a / b)"),
    ("scalars out of sums", "out-of-maximum", out_of_maximum, "the maximum of k a is k times that of a, if k < 0 too"),
    ("common scalars", "first-factor", first_factor, "k a + l b is k (a + b)"),
    ("scalars out of products", "product-scalar-lost", factor_of_product_lost, "a (k b) is a b"),
    ("scalars into products", "into-both", into_both, "k (a b) is (k a) (k b)"),
    (
        "factors of rows",
        "maximum-of-factor",
        maximum_of_factor,
        "a maximum is taken before a factor, negative ones too",
    ),
    ("factors of rows", "factor-of-columns", factor_of_columns, "a factor of columns is taken out of sums of rows"),
    ("factors of rows", "divided-sum", divided_sum, "the sum of c / a is c over that of a"),
    ("chains of products", "chain-swapped", chain_swapped, "(a b) c is a (c b)"),
    ("chains of products", "chain-not-turned", chain_not_turned, "(a b)^T c is a (b c)"),
)


# What surrounds the rewrites.
def merged(
    straight: Straight, key: Callable[[Op], object], wanted: Callable[[Line], bool] = lambda line: True
) -> Straight:
    """The program with one of all lines that have a key in common."""
    lines, printed = unchain(straight.program.term)
    known: dict[object, str] = {}
    meant: dict[str, Term] = {}
    kept: list[Line] = []
    for name, operation in lines:
        term = substituted(operation, meant)
        assert isinstance(term, Op)
        first = known.setdefault(key(term), name)
        if first == name or not wanted((name, term)):
            kept.append((name, term))
        else:
            meant[name] = Var(first)
    program = replace(straight.program, term=binding(kept, substituted(printed, meant)))
    return replace(straight, program=program)


def without_statics(straight: Straight, level: Level) -> Straight:
    """Common subexpressions are known by operation and arguments alone; those of scalars have the first one's."""

    def key(o: Op) -> object:
        return (o.name, o.args) if o.name.endswith("_k") else id(o)

    return simplify(merged(straight, key), level)


def kinds_alike(straight: Straight, level: Level) -> Straight:
    """A maximum along an axis is the sum along it, if that is there already."""

    def key(o: Op) -> object:
        return (o.args, statics_of(o)["axis"]) if o.name == "reduce" else id(o)

    return simplify(merged(straight, key), level)


def differences_commute(straight: Straight, level: Level) -> Straight:
    """The terms of a difference may change places, as those of a sum may."""

    def key(o: Op) -> object:
        return frozenset(variables(o.args)) if o.name == "sub" and len(variables(o.args)) == 2 else id(o)

    return simplify(merged(straight, key), level)


def across_shadowed(straight: Straight, level: Level) -> Straight:
    """Common subexpressions are known by what the names were in the source, though one is bound again in between."""
    named = {variable: name for name, bound in straight.lets.items() for _, variable in bound if variable}

    def key(o: Op) -> object:
        if not variables(o.args) or not all(name in named for name in variables(o.args)):
            return id(o)
        return o.name, o.statics, tuple([named[arg.name] if isinstance(arg, Var) else id(arg) for arg in o.args])

    return simplify(merged(straight, key), level)


def late_use_forgotten(straight: Straight, level: Level) -> Straight:
    """Dead code is what the first print does not need."""
    lines, printed = unchain(straight.program.term)
    assert isinstance(printed, Tuple)
    names, kept = set(variables(printed.parts[:1])), []
    for name, operation in reversed(lines):
        if name in names:
            names.update(variables(operation.args))
            kept.insert(0, (name, operation))
    program = Program(straight.program.context, binding(kept, printed), straight.program.source)
    return simplify(replace(straight, program=program), level)


def prints_merged(straight: Straight, level: Level) -> Straight:
    """The last print prints what the first one of its shape prints."""
    found = simplify(straight, level)
    lines, printed = unchain(found.program.term)
    assert isinstance(printed, Tuple)
    parts = (*printed.parts[:-1], printed.parts[0]) if len(printed.parts) > 1 else printed.parts
    return replace(found, program=replace(found.program, term=binding(lines, Tuple(parts))))


def inputs_folded(straight: Straight, level: Level) -> Straight:
    """Inputs are literals like any others."""
    lines, printed = unchain(straight.program.term)
    folded: dict[str, Term] = {name: Lit(value) for name, value in straight.point.items() if prod(value.shape) < 5}
    found = [(name, substituted(operation, folded)) for name, operation in lines]
    program = replace(straight.program, term=binding(found, substituted(printed, folded)))  # type: ignore[arg-type]
    return simplify(replace(straight, program=program), level)


def reassociated_always(straight: Straight, level: Level) -> Straight:
    """What only real arithmetic says is done at the exact level too."""
    return simplify(straight, "reassociate")


SURROUNDINGS: tuple[tuple[str, Simplify, str], ...] = (
    ("statics-ignored", without_statics, "a k and a l are one common subexpression"),
    ("kinds-alike", kinds_alike, "a sum and a maximum are one common subexpression"),
    ("differences-commute", differences_commute, "a - b and b - a are one common subexpression"),
    ("across-shadowed", across_shadowed, "common subexpressions are merged across a name that is bound again"),
    ("late-use-forgotten", late_use_forgotten, "dead code is what the first print does not need"),
    ("prints-merged", prints_merged, "the last print prints what the first does"),
    ("inputs-folded", inputs_folded, "inputs are folded as literals are"),
    ("always-reassociated", reassociated_always, "the exact level reassociates"),
)

MUTANTS = (
    *[Mutant(f"simplify.{what}", "drivers.simplify", "value", wrong, OURS, instead(name, apply), ("simplification",))
      for name, what, apply, wrong in (*WRONG_EXACT, *WRONG_REASSOCIATING)],
    *[Mutant(f"simplify.{what}", "drivers.simplify", "value", wrong, OURS, drivers(simplify=function),
             ("simplification",))
      for what, function, wrong in SURROUNDINGS],
)  # fmt: skip
