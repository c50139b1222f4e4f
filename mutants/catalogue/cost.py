"""Mutants that cost more and compute the same: pullbacks with needless work, and costlier clauses of the theorem's
transformation.

Cost mutants of clauses, representations and the machine stand beside the others of their target.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from typing import Any

import numpy as np

from mutants.catalogue.rows import OURS, row
from mutants.mutant import Mutant, core, unchanged
from transforms.array_rules import reduce_pullback, spread
from transforms.chad.syntax import Fst, Let, Node, Pair, Prim, Snd, Var
from transforms.chad.target import Add, Apply, Bind, Function, LFst, LSnd, Scope, zero
from transforms.chad.transform import Pullback, Where
from transforms.chad.types import linear
from transforms.rules import Minus


def ones(m, a):                                 return m.constant(np.ones(m.type_of(a).shape))


# Pullbacks that do more than they need to.
def div_twice(m, ct, r, a, b):                  return  m.div(ct, b),             Minus(m.mul(m.div(ct, b), r))
def neg_by_product(m, ct, r, a):                return  m.mul(ct, m.constant_like(ct, -1.0)),
def exp_again(m, ct, r, a):                     return  m.mul(ct, m.exp(a)),
def sqrt_again(m, ct, r, a):                    return  m.div0(ct, m.add(m.sqrt(a), r)),
def sigmoid_both(m, ct, r, a):                  return  m.mul(m.mul(ct, m.sigmoid(a)), m.sigmoid(m.neg(a))),
def add_by_one(m, ct, r, a, b):                 return  m.mul(ct, m.constant_like(ct, 1.0)), ct

def relu_twice(m, ct, r, a):
    mask = m.ge(a, m.constant_like(a, 0.0))
    return m.mul(m.mul(ct, mask), mask),

def matmul_by_identity(m, ct, r, a, b):
    """A transpose as a product with the identity, which is materialised."""
    rows, _ = m.type_of(a).shape
    left = m.matmul(m.transpose(a), m.constant(np.eye(rows)))
    return m.matmul(ct, m.transpose(b)), m.matmul(left, ct)

def transpose_thrice(m, ct, r, a):              return  m.transpose(m.transpose(m.transpose(ct))),

def reduce_by_ones(m, ct, r, a, *, axis, kind):
    """A sum's cotangent is multiplied by ones to be spread."""
    return (m.mul(spread(m, ct, a), ones(m, a)),) if kind == "sum" else reduce_pullback(m, ct, r, a, axis=axis, kind=kind)

def reduce_keeps(m, ct, r, a, *, axis, kind):
    """A sum's pullback reads the argument, of which it needs the shape alone."""
    if kind == "sum":
        return spread(m, ct, m.transpose(m.transpose(a))),
    return reduce_pullback(m, ct, r, a, axis=axis, kind=kind)

def broadcast_quadratic(m, ct, r, a, *, shape):
    """Each copy receives the sum over the axis, and one of them is taken."""
    sizes = m.type_of(a).shape
    if sizes[0] != shape[0]:
        ct = m.reduce(m.matmul(m.constant(np.ones((shape[0], shape[0]))), ct), axis=0, kind="max")
    if sizes[1] != shape[1]:
        ct = m.reduce(m.matmul(ct, m.constant(np.ones((shape[1], shape[1])))), axis=1, kind="max")
    return ct,


# The theorem's transformation.
def variable_twice(term: Var, where: Where) -> Node:
    r"""`(x_i, \[]d. bind (add i zero) (\[d]u. add i d))`"""
    d, level = Var("d", linear(term.type)), where.levels[term]
    first = Add(where.slots, level, zero(d.type))
    u = Var("u", first.type.result)
    return Pair(term, Function((), d, Bind(first, Function((d,), u, Add(where.slots, level, d)))))

def let_captures(term: Any, where: Where, de1: Node, de2: Node) -> Node:
    """The backpropagator captures the bound variable too."""
    z, w, d = Var("z", de1.type), Var("w", de2.type), Var("d", linear(term.type))
    scope = Scope(zero(linear(term.x.type)), Apply(Snd(w), d))
    s = Var("s", scope.type.result)
    body = Bind(scope, Function((z,), s, Apply(Snd(z), Fst(s))))
    return Let(z, de1, Let(term.x, Fst(z), Let(w, de2, Pair(Fst(w), Function((w, z, term.x), d, body)))))

def pair_inside(term: Pair, where: Where, de1: Node, de2: Node) -> Node:
    """The second component's backpropagator is applied inside the continuation, which captures more."""
    both = Pair(de1, de2)
    z, d = Var("z", both.type), Var("d", linear(term.type))
    first = Apply(Snd(Fst(z)), LFst(d))
    u = Var("u", first.type.result)
    back = Bind(first, Function((z, d), u, Apply(Snd(Snd(z)), LSnd(d))))
    return Let(z, both, Pair(Pair(Fst(Fst(z)), Fst(Snd(z))), Function((z,), d, back)))

def primitive_again(term: Prim, where: Where, de: Node, pullback: Pullback) -> Node:
    """The backward part computes the argument's forward part again."""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    p, c = Var("p", term.op.argument), Var("c", linear(term.type))
    back = Let(p, Fst(z), Let(c, d, pullback(term.op, p, c)))
    value = Prim(term.op, Fst(Let(z, de, z)))
    return Let(z, de, Pair(value, Function((z,), d, Apply(Snd(z), back))))


CORE = (
    ("variable", "zero-first", variable_twice, "a zero is added before the contribution"),
    ("let", "captures-more", let_captures, "the backpropagator captures a variable that it does not use"),
    ("pair", "nested", pair_inside, "the second part runs inside the continuation of the first"),
    ("primitive", "forward-again", primitive_again, "the forward part of each argument is computed twice"),
)

MUTANTS = (
    row("div", "quotient-twice", div_twice, "the quotient is computed for each argument", breaks="cost"),
    row("neg", "by-product", neg_by_product, "multiplies by -1 instead of subtracting", breaks="cost"),
    row("exp", "computed-again", exp_again, "the result is computed again", breaks="cost"),
    row("sqrt", "computed-again", sqrt_again, "the result is computed again", breaks="cost"),
    row("sigmoid", "both-computed", sigmoid_both, "the result is computed again", breaks="cost"),
    row("add", "by-one", add_by_one, "multiplies by 1", breaks="cost"),
    row("relu", "masked-twice", relu_twice, "the mask is applied twice", breaks="cost"),
    row("matmul", "by-identity", matmul_by_identity, "a transpose as a product with a matrix of its own", breaks="cost"),
    row("transpose", "thrice", transpose_thrice, "three transposes for one: more lines, no more operations",
        breaks="cost"),
    row("reduce", "by-ones", reduce_by_ones, "multiplies by ones that are materialised", breaks="cost"),
    row("reduce", "keeps-argument", reduce_keeps, "a value is saved of which the shape is enough", breaks="cost"),
    row("broadcast", "quadratic", broadcast_quadratic, "a sum for each copy", breaks="cost",
        source="JuliaDiff/ChainRules.jl#480"),
    *[Mutant(f"core.{name}.{what}", f"core.{name}", "cost", wrong, OURS, unchanged, change_core=core(**{name: function}))
      for name, what, function, wrong in CORE],
)
