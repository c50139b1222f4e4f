"""THE table, continued: one row for each operation that pullbacks contain, for gradients are differentiated too.

Terms of the fragment cannot name these operations; programs on arrays may compare with `ge`. The conventions of
`transforms.rules` are kept: a sign and a share of a maximum count as flat, the exponent of a base that is not positive
as constant.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from math import inf

from transforms.rules import AS_CONSTANT, INFINITE, OPERATIONS, REALS, Convention, Minus, Rule, Rules

NOTHING = None
"""What an argument receives that the result does not vary with: a cotangent that never arrived."""


# Hyperbolic functions.                         a receives                              b receives
def cosh_pullback(m, ct, r, a):         return  m.mul(ct, m.sinh(a)),
def sinh_pullback(m, ct, r, a):         return  m.mul(ct, m.cosh(a)),

def cosh_tangent(m, r, a, da):          return  m.mul(m.sinh(a), da)
def sinh_tangent(m, r, a, da):          return  m.mul(m.cosh(a), da)

def cosh_cost(a):                       return  {"sinh": a.size, "mul": a.size}
def sinh_cost(a):                       return  {"cosh": a.size, "mul": a.size}


# Steps, which are flat.
def ge_pullback(m, ct, r, a, b):        return  NOTHING,                                NOTHING
def sgn_pullback(m, ct, r, a):          return  NOTHING,
def share_pullback(m, ct, r, a, b):     return  NOTHING,                                NOTHING

def ge_tangent(m, r, a, b, da, db):     return  m.constant_like(r, 0.0)
def sgn_tangent(m, r, a, da):           return  m.constant_like(r, 0.0)
def share_tangent(m, r, a, b, da, db):  return  m.constant_like(r, 0.0)

def flat_cost(*types):                  return  {}


# Products and quotients that a zero on the left passes through, whatever stands on the right.
def div0_pullback(m, ct, r, a, b):      return  m.div0(ct, b),                          Minus(m.div0(m.mul(ct, r), b))
def mul0_pullback(m, ct, r, a, b):      return  m.mul0(ct, b),                          m.mul(ct, a)
def div0_tangent(m, r, a, b, da, db):   return  m.sub(m.div0(da, b), m.div0(m.mul(db, r), b))
def mul0_tangent(m, r, a, b, da, db):   return  m.add(m.mul0(da, b), m.mul(a, db))
def div0_cost(a, b):                    return  {"div0": 2 * a.size, "mul": a.size}
def mul0_cost(a, b):                    return  {"mul0": a.size, "mul": a.size}


# The derivatives of a^b. With p = b a^(b-1), which is pow_da(a, b), and q = a^b log a, which is pow_db(a, b):
# dp/da = b pow_da(a, b-1), and dp/db = dq/da = a^(b-1) (1 + b log a), which is pow_dadb(a, b), and
# dq/db = q log a, which is pow_dbdb(a, b).
def pow_da_pullback(m, ct, r, a, b):    return  m.mul0(ct, steeper(m, a, b)),           m.mul0(ct, m.pow_dadb(a, b))
def pow_db_pullback(m, ct, r, a, b):    return  m.mul0(ct, m.pow_dadb(a, b)),           m.mul0(ct, m.pow_dbdb(a, b))

def steeper(m, a, b):
    """b (b-1) a^(b-2)."""
    return m.mul0(b, m.pow_da(a, m.sub(b, m.constant_like(b, 1.0))))

def pow_da_tangent(m, r, a, b, da, db):
    return m.add(m.mul0(da, steeper(m, a, b)), m.mul0(db, m.pow_dadb(a, b)))

def pow_db_tangent(m, r, a, b, da, db):
    return m.add(m.mul0(da, m.pow_dadb(a, b)), m.mul0(db, m.pow_dbdb(a, b)))

def pow_da_cost(a, b):
    return {"sub": a.size, "pow_da": a.size, "pow_dadb": a.size, "mul0": 3 * a.size}

def pow_db_cost(a, b):
    return {"pow_dadb": a.size, "pow_dbdb": a.size, "mul0": 2 * a.size}


def row(name, pullback, tangent, cost, *conventions) -> Rule:
    """An operation's row: what it is stands in `OPERATIONS` already."""
    operation = OPERATIONS[name]
    return Rule(name, operation.shape, operation.evaluate, pullback, tangent, cost, operation.c, REALS, conventions)


FLAT = "the jump counts as flat"

DERIVATIVE_RULES: Rules = {rule.name: rule for rule in (
    row("cosh", cosh_pullback, cosh_tangent, cosh_cost),
    row("sinh", sinh_pullback, sinh_tangent, sinh_cost),
    row("ge", ge_pullback, ge_tangent, flat_cost, Convention((2.0, 2.0), (0.0, 0.0), FLAT)),
    row("sgn", sgn_pullback, sgn_tangent, flat_cost, Convention((0.0,), (0.0,), FLAT)),
    row("share", share_pullback, share_tangent, flat_cost, Convention((2.0, 2.0), (0.0, 0.0), FLAT)),
    row("div0", div0_pullback, div0_tangent, div0_cost, Convention((0.0, 0.0), (inf, 0.0), INFINITE)),
    row("mul0", mul0_pullback, mul0_tangent, mul0_cost),
    row("pow_da", pow_da_pullback, pow_da_tangent, pow_da_cost,
        Convention((0.0, 2.0), (2.0, 0.0), AS_CONSTANT), Convention((-3.0, 2.0), (2.0, 0.0), AS_CONSTANT)),
    row("pow_db", pow_db_pullback, pow_db_tangent, pow_db_cost, Convention((0.0, 2.0), (0.0, 0.0), AS_CONSTANT)),
)}
