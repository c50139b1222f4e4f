"""The independent reference: values and derivatives of programs in high precision.

It shares no code with the rules, the macro, the representations or the machines: primitives are mpmath's functions, and
a derivative is a difference quotient of values. A program is first unrolled into a tape of scalar operations along the
branches that it takes at the point; values are computed by running the tape.

Why the differences are right to the digits that are asked for. mpmath's exponents are unlimited, so nothing overflows
or underflows, and three sources of error remain:

- *Absorption*: next to 1e300, a change of 1e-300 vanishes without a trace. The *spread* is the number of bits from the
  largest to the smallest non-zero number that occurs (1 and the tails of tanh and sigmoid included); with the step's
  bits and twice the spread added to the working precision, no such change is lost, nor is its square (cos near 0).
- *Truncation*: the step is 2^-k times the input, where k is the digits wanted plus the spread.
- *Cancellation* of results leaves noise. It is seen, as truncation is, when the slopes to the right and to the left
  differ: they must agree to the digits wanted, or else k and the precision are doubled. They are taken over unequal
  steps, so that they differ for odd functions too, and the ratio of the steps is the golden one, which whole multiples
  of a rounding unit cannot imitate. Slopes that vanish as k grows belong to a derivative that is 0, slopes that do not
  belong to none.

Contributions more than 2^SPREAD times smaller than the largest number that occurs may count as nothing: they are beyond
the range of doubles.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial as bound_to
from math import ceil, isfinite, log, log2
from typing import Any

from mpmath import mp, mpf

from harness.reference_arrays import combined
from transforms.syntax import Case, Inject, Let, Lit, Match, Op, Program, Sign, Term, Tuple, Var
from transforms.types import Injected

SPREAD = 2400
"""The largest spread that is taken into account, in bits."""

ATTEMPTS = 4
"""How often a step is chosen before a derivative is said not to exist."""


class Undefined(ArithmeticError):
    """A primitive outside its domain, or a derivative that does not exist."""


Entry = float | mpf | tuple[str, tuple[int, ...]]
"""One scalar of a tape: given, or a primitive applied to earlier scalars, by position."""

Nest = Any
"""Something for each scalar of a value: tuples for products, lists for the axes of arrays, injected for sums."""


def evaluate(term: Term, env: Mapping[str, Any], *, digits: int = 30) -> Nest:
    """The value of `term`, right to `digits` decimal digits unless more than the spread's digits cancel.

    `env` gives each free variable a finite float, a tuple of such values, an injected one or an array of doubles.
    Tuples come back as tuples, injected values as such, arrays as nested lists. Raises Undefined outside a primitive's
    domain, KeyError for an unknown name.
    """
    tape: list[Entry] = []
    result = _unroll(term, {name: _enter(tape, value) for name, value in env.items()}, tape)
    with mp.workprec(2 * _spread(tape) + _bits(digits)):
        values = _run(tape)
    return _mapped(values.__getitem__, result)


def vjp(program: Program, point: Mapping[str, Any], cotangent: Any, *, digits: int = 25) -> dict[str, Nest]:
    """The transposed Jacobian of a program at `point`, applied to `cotangent`: one difference quotient for each input.

    `point` is as for `evaluate`, `cotangent` has the shape of the result, and the answer that of the point. Every entry
    is right to `digits` decimal digits. Raises Undefined outside a primitive's domain, at kinks and at infinite slopes.
    """
    tape, inputs, outputs, weights = _whole(program, point, cotangent)
    slopes = _slopes(tape, _leaves(inputs.values()), outputs, weights, digits)
    return {name: _mapped(slopes.__getitem__, nest) for name, nest in inputs.items()}


def hessian_product(
    program: Program, point: Mapping[str, Any], direction: Mapping[str, Any], *, digits: int = 20
) -> dict[str, Nest]:
    """The Hessian of a program of one real result at `point`, times a direction of the point's shape.

    Second differences of the value, along the direction and each input, right to about `digits` decimal digits where
    the numbers that occur are moderate and the program is smooth. Raises Undefined outside a primitive's domain.
    """
    tape, inputs, outputs, _ = _whole(program, point, 1.0)
    steps: list[Any] = []
    along = {name: _enter(steps, direction[name]) for name, _ in program.context}
    toward = dict(zip(_leaves(inputs.values()), (steps[place] for place in _leaves(along.values())), strict=True))
    k = _bits(digits)
    with mp.workprec(8 * k + 2 * _spread(tape)):
        h = mp.ldexp(1, -2 * k)

        def value(by: int, one: int, two: int) -> mpf:
            """The value, a step along the direction `one` times and one in the input `by` `two` times."""
            moved = [
                entry if isinstance(entry, tuple) else mpf(entry) + h * (one * toward.get(at, 0) + two * (at == by))
                for at, entry in enumerate(tape)
            ]
            return _run(moved)[outputs[0]]

        def entry(by: int) -> mpf:
            return (value(by, 1, 1) - value(by, -1, 1) - value(by, 1, -1) + value(by, -1, -1)) / (4 * h * h)

        return {name: _mapped(entry, nest) for name, nest in inputs.items()}


def magnitude(program: Program, point: Mapping[str, Any], cotangent: Any) -> dict[str, Nest]:
    """The sum of absolute contributions to each entry of the context cotangent, as floats in the shape of the point.

    It is the sum, over all paths from the input to the results, of the product of |cotangent| and the absolute partial
    derivatives along the path: the scale of the rounding errors that summing the contributions makes. At a kink of abs,
    relu, max or min the larger of the one-sided slopes counts. Raises Undefined as `vjp` does, but only where a
    cotangent other than 0 arrives.
    """
    tape, inputs, outputs, weights = _whole(program, point, cotangent)
    with mp.workprec(2 * _spread(tape) + _bits(20)):
        values = _run(tape)
    given = list(_leaves(inputs.values()))
    varies = set(given) | set(_reached(tape, given))
    arrived = [mpf(0)] * len(tape)
    for position, weight in zip(outputs, weights, strict=True):
        arrived[position] += abs(weight)
    for position in range(len(tape) - 1, -1, -1):
        entry = tape[position]
        if isinstance(entry, tuple) and arrived[position]:
            name, places = entry
            for j, place in enumerate(places):
                if place in varies:
                    arrived[place] += arrived[position] * _steepness(name, [values[p] for p in places], j)
    return {name: _mapped(lambda position: float(arrived[position]), nest) for name, nest in inputs.items()}


def partial(name: str, args: Iterable[float], j: int, *, digits: int = 30) -> mpf:
    """The derivative of a primitive by its argument `j` (from 0) at finite floats, to `digits` decimal digits.

    Raises Undefined where it does not exist. Where it is below 2^-SPREAD it may be 0.
    """
    return _partial(name, [mpf(_checked(arg)) for arg in args], j, digits)


# Primitives.


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


# The tape.


def _unroll(term: Term, scope: dict[str, Nest], tape: list[Entry]) -> Nest:
    """Append the operations of `term` to the tape, and say where its scalars stand. `scope` is left as it was."""
    hidden: list[tuple[str, Nest]] = []
    while isinstance(term, (Let, Case, Match)):  # a loop: a chain of binders may be long
        bound = _unroll(term.bound, scope, tape)
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
            result = _enter(tape, value)
        case Tuple(parts=parts):
            result = tuple([_unroll(part, scope, tape) for part in parts])
        case Inject(side=side, arg=arg):
            result = Injected(side, _unroll(arg, scope, tape))
        case Sign(arg=arg):
            result = _sign(tape, _unroll(arg, scope, tape))
        case Op(name=name, args=args, statics=statics):
            nests = tuple([_unroll(arg, scope, tape) for arg in args])
            result = combined(name, nests, dict(statics), bound_to(_apply, tape), bound_to(_enter, tape))
    for name, part in reversed(hidden):
        scope[name] = part
    return result


def _apply(tape: list[Entry], name: str, *args: int) -> int:
    """A primitive on scalars."""
    tape.append((name, args))
    return len(tape) - 1


def _sign(tape: list[Entry], position: int) -> Injected:
    """The sign of a number on the tape: negative or positive on the left, zero on the right."""
    with mp.workprec(2 * _spread(tape) + _bits(30)):
        number = _run(tape)[position]
    return Injected(0, Injected(int(number > 0), ())) if number else Injected(1, ())


def _enter(tape: list[Entry], value: Any) -> Nest:
    if isinstance(value, Injected):
        return Injected(value.side, _enter(tape, value.value))
    if hasattr(value, "tolist"):  # an array of doubles
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return type(value)([_enter(tape, part) for part in value])
    tape.append(_checked(value))
    return len(tape) - 1


def _checked(value: Any) -> float:
    if not isinstance(value, float) or not isfinite(value):
        raise TypeError(f"expected a finite float, found {value!r}")
    return value


def _whole(
    program: Program, point: Mapping[str, Any], cotangent: Any
) -> tuple[list[Entry], dict[str, Nest], list[int], list[float]]:
    """A program's tape, where its inputs and its results stand on it, and the cotangents of the results."""
    tape: list[Entry] = []
    inputs = {name: _enter(tape, point[name]) for name, _ in program.context}
    outputs = list(_leaves(_unroll(program.term, dict(inputs), tape)))
    weights: list[Any] = []
    _enter(weights, cotangent)
    return tape, inputs, outputs, weights


def _leaves(nest: Nest) -> Iterator[Any]:
    while isinstance(nest, Injected):
        nest = nest.value
    if isinstance(nest, Iterable):
        for part in nest:
            yield from _leaves(part)
    else:
        yield nest


def _mapped(function: Callable[[Any], Any], nest: Nest) -> Nest:
    if isinstance(nest, Injected):
        return Injected(nest.side, _mapped(function, nest.value))
    if isinstance(nest, (tuple, list)):
        return type(nest)([_mapped(function, part) for part in nest])
    return function(nest)


def _run(tape: list[Entry]) -> list[mpf]:
    """The numbers on the tape, at the working precision."""
    values: list[mpf] = []
    for entry in tape:
        if isinstance(entry, tuple):
            name, places = entry
            values.append(PRIMITIVES[name](*[values[place] for place in places]))
        else:
            values.append(mpf(entry))
    return values


def _reached(tape: list[Entry], inputs: Iterable[int]) -> list[int]:
    """The operations that depend on the inputs, in order."""
    varies = set(inputs)
    reached = []
    for position, entry in enumerate(tape):
        if isinstance(entry, tuple) and not varies.isdisjoint(entry[1]):
            varies.add(position)
            reached.append(position)
    return reached


# Differences.


def _bits(digits: int) -> int:
    return ceil(digits * log2(10)) + 30


def _spread(tape: list[Entry]) -> int:
    """The bits from the largest to the smallest non-zero number on the tape; see the top of this module."""
    with mp.workdps(20):
        values = _run(tape)
    sizes = [0, *(mp.mag(value) for value in values if value)]
    for entry in tape:
        if isinstance(entry, tuple) and entry[0] in TAIL:
            sizes.append(-TAIL[entry[0]] * float(abs(values[entry[1][0]])))
    return ceil(min(max(sizes) - min(sizes), SPREAD))


def _slopes(
    tape: list[Entry], inputs: Iterable[int], outputs: list[int], weights: list[float], digits: int
) -> dict[int, mpf]:
    """The derivative of the weighted sum of the outputs by each input."""
    spread = _spread(tape)
    here: dict[int, list[mpf]] = {}  # the numbers on the tape, by working precision

    def slope(x: int) -> mpf:
        reached = _reached(tape, [x])

        def quotient(h: mpf) -> mpf:
            precision: int = mp.prec  # type: ignore[assignment]
            if precision not in here:
                here[precision] = _run(tape)
            before = here[precision]
            after = before.copy()
            after[x] += h
            step = after[x] - before[x]  # exact, where x + h was rounded
            for position in reached:
                name, places = tape[position]  # type: ignore[misc]
                after[position] = PRIMITIVES[name](*[after[place] for place in places])
            # Differences first, weights second: a result that does not change must not absorb one that does.
            return sum((w * (after[y] - before[y]) for w, y in zip(weights, outputs, strict=True)), mpf(0)) / step

        return _limit(quotient, mpf(tape[x]), spread, digits)

    return {x: slope(x) for x in inputs}


def _limit(quotient: Callable[[mpf], mpf], x: mpf, spread: int, digits: int) -> mpf:
    """The limit at 0 of a difference quotient at `x`; see the top of this module."""
    wanted = _bits(digits)
    steeper: mpf | None = None
    for attempt in range(ATTEMPTS):
        k = (spread + wanted) << attempt
        with mp.workprec(k + ((2 * spread + wanted) << attempt)):
            h = mp.ldexp(1, (mp.mag(x) if x else 0) - k)
            right, left = quotient(h), quotient(-mp.phi * h)
            if abs(right - left) <= mp.ldexp(abs(right), -wanted):
                with mp.workprec(wanted - 16):
                    return +right  # without the digits that mean nothing
            steep = max(abs(right), abs(left))
            if steeper is not None and steep <= mp.ldexp(steeper, -k // 4):
                return mpf(0)
            steeper = steep
    raise Undefined("the difference quotients have no limit")


def _partial(name: str, args: list[mpf], j: int, digits: int) -> mpf:
    places = tuple(range(len(args)))
    return _slopes([*args, (name, places)], [j], [len(args)], [1.0], digits)[j]


def _steepness(name: str, args: list[mpf], j: int) -> mpf:
    """The absolute partial derivative, and 1 at a kink."""
    try:
        return abs(_partial(name, args, j, digits=15))
    except Undefined:
        if name not in KINKED:
            raise
        return mpf(1)
