"""THE table, continued: one row per primitive on arrays, and the table as a whole.

The rows are as `transforms.rules` says. Sizes and places are static parameters: `matmul(a, b)`, `reduce(a, axis=1,
kind="sum")`, `mul_k(a, k=2.0)`. Elementwise rows of the other table serve arrays too; their arguments have one shape,
so that stretching is always an explicit `broadcast`, from axes of size 1.

`c` of a primitive that moves or sums entries is what the innermost statement of its loop nest assigns to the entry
`{r}` of the result: `{0}` and `{1}` are those of the arguments that belong to it. Products start from 0. `reduce` has
one for each kind, `REDUCTIONS`, and starts from the first entry of a row or column.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from math import prod

from transforms import array_numeric
from transforms.derivative_rules import DERIVATIVE_RULES
from transforms.errors import ShapeMismatch
from transforms.rules import REALS, RULES, Convention, Domain, Minus, Rule, Rules, elementwise
from transforms.types import Array, Type, brief

REDUCTIONS = {"sum": "{r} + {0}", "max": "({r} >= {0} || {r} != {r} ? {r} : {0})"}

def text(shape: tuple[int, ...]) -> str:
    """A shape as messages name it: 2x3."""
    return "x".join(map(str, shape)) or "real"

def sizes(type_: Type) -> tuple[int, ...]:
    """The shape of an array; raises ShapeMismatch for a tuple."""
    if not isinstance(type_, Array):
        raise ShapeMismatch(f"expected an array, found {brief(type_)}")
    return type_.shape

def rank_2(type_: Type) -> tuple[int, int]:
    """The shape of a matrix; raises ShapeMismatch for anything else."""
    shape = sizes(type_)
    if len(shape) != 2:
        raise ShapeMismatch(f"expected a matrix, found {text(shape)}")
    return shape


# Products and rearrangements.                          a receives                b receives
def matmul_pullback(m, ct, r, a, b):            return  m.matmul(ct, m.transpose(b)), m.matmul(m.transpose(a), ct)
def transpose_pullback(m, ct, r, a):            return  m.transpose(ct),
def reshape_pullback(m, ct, r, a, *, shape):    return  m.reshape(ct, shape=m.type_of(a).shape),

def permute_pullback(m, ct, r, a, *, permutation):
    return m.permute(ct, permutation=tuple(sorted(range(len(permutation)), key=permutation.__getitem__))),

def matmul_tangent(m, r, a, b, da, db):         return  m.add(m.matmul(da, b), m.matmul(a, db))
def transpose_tangent(m, r, a, da):             return  m.transpose(da)
def reshape_tangent(m, r, a, da, *, shape):     return  m.reshape(da, shape=shape)
def permute_tangent(m, r, a, da, *, permutation):  return  m.permute(da, permutation=permutation)

def matmul_cost(a, b):
    (rows, inner), columns = a.shape, b.shape[1]
    sums = rows * inner * (columns - 1) + inner * columns * (rows - 1)
    return {"mul": 2 * rows * inner * columns, "add": sums}

def transpose_cost(a):                          return  {}
def reshape_cost(a, *, shape):                  return  {}
def permute_cost(a, *, permutation):            return  {}

def matmul_shape(a: Type, b: Type) -> Type:
    (rows, inner), (found, columns) = rank_2(a), rank_2(b)
    if inner != found:
        raise ShapeMismatch(f"inner dimensions differ: expected {inner} rows beside {text((rows, inner))}, "
                            f"found {text((found, columns))}")
    return Array((rows, columns))

def transpose_shape(a: Type) -> Type:
    return Array(rank_2(a)[::-1])

def reshape_shape(a: Type, *, shape: tuple[int, ...]) -> Type:
    if not shape or min(shape) < 1:
        raise ShapeMismatch(f"expected sizes of at least 1, found {text(shape)}")
    if prod(shape) != prod(sizes(a)):
        raise ShapeMismatch(f"{text(sizes(a))} has {a.size} entries, {text(shape)} has {prod(shape)}")
    return Array(tuple(shape))

def permute_shape(a: Type, *, permutation: tuple[int, ...]) -> Type:
    shape = sizes(a)
    if sorted(permutation) != list(range(len(shape))):
        raise ShapeMismatch(f"expected the axes 0 to {len(shape) - 1} of {text(shape)} in some order, "
                            f"found {', '.join(map(str, permutation))}")
    return Array(tuple([shape[axis] for axis in permutation]))


# Sums and maxima along an axis, which stays with size 1, and their opposite. The entries that attain a maximum share
# what it receives: `ge(a, maximum)` marks them. Stretching uses entries several times: what they receive is summed.
def reduce_pullback(m, ct, r, a, *, axis, kind):
    if kind == "sum":
        return spread(m, ct, a),
    attained = m.ge(a, spread(m, r, a))
    portion = m.div(ct, m.reduce(attained, axis=axis, kind="sum"))
    return m.mul(spread(m, portion, a), attained),

def broadcast_pullback(m, ct, r, a, *, shape):
    for axis, size in enumerate(m.type_of(a).shape):
        if size != shape[axis]:
            ct = m.reduce(ct, axis=axis, kind="sum")
    return ct,

def reduce_tangent(m, r, a, da, *, axis, kind):
    if kind == "sum":
        return m.reduce(da, axis=axis, kind="sum")
    attained = m.ge(a, spread(m, r, a))
    count = m.reduce(attained, axis=axis, kind="sum")
    return m.div(m.reduce(m.mul(attained, da), axis=axis, kind="sum"), count)

def broadcast_tangent(m, r, a, da, *, shape):   return  m.broadcast(da, shape=shape)

def reduce_cost(a, *, axis, kind):
    rows = a.size // a.shape[axis]
    return {} if kind == "sum" else {"ge": a.size, "add": a.size - rows, "div": rows, "mul": a.size}

def broadcast_cost(a, *, shape):                return  {"add": prod(shape) - a.size}

def spread(m, value, a):
    """`value` in the shape of `a`; nothing to do where it has it."""
    shape = m.type_of(a).shape
    return value if m.type_of(value).shape == shape else m.broadcast(value, shape=shape)

def reduce_shape(a: Type, *, axis: int, kind: str) -> Type:
    shape = rank_2(a)
    if axis not in (0, 1) or kind not in REDUCTIONS:
        raise ShapeMismatch(f"expected axis 0 or 1 and one of {', '.join(REDUCTIONS)}, found axis {axis} and {kind}")
    return Array((shape[0], 1) if axis else (1, shape[1]))

def broadcast_shape(a: Type, *, shape: tuple[int, ...]) -> Type:
    found = rank_2(a)
    if len(shape) != 2 or any(size not in (1, wanted) for size, wanted in zip(found, shape, strict=True)):
        raise ShapeMismatch(f"{text(found)} does not stretch to {text(shape)}: only a size of 1 does")
    return Array(tuple(shape))


# An array and a number k of the program.
def add_k_pullback(m, ct, r, a, *, k):          return  ct,
def sub_k_pullback(m, ct, r, a, *, k):          return  ct,
def k_sub_pullback(m, ct, r, a, *, k):          return  Minus(ct),
def mul_k_pullback(m, ct, r, a, *, k):          return  m.mul_k(ct, k=k),
def div_k_pullback(m, ct, r, a, *, k):          return  m.div_k(ct, k=k),
def k_div_pullback(m, ct, r, a, *, k):          return  Minus(m.div(m.mul(ct, r), a)),

def add_k_tangent(m, r, a, da, *, k):           return  da
def sub_k_tangent(m, r, a, da, *, k):           return  da
def k_sub_tangent(m, r, a, da, *, k):           return  m.neg(da)
def mul_k_tangent(m, r, a, da, *, k):           return  m.mul_k(da, k=k)
def div_k_tangent(m, r, a, da, *, k):           return  m.div_k(da, k=k)
def k_div_tangent(m, r, a, da, *, k):           return  m.neg(m.div(m.mul(da, r), a))

def add_k_cost(a, *, k):                        return  {}
def sub_k_cost(a, *, k):                        return  {}
def k_sub_cost(a, *, k):                        return  {}
def mul_k_cost(a, *, k):                        return  {"mul": a.size}
def div_k_cost(a, *, k):                        return  {"div": a.size}
def k_div_cost(a, *, k):                        return  {"mul": a.size, "div": a.size}

def scalar_form(a: Type, *, k: float) -> Type:  return  elementwise(a)


def k_not_zero(a, *, k):                        return  k != 0.0
def entries_not_zero(a, *, k):                  return  a != 0.0


ARRAY_RULES: Rules = {rule.name: rule for rule in (
    Rule("matmul", matmul_shape, array_numeric.matmul, matmul_pullback, matmul_tangent, matmul_cost,
         "{r} + {0} * {1}", REALS),
    Rule("transpose", transpose_shape, array_numeric.transpose, transpose_pullback, transpose_tangent, transpose_cost,
         "{0}", REALS),
    Rule("reshape", reshape_shape, array_numeric.reshape, reshape_pullback, reshape_tangent, reshape_cost,
         "{0}", REALS),
    Rule("permute", permute_shape, array_numeric.permute, permute_pullback, permute_tangent, permute_cost,
         "{0}", REALS),
    Rule("reduce", reduce_shape, array_numeric.reduce, reduce_pullback, reduce_tangent, reduce_cost,
         "; ".join(REDUCTIONS.values()), REALS,
         (Convention((1.0, 3.0, 3.0), (0.0, 0.5, 0.5), "entries that attain a maximum share equally"),)),
    Rule("broadcast", broadcast_shape, array_numeric.broadcast, broadcast_pullback, broadcast_tangent, broadcast_cost,
         "{0}", REALS),

    Rule("add_k", scalar_form, array_numeric.add_k, add_k_pullback, add_k_tangent, add_k_cost, "{0} + {k}", REALS),
    Rule("sub_k", scalar_form, array_numeric.sub_k, sub_k_pullback, sub_k_tangent, sub_k_cost, "{0} - {k}", REALS),
    Rule("k_sub", scalar_form, array_numeric.k_sub, k_sub_pullback, k_sub_tangent, k_sub_cost, "{k} - {0}", REALS),
    Rule("mul_k", scalar_form, array_numeric.mul_k, mul_k_pullback, mul_k_tangent, mul_k_cost, "{0} * {k}", REALS),
    Rule("div_k", scalar_form, array_numeric.div_k, div_k_pullback, div_k_tangent, div_k_cost, "{0} / {k}",
         Domain("a divisor other than 0", k_not_zero)),
    Rule("k_div", scalar_form, array_numeric.k_div, k_div_pullback, k_div_tangent, k_div_cost, "{k} / {0}",
         Domain("a divisor other than 0", entries_not_zero)),

)} | {name: DERIVATIVE_RULES[name] for name in ("ge", "div0")}

TABLE: Rules = {**RULES, **ARRAY_RULES}
"""Every row: what terms of the fragment can name, and what only programs on arrays use."""
