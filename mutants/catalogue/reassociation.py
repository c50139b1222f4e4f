"""Mutants of reassociating simplification: one of its rewrites replaced, as in `mutants.catalogue.simplification`."""

from __future__ import annotations

from math import prod

from mutants.catalogue.simplification import Apply, mutants
from transforms.simplify.exact import k_of, statics_of
from transforms.simplify.rewrite import Sight
from transforms.syntax import Op, Term


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


def squared_in_product(s: Sight, o: Op) -> Term | None:
    product = s.operation(o.args[0], "matmul")
    if not product or not s.once(o.args[0]):
        return None
    sizes, args = [prod(s.shape(arg)) for arg in product.args], list(product.args)
    at = sizes.index(min(sizes))
    if sizes[at] >= prod(s.shape(o.args[0])):
        return None
    args[at] = s.write("mul_k", args[at], k=k_of(o) ** 2)
    return Op("matmul", tuple(args))


def factor_of_columns(s: Sight, o: Op) -> Term | None:
    """A factor of each column counts as one of each row, where there are as many."""
    inner, axis, shape = s.operation(o.args[0], "mul"), statics_of(o)["axis"], s.shape(o.args[0])
    wide = s.operation(inner.args[1], "broadcast") if inner else None
    if not inner or not wide or s.shape(wide.args[0])[1 - axis] != 1 or shape[0] != shape[1]:
        return None
    return Op("mul", (s.write("reduce", inner.args[0], **statics_of(o)), s.write("transpose", wide.args[0])))


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


WRONG: tuple[tuple[str, str, Apply, str], ...] = (
    ("one scalar", "scalars-added", scalars_added, "k (l a) is (k + l) a"),
    ("scalars out of factors", "out-of-divisor", out_of_divisor, "a / (k b) is k (a / b)"),
    (
        "scalars out of sums",
        "out-of-maximum",
        out_of_maximum,
        "the maximum of k a is k times that of a, if k < 0 too",
    ),
    ("common scalars", "first-factor", first_factor, "k a + l b is k (a + b)"),
    ("scalars out of products", "product-scalar-lost", factor_of_product_lost, "a (k b) is a b"),
    ("scalars into products", "squared", squared_in_product, "k (a b) is (k a) (k b)"),
    ("factors of rows", "factor-of-columns", factor_of_columns, "a factor of columns is taken out of sums of rows"),
    ("chains of products", "chain-swapped", chain_swapped, "(a b) c is a (c b)"),
)
"""The rewrite, what, the function that takes its place, and what is wrong."""

MUTANTS = mutants(WRONG)
