"""Rewrites that leave every number as it is, to the last bit."""

from __future__ import annotations

from math import copysign
from typing import Any

import numpy as np

from transforms.mountain_goat.lines import ROWS
from transforms.simplify.facts import BIT, NOT_MINUS_0, POSITIVE, certain
from transforms.simplify.rewrite import REARRANGE, Rewrite, Sight, literal, uniform
from transforms.syntax import INFIX, Lit, Op, Term

SCALAR = ("add_k", "sub_k", "k_sub", "mul_k", "div_k", "k_div")
MAPS = (*INFIX, "neg", "exp", "log", "sqrt", "relu", "ge", *SCALAR)
"""Operations on entries at the same place."""
ROUNDED = (*INFIX, "neg", "sqrt", "relu", "ge", *SCALAR)
"""Those of them that doubles define to the last bit: a library's exp and log need not be the compiled program's."""


def k_of(operation: Op) -> float:
    return float(dict(operation.statics)["k"])


def statics_of(operation: Op) -> dict[str, Any]:
    return dict(operation.statics)


def is_number(k: float | None, number: float) -> bool:
    """Whether it is this double; the zeros are two."""
    return k is not None and k == number and copysign(1.0, k) == copysign(1.0, number)


# Rearrangements of rearrangements.
def _collapse(s: Sight, o: Op) -> Term | None:
    (a,), shape = o.args, s.shape(o.args[0])
    inner = s.operation(a, o.name)
    match o.name:
        case "reshape" if statics_of(o)["shape"] == shape:
            return a
        case "broadcast" if statics_of(o)["shape"] == shape:
            return a
        case "permute" if statics_of(o)["permutation"] == tuple(range(len(shape))):
            return a
        case "transpose" if 1 in shape:
            return Op("reshape", (a,), (("shape", shape[::-1]),))
        case "transpose" if inner:
            return inner.args[0]
        case "reshape" | "broadcast" if inner:
            return Op(o.name, inner.args, o.statics)
        case "permute" if inner:
            first, second = statics_of(inner)["permutation"], statics_of(o)["permutation"]
            return Op("permute", inner.args, (("permutation", tuple([first[axis] for axis in second])),))
        case "permute" if statics_of(o)["permutation"] == (1, 0):
            return Op("transpose", (a,))
    return None


def _one_entry(s: Sight, o: Op) -> Term | None:
    return o.args[0] if s.shape(o.args[0])[statics_of(o)["axis"]] == 1 else None


# Numbers that change nothing, and signs.
def _identity(s: Sight, o: Op) -> Term | None:
    a, k = o.args[0], k_of(o)
    match o.name:
        case "mul_k" | "div_k" if k == 1.0:
            return a
        case "mul_k" | "div_k" if k == -1.0:
            return Op("neg", (a,))
        case "add_k" if is_number(k, -0.0) or (k == 0.0 and certain(s, a, NOT_MINUS_0)):
            return a
        case "sub_k" if is_number(k, 0.0) or (k == 0.0 and certain(s, a, NOT_MINUS_0)):
            return a
        case "mul_k" if is_number(k, 0.0) and certain(s, a, BIT):
            return literal(0.0, s.shape(a))
    return None


def _signs(s: Sight, o: Op) -> Term | None:
    a, b = s.operation(o.args[0], "neg"), s.operation(o.args[-1], "neg")
    match o.name:
        case "neg" if a:
            return a.args[0]
        case "add" if b:
            return Op("sub", (o.args[0], b.args[0]))
        case "add" if a:
            return Op("sub", (o.args[1], a.args[0]))
        case "sub" if b:
            return Op("add", (o.args[0], b.args[0]))
        case "mul" | "div" if a and b:
            return Op(o.name, (a.args[0], b.args[0]))
        case "mul" | "div" if a:
            return Op("neg", (s.write(o.name, a.args[0], o.args[1]),))
        case "mul" | "div" if b:
            return Op("neg", (s.write(o.name, o.args[0], b.args[0]),))
        case "mul_k" | "div_k" | "k_div" if a:
            return Op(o.name, a.args, (("k", -k_of(o)),))
        case "k_sub" if a:
            return Op("add_k", a.args, o.statics)
        case "add_k" if a:
            return Op("k_sub", a.args, o.statics)
    return None


def _sign_of_scalar(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "mul_k", "div_k", "k_div")
    if inner and s.once(o.args[0]):
        return Op(inner.name, inner.args, (("k", -k_of(inner)),))
    return None


# Literals.
FORMS: dict[str, tuple[str, str]] = {
    "add": ("add_k", "add_k"), "sub": ("k_sub", "sub_k"), "mul": ("mul_k", "mul_k"), "div": ("k_div", "div_k"),
}  # fmt: skip
"""The scalar form of an operation whose first, or second, argument is a literal of one number."""


def _scalar_form(s: Sight, o: Op) -> Term | None:
    k, n = map(uniform, o.args)
    if k is not None and n is None:
        return Op(FORMS[o.name][0], (o.args[1],), (("k", k),))
    if n is not None and k is None:
        return Op(FORMS[o.name][1], (o.args[0],), (("k", n),))
    return None


def _constants(s: Sight, o: Op) -> Term | None:
    if not all(isinstance(arg, Lit) for arg in o.args):
        return None
    values = [np.asarray(arg.value, float) for arg in o.args]  # type: ignore[union-attr]
    shape = s.shape_of(o)
    with np.errstate(all="ignore"):
        if o.name in ROUNDED:
            entries = [uniform(arg) for arg in o.args]
            if None not in entries:
                values = [np.full((1,) * max(len(shape), 1), entry) for entry in entries]
            found = ROWS[o.name].evaluate(*values, **statics_of(o))
            return literal(float(found.flat[0]), shape) if None not in entries else Lit(np.asarray(found))
        (value,) = values[:1]
        entry = uniform(o.args[0])
        if o.name in REARRANGE:
            if entry is not None:
                return literal(entry, shape)
            return Lit(ROWS[o.name].evaluate(value, **statics_of(o)))
        if o.name == "reduce" and value.size:
            axis, kind = statics_of(o)["axis"], statics_of(o)["kind"]
            if kind == "max":
                return Lit(np.max(value, axis=axis, keepdims=True))
            return Lit(np.take(np.add.accumulate(value, axis=axis), [-1], axis=axis))  # in order, as compiled
    return None


def _never(s: Sight, o: Op) -> Term | None:
    """`ge(0, b)` where b is greater than 0."""
    k = uniform(o.args[0])
    if k is not None and k <= 0.0 and certain(s, o.args[1], POSITIVE):
        return literal(0.0, s.shape(o.args[1]))
    return None


# Stretching and transposing after instead of before.
def _stretch_last(s: Sight, o: Op) -> Term | None:
    found = [s.operation(arg, "broadcast") for arg in o.args]
    if not any(found):
        return None
    shape = s.shape(o.args[0])
    small = [1] * len(shape)
    for arg, inner in zip(o.args, found, strict=True):
        if uniform(arg) is None:
            small = [max(m, n) for m, n in zip(small, s.shape(inner.args[0] if inner else arg), strict=True)]
    if tuple(small) == shape:
        return None
    args = []
    for arg, inner in zip(o.args, found, strict=True):
        entry = uniform(arg)
        if entry is not None:
            args.append(literal(entry, tuple(small)))
        else:
            assert inner is not None
            args.append(s.write("broadcast", inner.args[0], shape=tuple(small)))
    return Op("broadcast", (s.write(o.name, *args, **statics_of(o)),), (("shape", shape),))


def _reduce_stretched(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "broadcast")
    if not inner:
        return None
    axis, kind, (m, n) = statics_of(o)["axis"], statics_of(o)["kind"], s.shape(o.args[0])
    source = s.shape(inner.args[0])
    if source[axis] == 1 and kind == "max":
        result = inner.args[0]
    elif source[1 - axis] == 1 and (m, n)[1 - axis] > 1:
        whole = (m, 1) if axis == 0 else (1, n)
        result = s.write("reduce", s.write("broadcast", inner.args[0], shape=whole), axis=axis, kind=kind)
    else:
        return None
    return Op("broadcast", (result,), (("shape", (m, 1) if axis else (1, n)),))


def _rearrange_last(s: Sight, o: Op) -> Term | None:
    """A map of what is transposed, or reshaped, from the same shape: first the map."""
    for head in ("transpose", "reshape", "permute"):
        found = [s.operation(arg, head) for arg in o.args]
        chosen = [x for x in found if x]
        if not chosen or any(x is None and uniform(arg) is None for x, arg in zip(found, o.args, strict=True)):
            continue
        shape, statics = s.shape(chosen[0].args[0]), chosen[0].statics
        if any(x.statics != statics or s.shape(x.args[0]) != shape for x in chosen) or len(shape) != 2:
            continue
        args = [
            x.args[0] if x else literal(uniform(arg), shape)  # type: ignore[arg-type]
            for x, arg in zip(found, o.args, strict=True)
        ]
        return Op(head, (s.write(o.name, *args, **statics_of(o)),), statics)
    return None


def _reduce_transposed(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "transpose")
    if not inner:
        return None
    axis, kind = statics_of(o)["axis"], statics_of(o)["kind"]
    return Op("transpose", (s.write("reduce", inner.args[0], axis=1 - axis, kind=kind),))


def _transposed_product(s: Sight, o: Op) -> Term | None:
    (whole,) = o.args
    scaled = s.operation(whole, "mul_k", "div_k", "neg")
    inside = scaled.args[0] if scaled else whole
    product = s.operation(inside, "matmul")
    if not product or not s.once(whole) or not s.once(inside):
        return None
    a, b = product.args
    if not s.operation(a, "transpose") and not s.operation(b, "transpose"):
        return None  # there would be two transpositions in the place of one
    turned = Op("matmul", (s.write("transpose", b), s.write("transpose", a)))
    return Op(scaled.name, (s.add(turned),), scaled.statics) if scaled else turned


EXACT: tuple[Rewrite, ...] = (
    Rewrite("constants", "exact", (*ROUNDED, *REARRANGE, "reduce"),
            "IEEE 754 defines these operations, and sums are taken in the program's order; work, or spelling",
            _constants),
    Rewrite("rearrangements of rearrangements", "exact", REARRANGE, "entries are only moved; spelling", _collapse),
    Rewrite("sums of one entry", "exact", ("reduce",), "a sum or maximum starts from the first entry; work",
            _one_entry),
    Rewrite("scalar forms", "exact", tuple(INFIX), "the same operation on the same entries; spelling", _scalar_form),
    Rewrite("identities", "exact", ("mul_k", "div_k", "add_k", "sub_k"),
            "1 x, x / 1, x - 0 and x + -0 are x, x + 0 is where x is no -0, and 0 x is 0 where x is 0 or 1; work",
            _identity),
    Rewrite("signs", "exact", ("neg", "add", "sub", "mul", "div", "mul_k", "div_k", "k_div", "k_sub", "add_k"),
            "rounding is symmetric, and a - b is a + -b by definition; work, or scaling", _signs),
    Rewrite("signs of scalar forms", "exact", ("neg",), "rounding is symmetric; work", _sign_of_scalar),
    Rewrite("comparisons that are known", "exact", ("ge",), "what is greater than 0 is not at most 0, nor is NaN; work",
            _never),
    Rewrite("stretching last", "exact", MAPS, "equal entries give equal results; work", _stretch_last),
    Rewrite("stretching after sums", "exact", ("reduce",), "equal columns have equal sums; work", _reduce_stretched),
    Rewrite("rearranging last", "exact", MAPS, "a map does not see where entries are; moving", _rearrange_last),
    Rewrite("transposing after sums", "exact", ("reduce",), "the same entries in the same order; moving",
            _reduce_transposed),
    Rewrite("transposed products", "exact", ("transpose",),
            "(a b)^T = b^T a^T: the same products, commuted, in the same order; turning", _transposed_product),
)  # fmt: skip
