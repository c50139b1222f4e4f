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
from transforms.chad.syntax import Fst, Let, Node, Pair, Prim, Snd, Unit, Var
from transforms.chad.target import Add, Apply, Bind, Function, LFst, LPair, LSnd, Pure, Scope, zero
from transforms.chad.transform import Pullback, Where
from transforms.chad.types import LProduct, Type, linear
from transforms.rules import Minus


def ones(m, a):                                 return m.constant(np.ones(m.type_of(a).shape))


# Pullbacks that do more than they need to.
def div_twice(m, ct, r, a, b):                  return  m.div(ct, b),             Minus(m.mul(m.div(ct, b), r))
def exp_again(m, ct, r, a):                     return  m.mul(ct, m.exp(a)),

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
    if kind == "sum":
        return m.mul(spread(m, ct, a), ones(m, a)),
    return reduce_pullback(m, ct, r, a, axis=axis, kind=kind)

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

def let_named(term: Any, where: Where, de1: Node, de2: Node) -> Node:
    r"""The part of x is bound to a name before it is passed on: `\[z]s. let p = fst s in (snd z) p`."""
    z, w, d = Var("z", de1.type), Var("w", de2.type), Var("d", linear(term.type))
    scope = Scope(zero(linear(term.x.type)), Apply(Snd(w), d))
    s, p = Var("s", scope.type.result), Var("p", linear(term.x.type))
    body = Bind(scope, Function((z,), s, Let(p, Fst(s), Apply(Snd(z), p))))
    return Let(z, de1, Let(term.x, Fst(z), Let(w, de2, Pair(Fst(w), Function((w, z), d, body)))))

def pair_in_turn(term: Pair, where: Where, de1: Node, de2: Node) -> Node:
    """After the two components nothing is done, which is a computation of its own."""
    both = Pair(de1, de2)
    z, d = Var("z", both.type), Var("d", linear(term.type))
    second, first = Apply(Snd(Snd(z)), LSnd(d)), Apply(Snd(Fst(z)), LFst(d))
    m, u = Var("m", second.type), Var("u", first.type.result)
    v = Var("v", second.type.result)
    last = Bind(m, Function((), v, Pure(where.slots, Unit())))
    back = Let(m, second, Bind(first, Function((m,), u, last)))
    return Let(z, both, Pair(Pair(Fst(Fst(z)), Fst(Snd(z))), Function((z,), d, back)))

def primitive_again(term: Prim, where: Where, de: Node, pullback: Pullback) -> Node:
    """The backpropagator computes the result again, whether the pullback needs it or not."""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    p, c, r = Var("p", term.op.argument), Var("c", linear(term.type)), Var("r", term.type)
    back = Let(p, Fst(z), Let(r, Prim(term.op, p), Let(c, d, pullback(term.op, p, c))))
    return Let(z, de, Pair(Prim(term.op, Fst(z)), Function((z,), d, Apply(Snd(z), back))))

def fst_full(term: Fst, where: Where, de: Node) -> Node:
    """The second component receives a tuple of zeros, not an absent one."""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    back = Apply(Snd(z), LPair(d, full(linear(term.pair.type.right))))
    return Let(z, de, Pair(Fst(Fst(z)), Function((z,), d, back)))

def full(type_: Type) -> Node:
    return LPair(full(type_.left), full(type_.right)) if isinstance(type_, LProduct) else zero(type_)


CORE = (
    ("variable", "zero-first", variable_twice, "a zero is added before the contribution"),
    ("let", "named-part", let_named, "the part of the bound variable is given a name first"),
    ("pair", "in-turn", pair_in_turn, "nothing is done after the two parts, as a third one"),
    ("primitive", "forward-again", primitive_again, "the result is computed again in the backward part"),
    ("fst", "full-zero", fst_full, "what is not projected receives a full tuple of zeros"),
)

MUTANTS = (
    row("div", "quotient-twice", div_twice, "the quotient is computed for each argument", breaks="cost"),
    row("exp", "computed-again", exp_again, "the result is computed again", breaks="cost"),
    row("relu", "masked-twice", relu_twice, "the mask is applied twice", breaks="cost"),
    row("matmul", "by-identity", matmul_by_identity, "a transpose as a product with another matrix", breaks="cost"),
    row("transpose", "thrice", transpose_thrice, "three transposes for one: more lines, no more operations",
        breaks="cost"),
    row("reduce", "by-ones", reduce_by_ones, "multiplies by ones that are materialised", breaks="cost"),
    row("reduce", "keeps-argument", reduce_keeps, "a value is saved of which the shape is enough", breaks="cost"),
    row("broadcast", "quadratic", broadcast_quadratic, "a sum for each copy", breaks="cost",
        source="JuliaDiff/ChainRules.jl#480"),
    *[Mutant(f"core.{name}.{what}", f"core.{name}", "cost", wrong, OURS, unchanged,
             change_core=core(**{name: function}))
      for name, what, function, wrong in CORE],
)
