"""Programs unrolled into scalar operations, for the reference: a tape, and running it in high precision.

Primitives are mpmath's functions; no code is shared with the rules.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import ceil, isfinite, log, log2
from typing import Any

from mpmath import mp, mpf

from harness.nests import leaves
from harness.reference_arrays import combined
from transforms.syntax import BINDERS, Case, Inject, Let, Lit, Match, Op, Program, Sign, Term, Tuple, Var
from transforms.types import Injected

SPREAD = 2400
"""The largest spread that is taken into account, in bits."""


class Undefined(ArithmeticError):
    """A primitive outside its domain, or a derivative that does not exist."""


Entry = float | mpf | tuple[str, tuple[int, ...]]
"""One scalar of a tape: given, or a primitive applied to earlier scalars, by position."""

Nest = Any
"""Something for each scalar of a value: tuples for products, lists for the axes of arrays, injected for sums."""


def _div(a: mpf, b: mpf) -> mpf:
    if not b:
        raise Undefined("division by 0")
    return a / b


def _log(a: mpf) -> mpf:
    if a <= 0:
        raise Undefined("the logarithm of a number that is not positive")
    return mp.ln(a)  # type: ignore[return-value]


def _sqrt(a: mpf) -> mpf:
    if a < 0:
        raise Undefined("the square root of a negative number")
    return mp.sqrt(a)  # type: ignore[return-value]


def _pow(a: mpf, b: mpf) -> mpf:
    if a < 0 and not mp.isint(b):
        raise Undefined("a negative number to a power that is not whole")
    if not a and b < 0:
        raise Undefined("0 to a negative power")
    return a**b


PRIMITIVES: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _div,
    "neg": operator.neg,
    "sin": mp.sin,
    "cos": mp.cos,
    "exp": mp.exp,
    "log": _log,
    "sqrt": _sqrt,
    "pow": _pow,
    "tanh": mp.tanh,
    "sigmoid": lambda a: 1 / (1 + mp.exp(-a)),
    "abs": abs,
    "max": max,
    "min": min,
    "relu": lambda a: a if a > 0 else mpf(0),
    "ge": lambda a, b: mpf(a >= b),
    "div0": lambda a, b: _div(a, b) if a else mpf(0),
}

KINKED = ("abs", "max", "min", "relu")

TAIL = {"tanh": 2 / log(2), "sigmoid": 1 / log(2)}
"""Primitives that differ from a constant by about 2^-(rate * |a|) at a, which is lost unless it counts as a number."""


def unroll(term: Term, scope: dict[str, Nest], tape: list[Entry]) -> Nest:
    """Append the operations of `term` to the tape, and say where its scalars stand. `scope` is left as it was."""
    hidden: list[tuple[str, Nest]] = []
    while isinstance(term, BINDERS):  # a loop: a chain of binders may be long
        bound = unroll(term.bound, scope, tape)
        match term:
            case Let(name=name, body=body):
                pairs = [(name, bound)]
            case Case(names=names, body=body):
                pairs = zip(names, bound, strict=True)
            case Match(names=names, branches=branches):
                pairs, body = [(names[bound.side], bound.value)], branches[bound.side]
        for name, part in pairs:
            hidden.append((name, scope.get(name)))
            scope[name] = part
        term = body
    match term:
        case Var(name=name):
            result = scope[name]
        case Lit(value=value):
            result = enter(tape, value)
        case Tuple(parts=parts):
            result = tuple([unroll(part, scope, tape) for part in parts])
        case Inject(side=side, arg=arg):
            result = Injected(side, unroll(arg, scope, tape))
        case Sign(arg=arg):
            result = sign(tape, unroll(arg, scope, tape))
        case Op(name=name, args=args, statics=statics):
            nests = tuple([unroll(arg, scope, tape) for arg in args])
            result = combined(name, nests, dict(statics), partial(_apply, tape), partial(enter, tape))
    for name, part in reversed(hidden):
        scope[name] = part
    return result


def _apply(tape: list[Entry], name: str, *args: int) -> int:
    """A primitive on scalars."""
    tape.append((name, args))
    return len(tape) - 1


def sign(tape: list[Entry], position: int) -> Injected:
    """The sign of a number on the tape: negative or positive on the left, zero on the right."""
    with mp.workprec(2 * spread_of(tape) + bits_for(30)):
        number = run(tape)[position]
    return Injected(0, Injected(int(number > 0), ())) if number else Injected(1, ())


def enter(tape: list[Entry], value: Any) -> Nest:
    if isinstance(value, Injected):
        return Injected(value.side, enter(tape, value.value))
    if hasattr(value, "tolist"):  # an array of doubles
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return type(value)([enter(tape, part) for part in value])
    tape.append(checked(value))
    return len(tape) - 1


def checked(value: Any) -> float:
    if not isinstance(value, float) or not isfinite(value):
        raise TypeError(f"expected a finite float, found {value!r}")
    return value


def unrolled(
    program: Program, point: Mapping[str, Any], cotangent: Any
) -> tuple[list[Entry], dict[str, Nest], list[int], list[float]]:
    """A program's tape, where its inputs and its results stand on it, and the cotangents of the results."""
    tape: list[Entry] = []
    inputs = {name: enter(tape, point[name]) for name, _ in program.context}
    outputs = list(leaves(unroll(program.term, dict(inputs), tape)))
    weights: list[Any] = []
    enter(weights, cotangent)
    return tape, inputs, outputs, weights


def mapped(function: Callable[[Any], Any], nest: Nest) -> Nest:
    if isinstance(nest, Injected):
        return Injected(nest.side, mapped(function, nest.value))
    if isinstance(nest, (tuple, list)):
        return type(nest)([mapped(function, part) for part in nest])
    return function(nest)


def run(tape: list[Entry]) -> list[mpf]:
    """The numbers on the tape, at the working precision."""
    values: list[mpf] = []
    for entry in tape:
        if isinstance(entry, tuple):
            name, places = entry
            values.append(PRIMITIVES[name](*[values[place] for place in places]))
        else:
            values.append(mpf(entry))
    return values


def reached_from(tape: list[Entry], inputs: Iterable[int]) -> list[int]:
    """The operations that depend on the inputs, in order."""
    varies = set(inputs)
    reached = []
    for position, entry in enumerate(tape):
        if isinstance(entry, tuple) and not varies.isdisjoint(entry[1]):
            varies.add(position)
            reached.append(position)
    return reached


def bits_for(digits: int) -> int:
    return ceil(digits * log2(10)) + 30


def spread_of(tape: list[Entry]) -> int:
    """The bits from the largest to the smallest non-zero number on the tape; see the top of this module."""
    with mp.workdps(20):
        values = run(tape)
    sizes = [0, *(mp.mag(value) for value in values if value)]
    for entry in tape:
        if isinstance(entry, tuple) and entry[0] in TAIL:
            sizes.append(-TAIL[entry[0]] * float(abs(values[entry[1][0]])))
    return ceil(min(max(sizes) - min(sizes), SPREAD))
