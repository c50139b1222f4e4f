"""Gradients of core programs by finite differences in many digits, independent of the transformation.

Values are evaluated with mpmath, by a recursion of its own and with primitives of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mpmath
from mpmath import mp, mpf

from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Node, Pair, Prim, Program, Snd, Unit, Var
from transforms.chad.types import REAL, Product, Sum, Type
from transforms.chad.values import Left, Right

DIGITS = 60
STEP = "1e-20"
LARGEST = 1e50
"""Beyond it a value counts as undefined: a tower of exponentials would otherwise take all memory."""


class Undefined(Exception):
    """The function has no value here, or no derivative that differences could show."""


REALS = {
    "neg": lambda a: -a,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sqrt": mpmath.sqrt,
    "tanh": mpmath.tanh,
    "sigmoid": lambda a: 1 / (1 + mpmath.exp(-a)),
    "abs": abs,
    "relu": lambda a: max(a, mpf(0)),
    "add": lambda p: p[0] + p[1],
    "mul": lambda p: p[0] * p[1],
    "div": lambda p: p[0] / p[1],
    "pow": lambda p: mpmath.power(*p),
    "max": max,
    "min": min,
}
OTHERS = {
    "iadd": sum,
    "imul": lambda p: p[0] * p[1],
    "ineg": lambda n: -n,
    "sign": lambda a: Left(Left(())) if a < 0 else Left(Right(())) if a > 0 else Right(()),
}


def gradient(program: Program, inputs: Sequence[Any], cotangent: Any) -> list[float]:
    """The derivative of <cotangent, program> by each real in the inputs, in their order.

    Raises Undefined where the value is not finite or the differences on the two sides disagree (a kink or a jump).
    """
    with mp.workdps(DIGITS):
        h = mpf(STEP)
        point = [mpf(a) for x, v in zip(program.context, inputs, strict=True) for a in reals(x.type, v)]

        def at(k: int, change: Any) -> Any:
            moved = iter([a + change if j == k else a for j, a in enumerate(point)])
            scope = {x: _replaced(x.type, v, moved) for x, v in zip(program.context, inputs, strict=True)}
            return _contraction(program.term.type, cotangent, value(program.term, scope))

        slopes = []
        for k in range(len(point)):
            below, here, above = at(k, -h), at(k, mpf(0)), at(k, h)
            slope = (above - below) / (2 * h)
            if abs(above - 2 * here + below) / h > 1e-9 * (1 + abs(slope)):
                raise Undefined
            slopes.append(float(slope))
        return slopes


def value(term: Node, scope: dict[Var, Any]) -> Any:
    """The value of a source term, its reals mpmath numbers. Raises Undefined where it is not finite."""
    match term:
        case Var():
            return scope[term]
        case Unit():
            return ()
        case Prim(op=op, argument=argument):
            return _applied(op.name, value(argument, scope), op)
        case Pair(left=left, right=right):
            return value(left, scope), value(right, scope)
        case Fst(pair=pair):
            return value(pair, scope)[0]
        case Snd(pair=pair):
            return value(pair, scope)[1]
        case Inl(value=inner):
            return Left(value(inner, scope))
        case Inr(value=inner):
            return Right(value(inner, scope))
        case Let(x=x, bound=bound, body=body):
            return value(body, {**scope, x: value(bound, scope)})
        case Case(scrutinee=scrutinee, x=x, left=left, y=y, right=right):
            either = value(scrutinee, scope)
            if isinstance(either, Left):
                return value(left, {**scope, x: either.value})
            return value(right, {**scope, y: either.value})
    raise TypeError(f"expected a source term, found {term!r}")


def reals(type_: Type, of: Any) -> Iterator[Any]:
    """The reals in a value of a source type, from left to right."""
    match type_, of:
        case Product(left=left, right=right), (a, b):
            yield from reals(left, a)
            yield from reals(right, b)
        case Sum(left=left), Left(value=a):
            yield from reals(left, a)
        case Sum(right=right), Right(value=b):
            yield from reals(right, b)
    if type_ is REAL:
        yield of


def cotangents(type_: Type, linear: Any, of: Any) -> Iterator[float]:
    """The cotangents of the reals in a value, in the order of `reals`: zeros where the linear value is absent."""
    if linear is None:
        yield from (0.0 for _ in reals(type_, of))
        return
    match type_, of:
        case Product(left=left, right=right), (a, b):
            yield from cotangents(left, linear[0], a)
            yield from cotangents(right, linear[1], b)
        case Sum(left=left), Left(value=a):
            yield from cotangents(left, linear.value, a)
        case Sum(right=right), Right(value=b):
            yield from cotangents(right, linear.value, b)
    if type_ is REAL:
        yield linear


def _applied(name: str, argument: Any, op: Any) -> Any:
    if name == "literal":
        constant = op.function(())
        return mpf(constant) if op.result is REAL else constant
    if name in OTHERS:
        return OTHERS[name](argument)
    try:
        result = REALS[name](argument)
    except ZeroDivisionError:
        raise Undefined from None
    if not isinstance(result, mpf) or not abs(result) < LARGEST:
        raise Undefined
    return result


def _replaced(type_: Type, of: Any, numbers: Iterator[Any]) -> Any:
    """A value with its reals replaced, from left to right."""
    match type_, of:
        case Product(left=left, right=right), (a, b):
            first = _replaced(left, a, numbers)
            return first, _replaced(right, b, numbers)
        case Sum(left=left), Left(value=a):
            return Left(_replaced(left, a, numbers))
        case Sum(right=right), Right(value=b):
            return Right(_replaced(right, b, numbers))
    return next(numbers) if type_ is REAL else of


def _contraction(type_: Type, cotangent: Any, of: Any) -> Any:
    pairs = zip(cotangents(type_, cotangent, of), reals(type_, of), strict=True)
    return sum((mpf(d) * a for d, a in pairs), mpf(0))
