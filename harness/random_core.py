"""Random programs of the core language, well-typed by construction, with inputs and a cotangent.

They have sums, products, integers, `sign`, nested lets and sharing. Every choice comes from the given generator, so a
seed fixes a program, and hypothesis can shrink one (`st.randoms(use_true_random=False)`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import nan
from random import Random
from typing import Any

from transforms.chad.evaluate import evaluate
from transforms.chad.primitives import IADD, IMUL, INEG, SIGN_OF, TABLE, literal
from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Node, Pair, Prim, Program, Snd, Unit, Var
from transforms.chad.types import INTEGER, REAL, SIGN, UNIT, Product, Sum, Type, coproduct, product
from transforms.chad.values import Left, Right

UNARY = [row for row in TABLE.values() if row.argument is REAL and row.result is REAL]
BINARY = [row for row in TABLE.values() if row.argument is product(REAL, REAL)]
SPECIAL = (0.0, 1.0, -1.0, nan)


@dataclass(frozen=True, slots=True)
class Sample:
    """A program, a value for each variable of its context, and a linear value of its type."""

    program: Program
    inputs: tuple[Any, ...]
    cotangent: Any


def random_sample(random: Random, size: int = 40, variables: int = 4, special: bool = True) -> Sample:
    """A program of roughly `size` constructs in a context of at most that many variables.

    `special` says whether inputs may be zero, one or NaN, where functions have kinks and branches change.
    """
    grower = Grower(random)
    context = tuple(grower.fresh(grower.type(2)) for _ in range(random.randint(0, variables)))
    program = Program(context, grower.term(grower.type(2), context, size))
    inputs = tuple(random_value(random, x.type, special) for x in context)
    primal = evaluate(program.term, dict(zip(context, inputs, strict=True))).value
    return Sample(program, inputs, random_cotangent(random, program.term.type, primal))


def random_value(random: Random, type_: Type, special: bool) -> Any:
    match type_:
        case Product(left=left, right=right):
            return random_value(random, left, special), random_value(random, right, special)
        case Sum(left=left, right=right):
            if random.random() < 0.5:
                return Left(random_value(random, left, special))
            return Right(random_value(random, right, special))
    if type_ is REAL:
        return random.choice(SPECIAL) if special and random.random() < 0.2 else random.uniform(-2.0, 2.0)
    return random.randint(-3, 3) if type_ is INTEGER else ()


def random_cotangent(random: Random, type_: Type, primal: Any) -> Any:
    """A linear value for an output that has this primal: products and sums may be absent."""
    if type_ is REAL:
        return random.uniform(-2.0, 2.0)
    if type_ in (UNIT, INTEGER):
        return ()
    if random.random() < 0.2:
        return None
    match type_, primal:
        case Product(left=left, right=right), (a, b):
            return random_cotangent(random, left, a), random_cotangent(random, right, b)
        case Sum(left=left), Left(value=a):
            return Left(random_cotangent(random, left, a))
        case Sum(right=right), Right(value=b):
            return Right(random_cotangent(random, right, b))
    raise TypeError(f"{primal!r} is not of type {type_}")


class Grower:
    """Grows terms towards a type, with a budget of constructs that the parts share."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = count(1)

    def fresh(self, type_: Type) -> Var:
        return Var(f"x{next(self.numbers)}", type_)

    def type(self, depth: int) -> Type:
        kind = self.random.choice("rrrrriuppps" if depth else "rrriu")
        if kind in "ps":
            left, right = self.type(depth - 1), self.type(depth - 1)
            return product(left, right) if kind == "p" else coproduct(left, right)
        return {"r": REAL, "i": INTEGER, "u": UNIT}[kind]

    def term(self, goal: Type, scope: Sequence[Var], size: int) -> Node:
        if size <= 1:
            return self.leaf(goal, scope)
        kind = self.random.choice(("variable", "let", "let", "case", "projection", *["constructor"] * 5))
        if kind == "variable":
            return self.leaf(goal, scope)
        if kind == "let":
            first, second = self.split(size)
            bound = self.term(self.type(2), scope, first)
            x = self.fresh(bound.type)
            return Let(x, bound, self.term(goal, (*scope, x), second))
        if kind == "case":
            either = SIGN if self.random.random() < 0.5 else coproduct(self.type(1), self.type(1))
            first, rest = self.split(size)
            second, third = self.split(rest)
            x, y = self.fresh(either.left), self.fresh(either.right)
            scrutinee = self.term(either, scope, first)
            left = self.term(goal, (*scope, x), second)
            return Case(scrutinee, x, left, y, self.term(goal, (*scope, y), third))
        if kind == "projection":
            return self.projection(goal, scope, size)
        return self.constructor(goal, scope, size)

    def projection(self, goal: Type, scope: Sequence[Var], size: int) -> Node:
        """Of a variable where one has the goal as a part, else of a new pair."""
        firsts = [Fst(x) for x in scope if isinstance(x.type, Product) and x.type.left is goal]
        seconds = [Snd(x) for x in scope if isinstance(x.type, Product) and x.type.right is goal]
        if firsts or seconds:
            return self.random.choice([*firsts, *seconds])
        if self.random.random() < 0.5:
            return Fst(self.term(product(goal, self.type(1)), scope, size - 1))
        return Snd(self.term(product(self.type(1), goal), scope, size - 1))

    def constructor(self, goal: Type, scope: Sequence[Var], size: int) -> Node:
        first, second = self.split(size)
        if goal is SIGN and self.random.random() < 0.8:
            return Prim(SIGN_OF, self.term(REAL, scope, size - 1))
        match goal:
            case Product(left=left, right=right):
                return Pair(self.term(left, scope, first), self.term(right, scope, second))
            case Sum(left=left, right=right):
                if self.random.random() < 0.5:
                    return Inl(self.term(left, scope, size - 1), right)
                return Inr(self.term(right, scope, size - 1), left)
        if goal is UNIT:
            return Unit()
        unary, binary = ([INEG], [IADD, IMUL]) if goal is INTEGER else (UNARY, BINARY)
        if self.random.random() < 0.3:
            return Prim(self.random.choice(unary), self.term(goal, scope, size - 1))
        return Prim(self.random.choice(binary), self.term(product(goal, goal), scope, size - 1))

    def leaf(self, goal: Type, scope: Sequence[Var]) -> Node:
        """A variable if one fits, else the smallest term that does."""
        fitting = [x for x in scope if x.type is goal]
        if fitting and self.random.random() < 0.9:
            return self.random.choice(fitting)
        match goal:
            case Product(left=left, right=right):
                return Pair(self.leaf(left, scope), self.leaf(right, scope))
            case Sum(left=left, right=right):
                if self.random.random() < 0.5:
                    return Inl(self.leaf(left, scope), right)
                return Inr(self.leaf(right, scope), left)
        if goal is UNIT:
            return Unit()
        return Prim(literal(self.random.uniform(-2.0, 2.0) if goal is REAL else self.random.randint(-3, 3)), Unit())

    def split(self, size: int) -> tuple[int, int]:
        first = self.random.randint(1, max(1, size - 2))
        return first, max(1, size - 1 - first)
