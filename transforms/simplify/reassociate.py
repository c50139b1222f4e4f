"""Rewrites that are right in real arithmetic; doubles are rounded otherwise."""

from __future__ import annotations

from math import isfinite, prod

from transforms.simplify.exact import k_of, statics_of
from transforms.simplify.rewrite import Rewrite, Sight
from transforms.syntax import Op, Term


# Scalars.
def _one_scalar(s: Sight, o: Op) -> Term | None:
    k = k_of(o)
    if o.name == "div_k":
        return Op("mul_k", o.args, (("k", 1.0 / k),)) if k and isfinite(1.0 / k) and 1.0 / k else None
    inner = s.operation(o.args[0], "mul_k")
    if inner and isfinite(k * k_of(inner)) and k * k_of(inner):
        return Op("mul_k", inner.args, (("k", k * k_of(inner)),))
    return None


def _out_of_factor(s: Sight, o: Op) -> Term | None:
    """A factor of a factor: of the whole."""
    for at, arg in enumerate(o.args):
        inner = s.operation(arg, "mul_k", "neg")
        if inner and s.once(arg) and not (at and o.name == "div" and inner.name == "mul_k"):
            args = list(o.args)
            args[at] = inner.args[0]
            return Op(inner.name, (s.write(o.name, *args),), inner.statics)
    return None


def _out_of_sum(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "mul_k", "neg")
    if inner and statics_of(o)["kind"] == "sum":
        return Op(inner.name, (s.write("reduce", inner.args[0], **statics_of(o)),), inner.statics)
    return None


def _common_factor(s: Sight, o: Op) -> Term | None:
    a, b = s.operation(o.args[0], "mul_k"), s.operation(o.args[1], "mul_k")
    if a and b and k_of(a) == k_of(b) and s.once(o.args[0]):
        return Op("mul_k", (s.write(o.name, a.args[0], b.args[0]),), a.statics)
    return None


def _out_of_product(s: Sight, o: Op) -> Term | None:
    size = s.shape(o.args[0])[0] * s.shape(o.args[1])[1]
    for at, arg in enumerate(o.args):
        moved = s.operation(arg, "transpose", "reshape")
        inner = s.operation(moved.args[0] if moved else arg, "mul_k", "neg")
        if inner and size * max(s.uses[arg.name], 1) < prod(s.shape(arg)):  # type: ignore[union-attr]
            args = list(o.args)
            args[at] = s.write(moved.name, *inner.args, **statics_of(moved)) if moved else inner.args[0]
            return Op(inner.name, (s.write("matmul", *args),), inner.statics)
    return None


def _into_product(s: Sight, o: Op) -> Term | None:
    product = s.operation(o.args[0], "matmul")
    if not product or not s.once(o.args[0]):
        return None
    sizes = [prod(s.shape(arg)) for arg in product.args]
    at = sizes.index(min(sizes))
    if sizes[at] >= prod(s.shape(o.args[0])):
        return None
    args = list(product.args)
    args[at] = s.write(o.name, args[at], **statics_of(o))
    return Op("matmul", tuple(args))


# A factor of each row.
def _row_factor(s: Sight, o: Op) -> Term | None:
    inner = s.operation(o.args[0], "mul", "div")
    axis, kind = statics_of(o)["axis"], statics_of(o)["kind"]
    if not inner or kind != "sum" or not s.once(o.args[0]):
        return None
    for at in (1, 0) if inner.name == "mul" else (1,):
        wide = s.operation(inner.args[at], "broadcast")
        if wide and s.shape(wide.args[0])[axis] == 1:
            factor, shape = wide.args[0], s.shape(o.args[0])
            wanted = (shape[0], 1) if axis else (1, shape[1])
            if s.shape(factor) != wanted:
                factor = s.write("broadcast", factor, shape=wanted)
            return Op(inner.name, (s.write("reduce", inner.args[1 - at], **statics_of(o)), factor))
    return None


# Chains of products.
def _chain(s: Sight, o: Op) -> Term | None:
    """A product of a product, perhaps a transposed one, whose cost is shared by what uses it."""
    (m, k), (_, n) = map(s.shape, o.args)
    for at, arg in enumerate(o.args):
        turned = s.operation(arg, "transpose")
        whole = turned.args[0] if turned else arg
        inner = s.operation(whole, "matmul")
        if not inner:
            continue
        (p, q), (_, r) = map(s.shape, inner.args)
        now = m * k * n + p * q * r / max(s.uses[whole.name], 1)  # type: ignore[union-attr]
        then = q * k * n + m * q * n if at == 0 else m * k * q + m * q * n
        if then >= now:
            continue
        a, b = inner.args
        if turned:
            a, b = s.write("transpose", b), s.write("transpose", a)
        if at == 0:
            return Op("matmul", (a, s.write("matmul", b, o.args[1])))
        return Op("matmul", (s.write("matmul", o.args[0], a), b))
    return None


REASSOCIATING: tuple[Rewrite, ...] = (
    Rewrite("one scalar", "reassociate", ("mul_k", "div_k"), "x / k = x (1/k), and factors commute; spelling, or work",
            _one_scalar),
    Rewrite("scalars out of factors", "reassociate", ("mul", "div"), "factors commute; scaling", _out_of_factor),
    Rewrite("scalars out of sums", "reassociate", ("reduce",), "a common factor; work", _out_of_sum),
    Rewrite("common scalars", "reassociate", ("add", "sub"), "a common factor; work", _common_factor),
    Rewrite("scalars out of products", "reassociate", ("matmul",), "a common factor; work", _out_of_product),
    Rewrite("scalars into products", "reassociate", ("mul_k",), "a common factor; work", _into_product),
    Rewrite("factors of rows", "reassociate", ("reduce",), "a common factor; work", _row_factor),
    Rewrite("chains of products", "reassociate", ("matmul",), "(a b) c = a (b c); work", _chain),
)  # fmt: skip
