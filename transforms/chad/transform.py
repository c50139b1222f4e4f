r"""The transformation D: a source term becomes the pair of its primal and its backpropagator.

The backpropagator is a function from a cotangent of the output to a computation that adds to the context's slots what
each variable receives. D is compositional: a clause is given the source term, its scope, and D of each sub-term, and
returns the target term that its docstring shows, in the notation `\[captured]x. body`. Clauses are data: a `Clauses`
with one of them replaced is another transformation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from transforms.chad.primitives import LNEG, SCALE, SCALE0, Primitive
from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Node, Pair, Prim, Program, Snd, Unit, Var
from transforms.chad.target import (
    Add,
    Apply,
    Bind,
    Function,
    LCastL,
    LCastR,
    LFst,
    LInl,
    LInr,
    LPair,
    LSnd,
    LUnit,
    Pure,
    Run,
    Scope,
    zero,
)
from transforms.chad.trampoline import Call, run
from transforms.chad.types import LREAL, NO_SLOTS, Slots, Type, extend, linear

Pullback = Callable[[Primitive, Node, Node], Node]


@dataclass(frozen=True, slots=True, eq=False)
class Where:
    """Where a term stands: the slots in scope, and the level of each variable's slot."""

    slots: Slots
    levels: dict[Var, int]

    def inside(self, x: Var) -> Where:
        """In the scope of x too. The levels are shared: outside of its scope nothing asks for x."""
        self.levels[x] = self.slots.size
        return Where(extend(self.slots, linear(x.type)), self.levels)


@dataclass(frozen=True, slots=True, eq=False)
class Clauses:
    """One clause per source construct, and for each primitive (literals are one) the pullback that its clause uses."""

    variable: Callable[[Var, Where], Node]
    unit: Callable[[Unit, Where], Node]
    let: Callable[[Let, Where, Node, Node], Node]
    primitive: Callable[[Prim, Where, Node, Pullback], Node]
    pair: Callable[[Pair, Where, Node, Node], Node]
    fst: Callable[[Fst, Where, Node], Node]
    snd: Callable[[Snd, Where, Node], Node]
    inl: Callable[[Inl, Where, Node], Node]
    inr: Callable[[Inr, Where, Node], Node]
    case: Callable[[Case, Where, Node, Node, Node], Node]
    pullbacks: Mapping[str, Pullback]


def whole(program: Program, d: Var, clauses: Clauses) -> Node:
    """`run ((snd (D t)) d) env0`: the context's cotangent, accumulated from zeros. d is one more free variable."""
    environment: Node = Unit()
    for x in reversed(program.context):
        environment = Pair(zero(linear(x.type)), environment)
    return Run(Apply(Snd(transform(program, clauses)), d), environment)


def transform(program: Program, clauses: Clauses) -> Node:
    """D of a checked source program. Raises IllTyped where wrong clauses make an ill-typed term."""
    where = Where(NO_SLOTS, {})
    for x in program.context:
        where = where.inside(x)
    return run(_derive(program.term, where, clauses))


def _derive(term: Node, where: Where, clauses: Clauses) -> Call:
    derived: list[Any] = []
    for part, x in term.parts():
        derived.append((yield _derive(part, where.inside(x) if x else where, clauses)))
    if isinstance(term, Prim):
        derived.append(clauses.pullbacks[term.op.name])
    return getattr(clauses, CLAUSE[type(term)])(term, where, *derived)


def variable(term: Var, where: Where) -> Node:
    r"""`(x_i, \[]d. add i d)`"""
    d = Var("d", linear(term.type))
    return Pair(term, Function((), d, Add(where.slots, where.levels[term], d)))


def unit(term: Unit, where: Where) -> Node:
    r"""`((), \[]d. pure ())`"""
    d = Var("d", linear(term.type))
    return Pair(Unit(), Function((), d, Pure(where.slots, Unit())))


def let(term: Let, where: Where, de1: Node, de2: Node) -> Node:
    r"""`let z = D e1 in let x = fst z in let w = D e2 in
    (fst w, \[w,z]d. bind (scope zero ((snd w) d)) (\[z]s. (snd z)(fst s)))`
    """
    z, w, d = Var("z", de1.type), Var("w", de2.type), Var("d", linear(term.type))
    scope = Scope(zero(linear(term.x.type)), Apply(Snd(w), d))
    s = Var("s", scope.type.result)
    body = Bind(scope, Function((z,), s, Apply(Snd(z), Fst(s))))
    return Let(z, de1, Let(term.x, Fst(z), Let(w, de2, Pair(Fst(w), Function((w, z), d, body)))))


def primitive(term: Prim, where: Where, de: Node, pullback: Pullback) -> Node:
    r"""`let z = D e in (op (fst z), \[z]d. (snd z)(let p = fst z in let c = d in pullback))`"""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    p, c = Var("p", term.op.argument), Var("c", linear(term.type))
    back = Let(p, Fst(z), Let(c, d, pullback(term.op, p, c)))
    return Let(z, de, Pair(Prim(term.op, Fst(z)), Function((z,), d, Apply(Snd(z), back))))


def pair(term: Pair, where: Where, de1: Node, de2: Node) -> Node:
    r"""`let z = (D e1, D e2) in
    ((fst (fst z), fst (snd z)),
     \[z]d. let m = (snd (snd z))(lsnd d) in bind ((snd (fst z))(lfst d)) (\[m]u. m))`
    """
    both = Pair(de1, de2)
    z, d = Var("z", both.type), Var("d", linear(term.type))
    second = Apply(Snd(Snd(z)), LSnd(d))
    first = Apply(Snd(Fst(z)), LFst(d))
    m, u = Var("m", second.type), Var("u", first.type.result)
    back = Let(m, second, Bind(first, Function((m,), u, m)))
    return Let(z, both, Pair(Pair(Fst(Fst(z)), Fst(Snd(z))), Function((z,), d, back)))


def fst(term: Fst, where: Where, de: Node) -> Node:
    r"""`let z = D e in (fst (fst z), \[z]d. (snd z)(lpair d zero))`"""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    back = Apply(Snd(z), LPair(d, zero(linear(term.pair.type.right))))
    return Let(z, de, Pair(Fst(Fst(z)), Function((z,), d, back)))


def snd(term: Snd, where: Where, de: Node) -> Node:
    r"""`let z = D e in (snd (fst z), \[z]d. (snd z)(lpair zero d))`"""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    back = Apply(Snd(z), LPair(zero(linear(term.pair.type.left)), d))
    return Let(z, de, Pair(Snd(Fst(z)), Function((z,), d, back)))


def inl(term: Inl, where: Where, de: Node) -> Node:
    r"""`let z = D e in (inl (fst z), \[z]d. (snd z)(lcastl d))`"""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    return Let(z, de, Pair(Inl(Fst(z), term.other), Function((z,), d, Apply(Snd(z), LCastL(d)))))


def inr(term: Inr, where: Where, de: Node) -> Node:
    r"""`let z = D e in (inr (fst z), \[z]d. (snd z)(lcastr d))`"""
    z, d = Var("z", de.type), Var("d", linear(term.type))
    return Let(z, de, Pair(Inr(Fst(z), term.other), Function((z,), d, Apply(Snd(z), LCastR(d)))))


def case(term: Case, where: Where, de: Node, de1: Node, de2: Node) -> Node:
    r"""`let z = D e in case fst z of
    inl x -> let w = D e1 in
             (fst w, \[w,z]d. bind (scope zero ((snd w) d)) (\[z]s. (snd z)(linl (fst s))))
    inr y -> let w = D e2 in
             (fst w, \[w,z]d. bind (scope zero ((snd w) d)) (\[z]s. (snd z)(linr (fst s))))`
    """
    z = Var("z", de.type)

    def branch(x: Var, dei: Node, inject: Callable[[Node, Type], Node], other: Type) -> Node:
        w, d = Var("w", dei.type), Var("d", linear(term.type))
        scope = Scope(zero(linear(x.type)), Apply(Snd(w), d))
        s = Var("s", scope.type.result)
        body = Bind(scope, Function((z,), s, Apply(Snd(z), inject(Fst(s), linear(other)))))
        return Let(w, dei, Pair(Fst(w), Function((w, z), d, body)))

    left = branch(term.x, de1, LInl, term.y.type)
    right = branch(term.y, de2, LInr, term.x.type)
    return Let(z, de, Case(Fst(z), term.x, left, term.y, right))


# Pullbacks: what a primitive's argument receives, in terms of the primal p of the argument and the cotangent c.


def of_add(op: Primitive, p: Node, c: Node) -> Node:
    return LPair(c, c)


def of_mul(op: Primitive, p: Node, c: Node) -> Node:
    return LPair(Prim(SCALE, Pair(c, Snd(p))), Prim(SCALE, Pair(c, Fst(p))))


def of_neg(op: Primitive, p: Node, c: Node) -> Node:
    return Prim(LNEG, c)


def of_unary(op: Primitive, p: Node, c: Node) -> Node:
    (d1,) = op.derivatives
    return Prim(SCALE, Pair(c, Prim(d1, p)))


def of_sqrt(op: Primitive, p: Node, c: Node) -> Node:
    """As `of_unary`, where a zero cotangent passes zero through an infinite derivative."""
    (d1,) = op.derivatives
    return Prim(SCALE0, Pair(c, Prim(d1, p)))


def of_binary(op: Primitive, p: Node, c: Node) -> Node:
    d1, d2 = op.derivatives
    return LPair(Prim(SCALE, Pair(c, Prim(d1, p))), Prim(SCALE, Pair(c, Prim(d2, p))))


def of_pow(op: Primitive, p: Node, c: Node) -> Node:
    """As `of_binary`, where a zero cotangent passes zero through an infinite derivative."""
    d1, d2 = op.derivatives
    return LPair(Prim(SCALE0, Pair(c, Prim(d1, p))), Prim(SCALE0, Pair(c, Prim(d2, p))))


def of_sign(op: Primitive, p: Node, c: Node) -> Node:
    return zero(LREAL)


def of_discrete(op: Primitive, p: Node, c: Node) -> Node:
    return LUnit()


def of_discrete_pair(op: Primitive, p: Node, c: Node) -> Node:
    return LPair(LUnit(), LUnit())


# fmt: off
CLAUSE = {
    Var: "variable", Unit: "unit", Let: "let", Prim: "primitive", Pair: "pair",
    Fst: "fst", Snd: "snd", Inl: "inl", Inr: "inr", Case: "case",
}

EFFICIENT = Clauses(
    variable, unit, let, primitive, pair, fst, snd, inl, inr, case,
    pullbacks={
        "literal": of_discrete, "add": of_add, "mul": of_mul, "neg": of_neg, "sign": of_sign,
        "iadd": of_discrete_pair, "imul": of_discrete_pair, "ineg": of_discrete,
        "div": of_binary, "pow": of_pow, "max": of_binary, "min": of_binary,
        "sin": of_unary, "cos": of_unary, "exp": of_unary, "log": of_unary, "sqrt": of_sqrt,
        "tanh": of_unary, "sigmoid": of_unary, "abs": of_unary, "relu": of_unary,
    },
)
"""The transformation of the theorem."""
# fmt: on
