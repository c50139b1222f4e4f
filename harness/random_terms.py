"""Seeded random programs of the fragment, well typed, each with a point inside its domain and a cotangent.

A program is made together with the doubles that its sub-terms have at the point. An argument outside its primitive's
domain is shifted into it by a literal (or replaced by one, where the primitives allowed cannot shift), with a margin:
logarithms of at least 0.2, square roots of at least 0.05, divisors of at least 0.2 in magnitude, bases of at least 0.2,
or negative and at least that far from 0 under a literal whole exponent. A value beyond LIMIT is brought back at once by
sin, tanh or a division, so no intermediate one passes LIMIT squared. With `smooth`, arguments stay at least KINK away
from the kinks of abs, relu, max and min; without, they often hit them exactly.

By default more than half of the programs have over 30 operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from transforms.syntax import Case, Let, Lit, Op, Program, Term, Tuple, Var
from transforms.types import REAL, Product, Type, brief

LIMIT, KINK = 20.0, 0.01

NAMES = (*"abcdkpqrstuvwxyz", "x1", "x2", "x3", "y1", "y2", "r_1", "_s", "Acc", "a0", "lambda", "letter", "inner")
"""Few, so that they clash."""

ARITHMETIC = ("add", "sub", "mul", "div", "neg")

PRIMITIVES: Mapping[str, Callable[..., float]] = {
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
    "sigmoid": lambda a: 0.5 + 0.5 * math.tanh(0.5 * a),
    "abs": math.fabs,
    "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b),
    "relu": lambda a: max(a, 0.0),
}

BINARY = frozenset({"add", "sub", "mul", "div", "pow", "max", "min"})
KINKED = frozenset({"abs", "relu", "max", "min"})


@dataclass(frozen=True, slots=True)
class Sample:
    """A program with a value for each variable of its context, and a cotangent of its result's shape."""

    program: Program
    point: dict[str, Any]
    cotangent: Any


def random_program(
    rng: Random,
    *,
    size: int = 40,
    result: Type | None = REAL,
    smooth: bool = True,
    primitives: Collection[str] = tuple(PRIMITIVES),
) -> Sample:
    """A program whose number of operations is drawn from about 1 to 2 `size`, in a context of 1 to 5 variables.

    `result` is its type, made of reals and products; None draws one: a real, several, or nested tuples. Only
    `primitives` occur. The sample is a function of the generator's state and the arguments. Raises ValueError for a
    primitive or a type other than these.
    """
    unknown = set(primitives) - set(PRIMITIVES)
    if unknown or not primitives:
        raise ValueError(f"expected some of {', '.join(PRIMITIVES)}, found {', '.join(sorted(unknown)) or 'none'}")
    maker = _Maker(rng, tuple(name for name in PRIMITIVES if name in primitives), smooth)
    names = rng.sample(NAMES, rng.randint(1, 5))
    context = tuple((name, maker.type(0.3) if k else REAL) for k, name in enumerate(names))
    point = {name: _numbers(type_, lambda: rng.uniform(-3.0, 3.0)) for name, type_ in context}
    type_ = maker.result() if result is None else result
    cotangent = _numbers(type_, lambda: rng.uniform(-2.0, 2.0))
    maker.scope = {name: _Made(Var(name), type_, point[name]) for name, type_ in context}
    if rng.random() < 0.3:  # a variable that is never used
        del maker.scope[rng.choice(names)]
    maker.unused.update(maker.scope)
    return Sample(Program(context, maker.chain(type_, rng.randint(1, 2 * size)).term), point, cotangent)


@dataclass(frozen=True, slots=True)
class _Made:
    """A term with its type and its value at the point."""

    term: Term
    type: Type
    value: Any


@dataclass(slots=True)
class _Maker:
    """One program in the making; `scope` holds the variables that may be used, the latest last, `unused` the names of
    those that have not been: they are preferred, so that little of a program is dead.

    A `budget` is the number of operations to spend, roughly: shifts into a domain come on top, literals save some.
    """

    rng: Random
    primitives: tuple[str, ...]
    smooth: bool
    scope: dict[str, _Made] = field(default_factory=dict)
    unused: set[str] = field(default_factory=set)

    # Types and names.

    def type(self, nested: float) -> Type:
        """Real, or with probability `nested` a tuple of such types, less nested."""
        if self.rng.random() >= nested:
            return REAL
        return Product(tuple([self.type(nested / 2) for _ in range(self.rng.choice((0, 1, 2, 2, 2, 3, 3, 4)))]))

    def result(self) -> Type:
        if self.rng.random() < 0.3:
            return REAL
        return Product((REAL, *(self.type(0.4) for _ in range(self.rng.randint(1, 3)))))

    def names(self, count: int, avoid: str = "") -> list[str]:
        """Distinct names for a binder, one time in four without regard to what they shadow."""
        names = [name for name in NAMES if name != avoid]
        fresh = [name for name in names if name not in self.scope]
        return self.rng.sample(fresh if len(fresh) >= count and self.rng.random() < 0.75 else names, count)

    @contextmanager
    def bound(self, names: Iterable[str], type_: Product, values: Iterable[Any]) -> Iterator[None]:
        outside = self.scope
        self.scope = {name: made for name, made in outside.items() if name not in names}
        for name, part, value in zip(names, type_.parts, values, strict=True):
            self.scope[name] = _Made(Var(name), part, value)
        self.unused.update(names)
        yield
        self.unused.difference_update(names)
        self.scope = outside

    # Binders.

    def chain(self, type_: Type, budget: int) -> _Made:
        """Binders, one in the body of the other, and a term of the given type in the innermost."""
        if budget <= 5:
            return self.make(type_, max(budget, 2 * len(self.unused)))
        return self.bind(budget, lambda rest: self.chain(type_, rest))

    def bind(self, budget: int, body: Callable[[int], _Made]) -> _Made:
        """A `let` or `case` around what `body` makes of the rest of the budget."""
        spent = self.rng.randint(1, min(budget, 8))
        if self.rng.random() < 0.75:
            return self.let(self.make(self.type(0.25), spent), lambda _: body(budget - spent))
        type_ = self.type(1.0)
        assert isinstance(type_, Product)
        head = self.make(type_, spent)
        names = self.names(len(type_.parts))
        with self.bound(names, type_, head.value):
            made = self.consumed(body(budget - spent), names)
        return _Made(Case(head.term, tuple(names), made.term), made.type, made.value)

    def let(self, head: _Made, body: Callable[[_Made], _Made], avoid: str = "") -> _Made:
        """`let` a name other than `avoid` stand for `head` in what `body` makes of the variable."""
        (name,) = self.names(1, avoid)
        with self.bound([name], Product((head.type,)), [head.value]):
            made = self.consumed(body(self.scope[name]), [name])
        return _Made(Let(name, head.term, made.term), made.type, made.value)

    def consumed(self, body: _Made, names: Iterable[str]) -> _Made:
        """A real body combined with most of the variables that are still unused, so that little of a program is dead."""
        binary = [name for name in self.primitives if name in BINARY]
        for name in names:
            if (
                binary
                and body.type is self.scope[name].type is REAL
                and name in self.unused
                and self.rng.random() < 0.8
            ):
                body = self.apply(self.rng.choice(binary), body, self.variable({name: self.scope[name]}))
        return body

    # Terms.

    def make(self, type_: Type, budget: int) -> _Made:
        """A term of the given type."""
        if not isinstance(type_, Product):
            return self.real(budget)
        if self.rng.random() < 0.25:
            if same := {name: made for name, made in self.scope.items() if made.type == type_}:
                return self.variable(same)
            if budget >= 3:
                return self.bind(budget, lambda rest: self.make(type_, rest))
        parts = [self.make(part, share) for part, share in zip(type_.parts, self.split(budget, len(type_.parts)))]
        return _Made(Tuple(tuple([part.term for part in parts])), type_, tuple([part.value for part in parts]))

    def split(self, budget: int, count: int) -> list[int]:
        cuts = sorted(self.rng.randint(0, budget) for _ in range(count - 1))
        return [high - low for low, high in zip([0, *cuts], [*cuts, budget])]

    def real(self, budget: int) -> _Made:
        if budget <= 0:
            return self.leaf()
        form = self.rng.random()
        if budget >= 3 and form < 0.12:
            return self.bind(budget, lambda rest: self.real(max(rest, 2)))
        if budget >= 3 and form < 0.22 and "sub" in self.primitives:
            return self.cancellation(budget)
        name = self.rng.choice(self.primitives)
        return self.apply(name, *[self.real(share) for share in self.split(budget - 1, 2 if name in BINARY else 1)])

    def leaf(self) -> _Made:
        """A variable, a component of one, or a literal."""
        useful = {name: made for name, made in self.scope.items() if REAL in getattr(made.type, "parts", (made.type,))}
        if not useful or self.rng.random() < 0.08:
            return self.literal(self.rng.choice((0.5, 1.0, 2.0, -1.0, round(self.rng.uniform(-3.0, 3.0), 2))))
        made = self.variable(useful)
        if not isinstance(made.type, Product):
            return made
        parts = made.type.parts
        names = self.rng.sample(NAMES, len(parts))
        j = self.rng.choice([j for j, part in enumerate(parts) if part == REAL])
        return _Made(Case(made.term, tuple(names), Var(names[j])), REAL, made.value[j])

    def variable(self, among: dict[str, _Made]) -> _Made:
        """One of the variables in scope, mostly one that has not been used."""
        names = list(among)
        if self.rng.random() < 0.8:
            names = [name for name in names if name in self.unused] or names[-3:]
        name = self.rng.choice(names)
        self.unused.discard(name)
        return among[name]

    def reals(self) -> dict[str, _Made]:
        return {name: made for name, made in self.scope.items() if made.type is REAL}

    def cancellation(self, budget: int) -> _Made:
        """A difference in which a variable cancels, wholly or nearly, in exact arithmetic."""
        variables = list(self.reals().values())
        if len(variables) >= 2 and self.rng.random() < 0.5:
            return self.cancel(*self.rng.sample(variables, 2))
        one, other = self.split(budget - 2, 2)
        return self.let(
            self.real(one),
            lambda a: self.let(self.real(other), lambda b: self.cancel(a, b), avoid=a.term.name),  # type: ignore[union-attr]
        )

    def cancel(self, a: _Made, b: _Made) -> _Made:
        kinds = [kind for kind in ("add", "mul") if kind in self.primitives] or ["sub"]
        kind = self.rng.choice(kinds)
        if self.rng.random() < 0.4:  # nearly equal
            tiny = self.rng.choice((1e-3, 1e-6, 1e-9))
            return self.away(
                self.op("sub", self.op(kind, a, self.literal(1.0 + tiny if kind == "mul" else tiny)), a), 0.0, 0.1
            )
        return self.away(self.op("sub", self.op(kind, a, b), self.op("mul", b, a) if kind == "mul" else a), 0.0, 0.1)

    def literal(self, value: float) -> _Made:
        return _Made(Lit(value), REAL, value)

    def op(self, name: str, *args: _Made) -> _Made:
        value = PRIMITIVES[name](*[arg.value for arg in args])
        return _Made(Op(name, tuple([arg.term for arg in args])), REAL, value)

    # Domains.

    def apply(self, name: str, *args: _Made) -> _Made:
        """A primitive on arguments that are moved into its domain, its result brought back within LIMIT."""
        made = self.op(name, *self.fitted(name, *args))
        if abs(made.value) <= LIMIT:
            return made
        ways = [way for way in ("sin", "tanh", "div", "mul") if way in self.primitives]
        if not ways:
            return self.shifted(made, 1.5)
        way = self.rng.choice(ways)
        return self.op(way, made, *({"div": [self.literal(32.0)], "mul": [self.literal(1 / 32)]}.get(way, [])))

    def fitted(self, name: str, a: _Made, b: _Made | None = None) -> tuple[_Made, ...]:
        chance = self.rng.random()
        match name, b:
            case "log", _:
                return (self.within(a, 0.2, LIMIT),)
            case "sqrt", _:
                return (self.within(a, 0.05, LIMIT),)
            case "exp", _:
                return (self.within(a, -LIMIT, 3.0),)
            case "div", _Made():
                return a, self.away(b, 0.0, 0.2)
            case "pow", _Made() if chance < 0.3 or isinstance(b.term, Lit):
                return self.away(a, 0.0, 0.2), self.literal(self.rng.choice((-2.0, -1.0, 0.0, 1.0, 2.0)))
            case "pow", _Made():
                return self.within(a, 0.2, LIMIT), self.within(b, -2.0, 2.0)
            case (("abs" | "relu"), _) if self.smooth:
                return (self.away(a, 0.0, KINK),)
            case (("max" | "min"), _Made()) if self.smooth:
                return a, self.away(b, a.value, KINK)
            case (("abs" | "relu"), _) if chance < 0.3:
                return (self.literal(0.0) if chance < 0.1 or "sub" not in self.primitives else self.op("sub", a, a),)
            case (("max" | "min"), _Made()) if chance < 0.3:
                return a, a
        return (a,) if b is None else (a, b)

    def within(self, made: _Made, low: float, high: float) -> _Made:
        if low <= made.value <= high:
            return made
        return self.shifted(made, self.rng.uniform(max(low, -2.0) + 0.1, min(high, 2.0) - 0.1))

    def away(self, made: _Made, centre: float, margin: float) -> _Made:
        if abs(made.value - centre) >= margin:
            return made
        return self.shifted(made, centre + self.rng.choice((-1.0, 1.0)) * self.rng.uniform(0.5, 1.5))

    def shifted(self, made: _Made, target: float) -> _Made:
        """The term plus a literal that makes its value about `target`, or a literal where no sum is allowed."""
        step = round(target - made.value, 3)
        if "add" in self.primitives:
            return self.op("add", made, self.literal(step))
        if "sub" in self.primitives:
            return self.op("sub", made, self.literal(-step))
        return self.literal(round(target, 3))


def _numbers(type_: Type, draw: Callable[[], float]) -> Any:
    """A value of the type, each real drawn."""
    if isinstance(type_, Product):
        return tuple([_numbers(part, draw) for part in type_.parts])
    if type_ != REAL:
        raise ValueError(f"expected a type made of reals and products, found {brief(type_)}")
    return draw()
