"""What operations of random programs of Mountain Goat are applied to: variables, literals, and values made to fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from random import Random

from harness.valued_matrices import Expression, Function, Made, Shape, Unsuited, apply, evaluate

LARGEST, RANK, TRIES = 24, 5, 20
"""The most entries and the highest rank of a value, and how often what does not suit is drawn again."""


@dataclass(slots=True)
class Operands:
    """Where operands are drawn from.

    `scope` holds what names stand for, the latest last, and `unused` the names that have not been used: they are
    preferred, so that little is dead. A budget is how deep an operand may nest, roughly.
    """

    rng: Random
    functions: Mapping[str, Function] = field(default_factory=dict)
    scope: dict[str, Made] = field(default_factory=dict)
    unused: set[str] = field(default_factory=set)

    def op(self, form: str, *args: Made, numbers: tuple = ()) -> Made:
        """An operation or built-in function on what suits it, or else Unsuited is raised."""
        value = apply(form, tuple([arg.value for arg in args]), numbers)
        return Made(Expression(form, tuple([arg.expression for arg in args]), numbers=numbers), value)

    def suited(self, *ways: Callable[[], Made]) -> Made | None:
        """What one of some ways makes, drawn again until it suits; None where nothing does."""
        for _ in range(TRIES):
            try:
                return self.rng.choice(ways)()
            except Unsuited:
                continue
        return None

    def insisted(self, way: Callable[[], Made]) -> Made:
        """As `suited`, of one way; raises Unsuited where nothing suits."""
        made = self.suited(way)
        if made is None:
            raise Unsuited
        return made

    # Expressions of a shape, or in a domain.

    def shaped(self, shape: Shape, budget: int) -> Made:
        """A value of this shape: a variable, one brought to it, something made of such a value, or a literal."""
        form = self.rng.random()
        if budget > 0 and form < 0.4 and len(shape) == 2:
            return self.suited(lambda: self.around(shape, budget)) or self.literal(shape)
        same = {name: made for name, made in self.tensors().items() if made.shape == shape}
        if same and form < 0.8:
            return self.variable(same)
        near = self.near(shape) if form < 0.9 else {}
        if near:
            return self.suited(lambda: self.brought(self.variable(near), shape)) or self.literal(shape)
        return self.literal(shape)

    def around(self, shape: Shape, budget: int) -> Made:
        """An operation that leaves the shape as it is."""
        a, form = self.shaped(shape, budget - 1), self.rng.randrange(3)
        if form == 0:
            return self.op(self.rng.choice(("-", "relu", "exp")), a)
        if form == 1:
            return self.op(self.rng.choice("+-*/"), a, self.scalar())
        return self.op(self.rng.choice("+-*"), a, self.shaped(shape, budget - 1))

    def flattened(self, made: Made) -> Made:
        """A value as a matrix."""
        if len(made.shape) == 2:
            return made
        size = prod(made.shape)
        rows = self.rng.choice([n for n in range(1, size + 1) if size % n == 0])
        return self.op("reshape", made, numbers=(rows, size // rows))

    def near(self, shape: Shape) -> dict[str, Made]:
        """The variables that can be brought to a shape by one operation, or else all."""
        size, all_ = prod(shape), self.tensors()
        matrix = shape if len(shape) == 2 else (1, size)
        return {
            name: made
            for name, made in all_.items()
            if prod(made.shape) == size
            or (len(made.shape) == 2 and all(n in (1, m) for m, n in zip(made.shape, matrix, strict=True)))
        } or all_

    def brought(self, made: Made, shape: Shape) -> Made:
        """A value brought to another shape."""
        if prod(made.shape) == prod(shape):
            if sorted(made.shape) == sorted(shape) and made.shape != shape:
                rest = list(range(len(shape)))
                axes = [rest.pop(next(k for k, axis in enumerate(rest) if made.shape[axis] == n)) for n in shape]
                return self.op("permute", made, numbers=tuple(axes))
            return self.op("reshape", made, numbers=shape)
        matrix = self.flattened(made)
        if len(shape) != 2:
            return self.op("reshape", self.brought(matrix, (1, prod(shape))), numbers=shape)
        (m, n), (rows, columns) = matrix.shape, shape
        if rows not in (1, m):
            matrix = self.op("@", self.literal((rows, m)), matrix)
        elif rows != m:
            matrix = self.op(self.rng.choice(("col_sum", "col_max", "col_mean")), matrix)
        if columns not in (1, n):
            return self.op("@", matrix, self.literal((n, columns)))
        if columns != n:
            return self.op(self.rng.choice(("row_sum", "row_max", "row_mean")), matrix)
        return matrix

    def positive(self, made: Made) -> Made:
        """The value, or something made of it that is safely positive."""
        try:
            self.op("log", made)
        except Unsuited:
            if made.expression.form == "name" and self.rng.random() < 0.5:
                made = self.op("*", made, made)
            else:
                made = self.op(self.rng.choice(("exp", "relu")), made)
            return self.op("+", made, self.number())
        return made

    def divisor(self, made: Made) -> Made:
        try:
            self.op("/", made, made)
        except Unsuited:
            return self.positive(made)
        return made

    # Variables, numbers, literals, sizes.

    def tensors(self) -> dict[str, Made]:
        return {name: made for name, made in self.scope.items() if not made.value.scalar}

    def matrices(self) -> dict[str, Made]:
        return {name: made for name, made in self.tensors().items() if len(made.shape) == 2}

    def variable(self, among: Mapping[str, Made], use: bool = True) -> Made:
        """One of these variables, mostly one that has not been used; a literal where there is none."""
        if not among:
            return self.literal(self.sizes())
        names = list(among)
        if self.rng.random() < 0.8:
            names = [name for name in names if name in self.unused] or names[-3:]
        name = self.rng.choice(names)
        if use:
            self.unused.discard(name)
        return among[name]

    def scalar(self) -> Made:
        """A compile-time scalar of moderate size: a number, a name for one, or arithmetic on them."""
        known = [made for made in self.scope.values() if made.value.scalar]
        if known and self.rng.random() < 0.3:
            return self.rng.choice(known)
        made = self.number()
        if self.rng.random() < 0.2:
            made = self.op("-", made)
        if self.rng.random() < 0.25:
            made = self.suited(lambda: self.op(self.rng.choice("+-*/"), made, self.scalar())) or made
        return made

    def number(self) -> Made:
        expression = Expression("number", text=self.digits())
        return Made(expression, evaluate(expression, {}, {}))

    def literal(self, shape: Shape) -> Made:
        """A literal of this shape, reshaped if it is no matrix."""
        if len(shape) != 2:
            return self.op("reshape", self.literal((1, prod(shape))), numbers=shape)
        rows = [[self.rng.choice(("", "-")) + self.digits() for _ in range(shape[1])] for _ in range(shape[0])]
        expression = Expression("matrix", text=f"[[{'], ['.join([', '.join(row) for row in rows])}]]")
        return Made(expression, evaluate(expression, {}, {}))

    def digits(self) -> str:
        value = self.rng.uniform(0.3, 2.0)
        return self.rng.choice(
            (f"{value:.3f}", f"{value:.2f}", f"{value:.3e}", repr(value), "2", ".5", "1.", "3E-1", "15e-1")
        )

    def sizes(self) -> Shape:
        """The shape of a matrix that is not too large."""
        return self.rng.choice(((1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2), (2, 4)))

    def larger(self) -> Shape:
        """Two sizes of more than 1, those of a matrix in scope if it has such."""
        known = [made.shape for made in self.matrices().values() if min(made.shape) > 1]
        return self.rng.choice(known if known and self.rng.random() < 0.8 else [(2, 2), (2, 3), (3, 2)])

    def factors(self, size: int) -> Shape:
        """Sizes whose product this is, with ones among them, of rank 1 to RANK."""
        sizes = [1] * self.rng.randint(1, RANK)
        prime = 2
        while size > 1:
            if size % prime == 0:
                size //= prime
                sizes[self.rng.randrange(len(sizes))] *= prime
            else:
                prime += 1
        return tuple(sizes)
