"""Seeded random programs of the fragment, well typed, each with a point inside its domain and a cotangent.

They have sharing, tuples, nested binders, names that clash and shadow, dead variables, literals, and differences in
which a variable cancels. More than half of them have over 30 operations by default. Primitives are applied as in
`harness.valued_terms`, which keeps every value inside its domain, moderate and well conditioned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

from harness.valued_terms import BINARY, KINK, PRIMITIVES, Inside, Made, Number
from transforms.syntax import Case, Inject, Let, Match, Program, Sign, Tuple, Var
from transforms.types import REAL, SIGN, Array, Injected, Product, Sum, Type, brief, layout, marked

NAMES = (*"abcdkpqrstuvwxyz", "x1", "x2", "x3", "y1", "y2", "r_1", "_s", "Acc", "a0", "lambda", "letter", "inner")
"""Few, so that they clash."""

ARITHMETIC = ("add", "sub", "mul", "div", "neg")


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
    branching: bool = False,
) -> Sample:
    """A program whose number of operations is drawn from about 1 to 2 `size`, in a context of 1 to 5 variables.

    `result` is its type, made of reals and products; None draws one: a real, several, or nested tuples. Only
    `primitives` occur, and sums with `branching`, in the context and the result too. The sample is a function of the
    generator's state and the arguments. Raises ValueError for a primitive or a type other than these.
    """
    unknown = set(primitives) - set(PRIMITIVES)
    if unknown or not primitives:
        raise ValueError(f"expected some of {', '.join(PRIMITIVES)}, found {', '.join(sorted(unknown)) or 'none'}")
    maker = _Maker(rng, Inside(rng, tuple(name for name in PRIMITIVES if name in primitives), smooth), branching)
    names = rng.sample(NAMES, rng.randint(1, 5))
    context = tuple((name, maker.type(0.3) if k else REAL) for k, name in enumerate(names))
    point = {name: _value(type_, rng, 3.0) for name, type_ in context}
    type_ = maker.result() if result is None else result
    if not branching:
        cotangent = _value(type_, rng, 2.0)
    maker.scope = {name: Made(Var(name), type_, _exact(point[name])) for name, type_ in context}
    if rng.random() < 0.3:  # a variable that is never used
        del maker.scope[rng.choice(names)]
    maker.unused.update(maker.scope)
    made = maker.chain(type_, rng.randint(1, 2 * size))
    if branching:  # which sides the cotangent is on is known only now
        cotangent = marked(_value(layout(made.value), rng, 2.0), made.value)
    return Sample(Program(context, made.term), point, cotangent)


@dataclass(slots=True)
class _Maker:
    """One program in the making.

    `scope` holds the variables that may be used, the latest last, and `unused` the names of those that have not been:
    they are preferred, so that little of a program is dead. A `budget` is the number of operations to spend, roughly:
    what moves arguments into a domain comes on top, and literals save some.
    """

    rng: Random
    inside: Inside
    branching: bool = False
    scope: dict[str, Made] = field(default_factory=dict)
    unused: set[str] = field(default_factory=set)

    # Types and names.

    def type(self, nested: float) -> Type:
        """Real, or with probability `nested` a tuple or sum of such types, less nested."""
        if self.rng.random() >= nested:
            return REAL
        if self.branching and self.rng.random() < 0.3:
            return Sum(self.type(nested / 2), self.type(nested / 2))
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
        made = {
            name: Made(Var(name), part, value) for name, part, value in zip(names, type_.parts, values, strict=True)
        }
        self.scope = outside | made
        self.unused.update(names)
        yield
        self.unused.difference_update(names)
        self.scope = outside

    # Binders.

    def chain(self, type_: Type, budget: int) -> Made:
        """Binders, one in the body of the other, and a term of the given type in the innermost."""
        if budget <= 5:
            return self.make(type_, max(budget, 2 * len(self.unused)))
        return self.bind(budget, lambda rest: self.chain(type_, rest))

    def bind(self, budget: int, body: Callable[[int], Made]) -> Made:
        """A `let` or `case` around what `body` makes of the rest of the budget."""
        spent = self.rng.randint(1, min(budget, 8))
        if self.branching and self.rng.random() < 0.25:
            return self.branch(spent, lambda: body(budget - spent), lambda: body(1))
        if self.rng.random() < 0.75:
            return self.let(self.make(self.type(0.25), spent), lambda _: body(budget - spent))
        type_ = self.type(1.0)
        if not isinstance(type_, Product):
            type_ = Product((type_,))
        head = self.make(type_, spent)
        names = self.names(len(type_.parts))
        with self.bound(names, type_, head.value):
            made = self.consumed(body(budget - spent), names)
        return Made(Case(head.term, tuple(names), made.term), made.type, made.value)

    def branch(self, budget: int, taken: Callable[[], Made], other: Callable[[], Made]) -> Made:
        """A `match` on a sign or on another sum: what is `taken` at the point, and another term of that type."""
        if self.rng.random() < 0.5:
            a = self.inside.away(self.real(budget), 0.0, KINK)
            return self.match(Made(Sign(a.term), SIGN, _sign(a.value.double)), taken, other)
        return self.match(self.make(Sum(self.type(0.3), self.type(0.3)), budget), taken, other)

    def match(self, head: Made, taken: Callable[[], Made], other: Callable[[], Made]) -> Made:
        assert isinstance(head.type, Sum)
        names, branches, unused = (self.names(1)[0], self.names(1)[0]), [], self.unused
        for side, (name, type_) in enumerate(zip(names, head.type.sides, strict=True)):
            here = side == head.value.side
            value = head.value.value if here else _exact(_value(type_, self.rng, 3.0))
            self.unused = unused if here else unused.copy()  # what the other branch uses is used nowhere at the point
            with self.bound([name], Product((type_,)), [value]):
                variable = self.scope[name]
                body = taken if here else other
                made = self.match(variable, body, other) if isinstance(type_, Sum) else body()
                branches.append(self.consumed(made, [name]))
        self.unused = unused
        made = branches[head.value.side]
        return Made(Match(head.term, names, (branches[0].term, branches[1].term)), made.type, made.value)

    def let(self, head: Made, body: Callable[[Made], Made], avoid: str = "") -> Made:
        """`let` a name other than `avoid` stand for `head` in what `body` makes of the variable."""
        (name,) = self.names(1, avoid)
        with self.bound([name], Product((head.type,)), [head.value]):
            made = self.consumed(body(self.scope[name]), [name])
        return Made(Let(name, head.term, made.term), made.type, made.value)

    def consumed(self, body: Made, names: Iterable[str]) -> Made:
        """A real body, combined with most of the variables that are still unused."""
        binary = [name for name in self.inside.primitives if name in BINARY]
        for name in names:
            if (
                binary
                and body.type is self.scope[name].type is REAL
                and name in self.unused
                and self.rng.random() < 0.8
            ):
                body = self.inside.apply(self.rng.choice(binary), body, self.variable({name: self.scope[name]}))
        return body

    # Terms.

    def make(self, type_: Type, budget: int) -> Made:
        """A term of the given type."""
        if isinstance(type_, Array):
            return self.real(budget)
        if self.rng.random() < 0.25:
            if same := {name: made for name, made in self.scope.items() if made.type == type_}:
                return self.variable(same)
            if budget >= 3:
                return self.bind(budget, lambda rest: self.make(type_, rest))
        if isinstance(type_, Sum):
            side = self.rng.randrange(2)
            made = self.make(type_.sides[side], budget)
            return Made(Inject(side, made.term), type_, Injected(side, made.value))
        shares = self.split(budget, len(type_.parts))
        parts = [self.make(part, share) for part, share in zip(type_.parts, shares, strict=True)]
        return Made(Tuple(tuple([part.term for part in parts])), type_, tuple([part.value for part in parts]))

    def split(self, budget: int, count: int) -> list[int]:
        cuts = [0, *sorted(self.rng.randint(0, budget) for _ in range(count - 1)), budget]
        return [high - low for low, high in pairwise(cuts)][:count]

    def real(self, budget: int) -> Made:
        if budget <= 0:
            return self.leaf()
        form = self.rng.random()
        if budget >= 3 and form < 0.12:
            return self.bind(budget, lambda rest: self.real(max(rest, 2)))
        if budget >= 3 and form < 0.22 and "sub" in self.inside.primitives:
            return self.cancellation(budget)
        name = self.rng.choice(self.inside.primitives)
        return self.inside.apply(
            name, *[self.real(share) for share in self.split(budget - 1, 2 if name in BINARY else 1)]
        )

    def leaf(self) -> Made:
        """A variable, a component of one, or a literal."""
        useful = {name: made for name, made in self.scope.items() if REAL in getattr(made.type, "parts", (made.type,))}
        if not useful or self.rng.random() < 0.08:
            return self.inside.literal(self.rng.choice((0.5, 1.0, 2.0, -1.0, round(self.rng.uniform(-3.0, 3.0), 2))))
        made = self.variable(useful)
        if not isinstance(made.type, Product):
            return made
        parts = made.type.parts
        names = self.rng.sample(NAMES, len(parts))
        j = self.rng.choice([j for j, part in enumerate(parts) if part == REAL])
        return Made(Case(made.term, tuple(names), Var(names[j])), REAL, made.value[j])

    def variable(self, among: dict[str, Made]) -> Made:
        """One of the variables in scope, mostly one that has not been used."""
        names = list(among)
        if self.rng.random() < 0.8:
            names = [name for name in names if name in self.unused] or names[-3:]
        name = self.rng.choice(names)
        self.unused.discard(name)
        return among[name]

    def reals(self) -> dict[str, Made]:
        return {name: made for name, made in self.scope.items() if made.type is REAL}

    def cancellation(self, budget: int) -> Made:
        """A difference in which a variable cancels, wholly or nearly, in exact arithmetic."""
        variables = list(self.reals().values())
        if len(variables) >= 2 and self.rng.random() < 0.5:
            return self.cancel(*self.rng.sample(variables, 2))
        one, other = self.split(budget - 2, 2)
        return self.let(
            self.real(one),
            lambda a: self.let(self.real(other), lambda b: self.cancel(a, b), avoid=a.term.name),  # type: ignore[union-attr]
        )

    def cancel(self, a: Made, b: Made) -> Made:
        """(a + b) - a, or a * b - b * a; or with a literal for b that makes the two sides nearly equal."""
        plain, literal = self.inside.plain, self.inside.literal
        kind = self.rng.choice([kind for kind in ("add", "mul") if kind in self.inside.primitives] or ["sub"])
        if self.rng.random() < 0.4:
            tiny = self.rng.choice((1e-3, 1e-6, 1e-9))
            left, right = plain(kind, a, literal(1.0 + tiny if kind == "mul" else tiny)), a
        else:
            left, right = plain(kind, a, b), plain("mul", b, a) if kind == "mul" else a
        return self.inside.trusted(plain("sub", left, right))


def _signed(rng: Random, low: float, high: float) -> float:
    return rng.choice((-1.0, 1.0)) * rng.uniform(low, high)


def _exact(value: Any) -> Any:
    match value:
        case tuple():
            return tuple(map(_exact, value))
        case Injected(side=side, value=payload):
            return Injected(side, _exact(payload))
    return Number(value, value)


def _sign(a: float) -> Injected:
    return Injected(1, ()) if a == 0.0 else Injected(0, Injected(int(a > 0.0), ()))


def _value(type_: Type, rng: Random, high: float) -> Any:
    """A value of the type, each real drawn, of magnitude 0.1 to `high`."""
    match type_:
        case Product(parts=parts):
            return tuple([_value(part, rng, high) for part in parts])
        case Sum(sides=sides):
            side = rng.randrange(2)
            return Injected(side, _value(sides[side], rng, high))
    if type_ != REAL:
        raise ValueError(f"expected a type made of reals and products, found {brief(type_)}")
    return _signed(rng, 0.1, high)
