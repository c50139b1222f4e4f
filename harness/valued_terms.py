"""Terms made together with the doubles that they have at a point, inside every primitive's domain and well conditioned.

An argument outside its primitive's domain is shifted into it by a literal (or replaced by one, where the primitives
allowed cannot shift), with a margin: logarithms of at least 0.2, square roots of at least 0.05, divisors of at least
0.2 in magnitude, bases of at least 0.2, or negative and at least that far from 0 under a literal whole exponent. A
value beyond LIMIT is brought back at once by sin, tanh or a division, so no intermediate one passes LIMIT squared.

A value without correct digits would spoil every derivative that it is a factor of. So each double has a twin, computed
with relative errors of NOISE in every operation; where the two differ by more than TRUST times that, or the value is
all but 0, it is shifted to a moderate one. Sines, cosines and powers stay away from where their derivatives vanish.

Arguments stay at least KINK away from the kinks of abs, relu, max and min or, where it is not to be smooth, often hit
them exactly: by the difference or the tie of a term with itself, whose derivative is defined all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from transforms.syntax import Lit, Op, Term
from transforms.types import REAL, Type

LIMIT, KINK, NOISE, TRUST = 20.0, 0.01, 1e-12, 1e4

PRIMITIVES: Mapping[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sin": math.sin,
    "cos": math.cos,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "pow": math.pow,
    "tanh": math.tanh,
    "sigmoid": lambda a: 1.0 / (1.0 + math.exp(-a)),
    "abs": math.fabs,
    "max": max,
    "min": min,
    "relu": lambda a: max(a, 0.0),
}

BINARY = frozenset({"add", "sub", "mul", "div", "pow", "max", "min"})


@dataclass(frozen=True, slots=True)
class Number:
    """A double and its twin."""

    double: float
    twin: float


@dataclass(frozen=True, slots=True)
class Made:
    """A term with its type and its value at the point: a Number, or a tuple of values."""

    term: Term
    type: Type
    value: Any


@dataclass(slots=True)
class Inside:
    """How primitives are applied: only some of them, and with or without kinks. `applied` counts the operations."""

    rng: Random
    primitives: tuple[str, ...]
    smooth: bool
    applied: int = 0

    def literal(self, value: float) -> Made:
        return Made(Lit(value), REAL, Number(value, value))

    def plain(self, name: str, *args: Made) -> Made:
        """A primitive on arguments that are known to be in its domain."""
        self.applied += 1
        double = PRIMITIVES[name](*[arg.value.double for arg in args])
        twin = PRIMITIVES[name](*[arg.value.twin for arg in args])
        noise = NOISE * (1.0 - 2.0 * (self.applied * 0.618034 % 1.0))  # unlike from one operation to the next
        return Made(Op(name, tuple([arg.term for arg in args])), REAL, Number(double, twin * (1.0 + noise)))

    def apply(self, name: str, *args: Made) -> Made:
        """A primitive on arguments that are moved into its domain, its result trusted and within LIMIT."""
        return self.trusted(self.limited(self.plain(name, *self.fitted(name, *args))))

    def limited(self, made: Made) -> Made:
        size = abs(made.value.double)
        if size <= LIMIT:
            return made
        ways = [way for way in ("sin", "div", "mul") if way in self.primitives]
        if "tanh" in self.primitives and size <= 2 * LIMIT:
            ways.append("tanh")
        if not ways:
            return self.shifted(made, 1.5)
        match self.rng.choice(ways):
            case "div":
                return self.plain("div", made, self.literal(32.0))
            case "mul":
                return self.plain("mul", made, self.literal(1 / 32))
            case way:
                return self.plain(way, *self.fitted(way, made))

    def trusted(self, made: Made) -> Made:
        if _sound(made.value):
            return made
        target = self.rng.choice((-1.0, 1.0)) * self.rng.uniform(0.5, 1.5)
        made = self.shifted(made, target)
        return made if _sound(made.value) else self.literal(round(target, 3))

    def fitted(self, name: str, a: Made, b: Made | None = None) -> tuple[Made, ...]:
        """The arguments, moved into the primitive's domain."""
        kink = not self.smooth and self.rng.random() < 0.3
        if b is None:
            match name:
                case "log":
                    a = self.within(a, 0.2, LIMIT)
                case "sqrt":
                    a = self.within(a, 0.05, LIMIT)
                case "exp":
                    a = self.within(a, -LIMIT, 3.0)
                case "sin" if abs(math.cos(a.value.double)) < 0.02:
                    a = self.shifted(a, 1.0)
                case "cos" if abs(math.sin(a.value.double)) < 0.02 and abs(a.value.double) > 1.0:
                    a = self.shifted(a, 1.0)
                case "abs" | "relu" if not kink:
                    a = self.away(a, 0.0, KINK)
                case "abs" | "relu":
                    a = self.plain("sub", a, a) if "sub" in self.primitives else self.literal(0.0)
            return (a,)
        match name:
            case "div":
                b = self.away(b, 0.0, 0.2)
            case "pow" if isinstance(b.term, Lit) or self.rng.random() < 0.3:
                return self.away(a, 0.0, 0.2), self.literal(self.rng.choice((-2.0, -1.0, 0.0, 1.0, 2.0)))
            case "pow":
                a, b = self.within(a, 0.2, LIMIT), self.within(b, -2.0, 2.0)
                if abs(a.value.double - 1.0) < KINK:  # where log(a), in the derivative by b, has no digits
                    a = self.shifted(a, 2.0)
            case "max" | "min":
                b = a if kink else self.away(b, a.value.double, KINK)
        return a, b

    def within(self, made: Made, low: float, high: float) -> Made:
        if low <= made.value.double <= high:
            return made
        return self.shifted(made, self.rng.uniform(max(low, -2.0) + 0.1, min(high, 2.0) - 0.1))

    def away(self, made: Made, centre: float, margin: float) -> Made:
        if abs(made.value.double - centre) >= margin:
            return made
        return self.shifted(made, centre + self.rng.choice((-1.0, 1.0)) * self.rng.uniform(0.5, 1.5))

    def shifted(self, made: Made, target: float) -> Made:
        """The term plus a literal that makes its value about `target`, or a literal where no sum is allowed."""
        step = round(target - made.value.double, 3)
        if "add" in self.primitives:
            return self.plain("add", made, self.literal(step))
        if "sub" in self.primitives:
            return self.plain("sub", made, self.literal(-step))
        return self.literal(round(target, 3))


def _sound(value: Number) -> bool:
    """Whether a value has digits enough, and is 0 or not too near it for products of such values."""
    size = abs(value.double)
    return (size == 0.0 or size >= 1e-4) and abs(value.double - value.twin) <= TRUST * NOISE * size
