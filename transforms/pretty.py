"""Terms to text that parses back to the same term."""

from __future__ import annotations

import math

import numpy as np

from transforms.syntax import INFIX, Case, Inject, Let, Lit, Match, Op, Program, Sign, Term, Tuple, Var
from transforms.types import INJECTIONS
from transforms.walks import walking

SUM, PRODUCT, UNARY, ATOM = range(4)
"""How tightly a construct binds; an operand that binds less tightly than its place needs parentheses."""
LEVELS = {"add": SUM, "sub": SUM, "mul": PRODUCT, "div": PRODUCT}


def pretty(term: Term) -> str:
    """The term's concrete syntax, one line for each `let` and `case` of its outermost chain."""
    pieces: list[str] = []
    with walking():
        _write(term, pieces, "\n")
    return "".join(pieces)


def pretty_program(program: Program) -> str:
    """The term with a header that gives its context."""
    variables = ", ".join(f"{name}: {type_}" for name, type_ in program.context)
    return f"context: {variables} |-\n{pretty(program.term)}"


def number(value: float) -> str:
    """The shortest text that reads back as the same double; whole numbers without a point."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 and not _is_minus_zero(value) else repr(value)


def _is_minus_zero(value: float) -> bool:
    return value == 0.0 and math.copysign(1.0, value) < 0.0


def _write(term: Term, pieces: list[str], separator: str) -> None:
    while isinstance(term, (Let, Case)):  # a loop: a chain of binders may be long
        if isinstance(term, Let):
            pieces.append(f"let {term.name} = ")
            _write(term.bound, pieces, " ")
            pieces.append(" in" + separator)
        else:
            pieces.append("case ")
            _write(term.bound, pieces, " ")
            pieces.append(f" of <{', '.join(term.names)}> ->" + separator)
        term = term.body
    match term:
        case Var(name=name):
            pieces.append(name)
        case Lit(value=value):
            pieces.append(_array(value) if isinstance(value, np.ndarray) else number(value))
        case Tuple(parts=parts):
            _list("<", parts, ">", pieces)
        case Inject(side=side, arg=arg):
            pieces.append(f"{INJECTIONS[side]} ")
            _operand(arg, UNARY, pieces)
        case Sign(arg=arg):
            pieces.append("sign ")
            _operand(arg, UNARY, pieces)
        case Match(bound=bound, names=names, branches=branches):
            pieces.append("match ")
            _write(bound, pieces, " ")
            pieces.append(f" with inl {names[0]} -> ")
            _write(branches[0], pieces, " ")
            pieces.append(f"{separator}| inr {names[1]} -> ")
            _write(branches[1], pieces, separator)
        case Op(name=name, args=(left, right)) if name in INFIX:
            _operand(left, LEVELS[name], pieces)
            pieces.append(f" {INFIX[name]} ")
            _operand(right, LEVELS[name] + 1, pieces)
        case Op(name="neg", args=(operand,)) if not isinstance(operand, Lit):
            pieces.append("-")
            _operand(operand, UNARY, pieces)
        case Op(name=name, args=args):
            _list(f"{name}(", args, ")", pieces)


def _list(opening: str, terms: tuple[Term, ...], closing: str, pieces: list[str]) -> None:
    pieces.append(opening)
    for k, term in enumerate(terms):
        if k:
            pieces.append(", ")
        _write(term, pieces, " ")
    pieces.append(closing)


def _operand(term: Term, level: int, pieces: list[str]) -> None:
    if _level(term) >= level:
        _write(term, pieces, " ")
    else:
        _list("(", (term,), ")", pieces)


def _level(term: Term) -> int:
    match term:
        case Let() | Case() | Match():
            return -1
        case Inject() | Sign():
            return UNARY
        case Op(name="neg", args=(operand,)) if not isinstance(operand, Lit):
            return UNARY
        case Op(name=name, args=(_, _)) if name in LEVELS:
            return LEVELS[name]
        case _:
            return ATOM


def _array(value: np.ndarray) -> str:
    if value.ndim == 0:
        return number(float(value))
    return f"[{', '.join([_array(entry) for entry in value])}]"
