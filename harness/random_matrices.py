"""Seeded random programs of Mountain Goat, as text, with what they print and what they can be differentiated by.

They have functions, which call each other and are called again with other arguments, sharing, names that clash and
shadow, dead code, literals among the inputs and inside expressions, scalars on both sides, every stretch and every
built-in function, tensors of rank 1 to 5, and prints before and after that of the loss. Values are drawn together with
their doubles as `harness.valued_matrices` says, so they are moderate, well conditioned, and away from kinks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from random import Random

import numpy as np

from harness.matrix_operands import Operands
from harness.matrix_operations import make
from harness.valued_matrices import Expression, Function, Made, Value, text

NAMES = (*"abcxyzTp", "w", "x1", "x2", "v1", "v2", "t1", "g_x", "g_v1", "d_v2", "x_t", "x_wide", "x_1", "_q", "along_x",
         "double", "int", "main", "exp", "zero", "s0")  # fmt: skip
"""Few, so that they clash; words of C, functions of the language, and names of generated programs among them."""

FUNCTIONS = ("f", "g", "h", "f_1", "main", "double", "relu2", "x")


@dataclass(frozen=True, slots=True)
class MatrixSample:
    """A program and what is known of it.

    values  what it prints
    loss    the number of the print, from 0, that is a 1x1 loss
    wrt     names that stand for literals there, and with which the loss varies other than through ge
    """

    source: str
    values: tuple[np.ndarray, ...]
    loss: int
    wrt: tuple[str, ...]


def random_matrices(rng: Random, *, size: int = 24) -> MatrixSample:
    """A program of about `size` operations, and those that make a loss of them.

    The sample is a function of the generator's state and `size`.
    """
    program = _Program(rng)
    for _ in range(rng.choice((1, 2, 2, 3))):
        program.input()
    while program.operations < size:
        program.statement()
    loss, wrt = program.loss()
    for _ in range(rng.choice((0, 0, 1, 2))):
        program.statement()
    return MatrixSample("".join(program.lines), tuple(program.values), loss, wrt)


@dataclass(slots=True)
class _Program:
    """A program in the making: its lines, and the values printed so far.

    `inputs` are the numbers of the literals that names stand for. The first one is not shadowed before the loss.
    """

    rng: Random
    lines: list[str] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    inputs: dict[str, int] = field(default_factory=dict)
    first: str = ""
    drawn: int = 0
    operations: int = 0
    operands: Operands = field(init=False)

    def __post_init__(self) -> None:
        self.operands = Operands(self.rng, self.functions)

    # Statements.

    def statement(self) -> None:
        form = self.rng.random()
        if form < 0.05:
            self.input()
        elif form < 0.15 and len(self.functions) < len(FUNCTIONS):
            self.define()
        elif form < 0.2:
            self.let(self.operands.scalar())
        elif form < 0.27:
            self.print(make(self.operands, 1))
        else:
            self.let(make(self.operands, self.rng.choice((1, 2, 3))))

    def input(self) -> None:
        self.drawn += 1
        literal = self.operands.literal(self.operands.sizes())
        value = Value(literal.value.double, literal.value.twin, frozenset([self.drawn]))
        name = self.let(Made(literal.expression, value))
        self.inputs[name] = self.drawn
        self.first = self.first or name

    def let(self, made: Made) -> str:
        """Bind a name, one time in four one that is bound already."""
        scope, unused = self.operands.scope, self.operands.unused
        bound = [name for name in scope if name != self.first]
        fresh = [name for name in NAMES if name not in scope]
        name = self.rng.choice(bound if bound and (not fresh or self.rng.random() < 0.25) else fresh)
        self.write(f"let {name} =", made)
        self.inputs.pop(name, None)
        scope.pop(name, None)  # so that it becomes the latest
        scope[name] = Made(Expression("name", text=name), made.value)
        (unused.discard if made.value.scalar else unused.add)(name)
        return name

    def print(self, made: Made) -> None:
        self.write("print", made)
        self.values.append(np.asarray(made.value.double))

    def write(self, words: str, made: Made) -> None:
        if self.rng.random() < 0.05:
            self.lines.append(self.rng.choice(("\n", "# let x = [[1]]\n")))
        end = self.rng.choice(("  # print", " ", " #")) if self.rng.random() < 0.05 else ""
        self.lines.append(f"{words} {text(made.expression)}{end}\n")
        self.operations += _operations(made.expression)

    def define(self) -> None:
        """A function, and a `let` that calls it. What its parameters are worth is what the arguments there are."""
        rng = self.rng
        args = [self.operands.variable(self.operands.tensors()) for _ in range(rng.choice((0, 1, 1, 1, 2, 2)))]
        parameters = tuple(rng.sample(NAMES, len(args)))
        scope = {p: Made(Expression("name", text=p), a.value) for p, a in zip(parameters, args, strict=True)}
        inside = Operands(rng, self.functions, scope, set(parameters))
        body = make(inside, rng.choice((1, 2, 3))) if args else inside.literal(inside.sizes())
        name = rng.choice([name for name in FUNCTIONS if name not in self.functions])
        shapes = tuple([(p, a.shape) for p, a in zip(parameters, args, strict=True)])
        declared = ", ".join([f"{p}: tensor[{'x'.join(map(str, shape))}]" for p, shape in shapes])
        self.write(f"def {name}({declared}) =", body)
        self.functions[name] = Function(shapes, body.expression)
        self.let(Made(Expression(name, tuple([a.expression for a in args])), body.value))

    # The loss.

    def loss(self) -> tuple[int, tuple[str, ...]]:
        """Print a sum of what is unused, brought to 1x1: the number of the print, and the inputs it varies with."""
        operands = self.operands
        total = self.brought(operands.scope[self.first])
        for name, made in list(operands.tensors().items())[-5:]:
            if name in operands.unused and name != self.first:
                part = self.brought(made)
                total = operands.suited(lambda a=total, b=part: operands.op(self.rng.choice("+-"), a, b)) or total
        if self.rng.random() < 0.5:
            total = operands.scope[self.let(total)]
        self.print(total)
        self.inputs = {name: number for name, number in self.inputs.items() if number in total.value.varies}
        return len(self.values) - 1, tuple(self.inputs)

    def brought(self, made: Made) -> Made:
        """A value brought to 1x1."""
        ways = self.weighted_by_a_tensor, self.weighted_by_products, self.reduced, self.reduced
        return self.operands.suited(*[lambda way=way: way(made) for way in ways]) or self.mean_square(made)

    def weighted_by_a_tensor(self, made: Made) -> Made:
        axes = tuple(self.rng.sample(range(len(made.shape)), len(made.shape)))
        weights = self.operands.shaped(tuple([made.shape[axis] for axis in axes]), 0)
        return self.operands.op("contract", made, weights, numbers=(axes, tuple(range(len(axes)))))

    def weighted_by_products(self, made: Made) -> Made:
        matrix = self.operands.flattened(made)
        m, n = matrix.shape
        left = self.operands.op("@", self.operands.shaped((1, m), 0), matrix)
        return self.operands.op("@", left, self.operands.shaped((n, 1), 0))

    def reduced(self, made: Made) -> Made:
        one, other = self.rng.choice((("row", "col"), ("col", "row")))
        inner = self.operands.op(f"{one}_{self.rng.choice(('sum', 'mean', 'max'))}", self.operands.flattened(made))
        return self.operands.op(f"{other}_{self.rng.choice(('sum', 'mean'))}", inner)

    def mean_square(self, made: Made) -> Made:
        row = self.operands.op("reshape", made, numbers=(1, prod(made.shape)))
        return self.operands.op("row_mean", self.operands.op("*", row, row))


def _operations(expression: Expression) -> int:
    return bool(expression.args) + sum(map(_operations, expression.args))
