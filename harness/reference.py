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

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mpmath import mp, mpf

from harness.nests import leaves
from harness.reference_tape import (
    KINKED,
    PRIMITIVES,
    Entry,
    Nest,
    Undefined,
    bits_for,
    checked,
    enter,
    mapped,
    reached_from,
    run,
    spread_of,
    unroll,
    unrolled,
)
from transforms.syntax import Program, Term

ATTEMPTS = 4
"""How often a step is chosen before a derivative is said not to exist."""


def evaluate(term: Term, env: Mapping[str, Any], *, digits: int = 30) -> Nest:
    """The value of `term`, right to `digits` decimal digits unless more than the spread's digits cancel.

    `env` gives each free variable a finite float, a tuple of such values, an injected one or an array of doubles.
    Tuples come back as tuples, injected values as such, arrays as nested lists. Raises Undefined outside a primitive's
    domain, KeyError for an unknown name.
    """
    tape: list[Entry] = []
    result = unroll(term, {name: enter(tape, value) for name, value in env.items()}, tape)
    with mp.workprec(2 * spread_of(tape) + bits_for(digits)):
        values = run(tape)
    return mapped(values.__getitem__, result)


def vjp(program: Program, point: Mapping[str, Any], cotangent: Any, *, digits: int = 25) -> dict[str, Nest]:
    """The transposed Jacobian of a program at `point`, applied to `cotangent`: one difference quotient for each input.

    `point` is as for `evaluate`, `cotangent` has the shape of the result, and the answer that of the point. Every entry
    is right to `digits` decimal digits. Raises Undefined outside a primitive's domain, at kinks and at infinite slopes.
    """
    tape, inputs, outputs, weights = unrolled(program, point, cotangent)
    slopes = _slopes(tape, leaves([*inputs.values()]), outputs, weights, digits)
    return {name: mapped(slopes.__getitem__, nest) for name, nest in inputs.items()}


def hessian_product(
    program: Program, point: Mapping[str, Any], direction: Mapping[str, Any], *, digits: int = 20
) -> dict[str, Nest]:
    """The Hessian of a program of one real result at `point`, times a direction of the point's shape.

    Second differences of the value, along the direction and each input, right to about `digits` decimal digits where
    the numbers that occur are moderate and the program is smooth. Raises Undefined outside a primitive's domain.
    """
    tape, inputs, outputs, _ = unrolled(program, point, 1.0)
    steps: list[Any] = []
    along = {name: enter(steps, direction[name]) for name, _ in program.context}
    toward = dict(zip(leaves([*inputs.values()]), (steps[place] for place in leaves([*along.values()])), strict=True))
    k = bits_for(digits)
    with mp.workprec(8 * k + 2 * spread_of(tape)):
        h = mp.ldexp(1, -2 * k)

        def value(by: int, one: int, two: int) -> mpf:
            """The value, a step along the direction `one` times and one in the input `by` `two` times."""
            moved = [
                entry if isinstance(entry, tuple) else mpf(entry) + h * (one * toward.get(at, 0) + two * (at == by))
                for at, entry in enumerate(tape)
            ]
            return run(moved)[outputs[0]]

        def entry(by: int) -> mpf:
            return (value(by, 1, 1) - value(by, -1, 1) - value(by, 1, -1) + value(by, -1, -1)) / (4 * h * h)

        return {name: mapped(entry, nest) for name, nest in inputs.items()}


def magnitude(program: Program, point: Mapping[str, Any], cotangent: Any) -> dict[str, Nest]:
    """The sum of absolute contributions to each entry of the context cotangent, as floats in the shape of the point.

    It is the sum, over all paths from the input to the results, of the product of |cotangent| and the absolute partial
    derivatives along the path: the scale of the rounding errors that summing the contributions makes. At a kink of abs,
    relu, max or min the larger of the one-sided slopes counts. Raises Undefined as `vjp` does, but only where a
    cotangent other than 0 arrives.
    """
    tape, inputs, outputs, weights = unrolled(program, point, cotangent)
    with mp.workprec(2 * spread_of(tape) + bits_for(20)):
        values = run(tape)
    given = list(leaves([*inputs.values()]))
    varies = set(given) | set(reached_from(tape, given))
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
    return {name: mapped(lambda position: float(arrived[position]), nest) for name, nest in inputs.items()}


def partial(name: str, args: Iterable[float], j: int, *, digits: int = 30) -> mpf:
    """The derivative of a primitive by its argument `j` (from 0) at finite floats, to `digits` decimal digits.

    Raises Undefined where it does not exist. Where it is below 2^-SPREAD it may be 0.
    """
    return _partial(name, [mpf(checked(arg)) for arg in args], j, digits)


def _slopes(
    tape: list[Entry], inputs: Iterable[int], outputs: list[int], weights: list[float], digits: int
) -> dict[int, mpf]:
    """The derivative of the weighted sum of the outputs by each input."""
    spread = spread_of(tape)
    here: dict[int, list[mpf]] = {}  # the numbers on the tape, by working precision

    def slope(x: int) -> mpf:
        reached = reached_from(tape, [x])

        def quotient(h: mpf) -> mpf:
            precision: int = mp.prec  # type: ignore[assignment]
            if precision not in here:
                here[precision] = run(tape)
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
    wanted = bits_for(digits)
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
