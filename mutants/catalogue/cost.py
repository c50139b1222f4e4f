"""Mutants that cost more and compute the same: pullbacks with needless work, and costlier clauses of the theorem's
transformation.

Cost mutants of clauses, representations and the machine stand beside the others of their target.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

import numpy as np

from mutants.catalogue.rows import OURS, row
from mutants.mutant import Mutant, core, unchanged
from transforms.array_rules import reduce_pullback, spread
from transforms.chad.syntax import Fst, Let, Node, Pair, Prim, Snd, Var
from transforms.chad.target import Apply, Function, LPair, zero
from transforms.chad.transform import Pullback, Where
from transforms.chad.types import LProduct, Type, linear


def ones(m, a):                                 return m.constant(np.ones(m.type_of(a).shape))


# Pullbacks that do more than they need to.

def matmul_by_identity(m, ct, r, a, b):
    """A transpose as a product with the identity, which is materialised."""
    rows, _ = m.type_of(a).shape
    left = m.matmul(m.transpose(a), m.constant(np.eye(rows)))
    return m.matmul(ct, m.transpose(b)), m.matmul(left, ct)


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
    ("primitive", "forward-again", primitive_again, "the result is computed again in the backward part"),
    ("fst", "full-zero", fst_full, "what is not projected receives a full tuple of zeros"),
)

MUTANTS = (
    row("matmul", "by-identity", matmul_by_identity, "a transpose as a product with another matrix", breaks="cost"),
    row("reduce", "by-ones", reduce_by_ones, "multiplies by ones that are materialised", breaks="cost"),
    row("reduce", "keeps-argument", reduce_keeps,
        "a sum's argument is kept for the backward part, which needs its shape alone", breaks="cost"),
    row("broadcast", "quadratic", broadcast_quadratic, "a sum for each copy", breaks="cost",
        source="JuliaDiff/ChainRules.jl#480"),
    *[Mutant(f"core.{name}.{what}", f"core.{name}", "cost", wrong, OURS, unchanged,
             change_core=core(**{name: function}))
      for name, what, function, wrong in CORE],
)
