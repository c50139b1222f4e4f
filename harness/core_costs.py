"""What a transformed program costs, as a sum over the constructs that the source program executes.

A second computation of the theorem's cost, which neither transforms the program nor evaluates a target term: it runs
the source forwards, then follows the cotangents backwards as bare shapes (a shape is the list of its parts' shapes, or
None where absent), because what a sum or a projection of cotangents costs depends on what is present alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Node, Pair, Prim, Program, Snd, Unit, Var
from transforms.chad.types import INTEGER, REAL, UNIT, Type
from transforms.chad.values import Left, Right

Shape = list[Any] | None
Back = Callable[[Shape], None]

LEAF: Shape = []
LINEAR_BINARY, TWICE_SCALED, INTEGERS = {"add"}, {"mul", "div", "pow", "max", "min"}, {"iadd", "imul"}
PRIMITIVE = {"neg": 17, "literal": 16, "sign": 17, "ineg": 16}
UNARY = 20


def sum_of_constructs(program: Program, inputs: Sequence[Any], cotangent: Any) -> int:
    """The cost of running the transformed program from zeros: 6 + sum over the context of (2 + z) + the constructs'."""
    books = _Books(dict(zip(program.context, inputs, strict=True)))
    books.cost = 6
    for x in program.context:
        books.cost += 2 + zero_term(x.type)
        books.slots[x] = zero(x.type)
    books.execute(program.term)(shape(cotangent))
    return books.cost


def zero_term(type_: Type) -> int:
    """The cost z of a zero term."""
    return 2 if type_ is REAL else 1


def zero(type_: Type) -> Shape:
    return LEAF if type_ in (REAL, UNIT, INTEGER) else None


def shape(linear: Any) -> Shape:
    match linear:
        case None:
            return None
        case (left, right):
            return [shape(left), shape(right)]
        case Left(value=part) | Right(value=part):
            return [shape(part)]
    return LEAF


class _Books:
    """The running cost, the values of the variables, and the shapes in their slots."""

    def __init__(self, values: Mapping[Var, Any]) -> None:
        self.cost = 0
        self.values = dict(values)
        self.slots: dict[Var, Shape] = {}
        self.value: Any = None

    def execute(self, term: Node) -> Back:
        """Leaves the term's value in `value`; returns what happens when a cotangent arrives there."""
        match term:
            case Var():
                self.cost += 7
                self.value = self.values[term]
                return lambda d: self.arrive(term, d)
            case Unit():
                self.cost += 6
                self.value = ()
                return lambda d: None
            case Prim(op=op, argument=argument):
                back = self.execute(argument)
                self.value = op.function(self.value)
                received, cost = self.primitive(op.name)
                self.cost += cost
                return lambda d: back(received)
            case Pair(left=left, right=right):
                self.cost += 30
                back1 = self.execute(left)
                first = self.value
                back2 = self.execute(right)
                self.value = first, self.value

                def both(d: Shape) -> None:
                    first, second = self.part(d, 0, left.type), self.part(d, 1, right.type)
                    back1(first)
                    back2(second)

                return both
            case Fst(pair=pair):
                dropped = pair.type.right
                self.cost += 12 + zero_term(dropped)
                back = self.execute(pair)
                self.value = self.value[0]
                return lambda d: back([d, zero(dropped)])
            case Snd(pair=pair):
                dropped = pair.type.left
                self.cost += 12 + zero_term(dropped)
                back = self.execute(pair)
                self.value = self.value[1]
                return lambda d: back([zero(dropped), d])
            case Inl(value=value) | Inr(value=value):
                self.cost += 12
                back = self.execute(value)
                self.value = Left(self.value) if isinstance(term, Inl) else Right(self.value)
                return lambda d: back(self.part(d, 0, value.type))
            case Let(x=x, bound=bound, body=body):
                self.cost += 26 + zero_term(x.type)
                back1 = self.execute(bound)
                back2 = self.inside(x, self.value, body)
                return lambda d: back1(self.leave(x, d, back2))
            case Case(scrutinee=scrutinee):
                back1 = self.execute(scrutinee)
                x, branch = (term.x, term.left) if isinstance(self.value, Left) else (term.y, term.right)
                self.cost += 27 + zero_term(x.type)
                back2 = self.inside(x, self.value.value, branch)
                return lambda d: back1([self.leave(x, d, back2)])
        raise TypeError(f"expected a source term, found {term!r}")

    def inside(self, x: Var, value: Any, body: Node) -> Back:
        self.values[x] = value
        return self.execute(body)

    def leave(self, x: Var, d: Shape, back: Back) -> Shape:
        """What x receives when d arrives at its scope."""
        self.slots[x] = zero(x.type)
        back(d)
        return self.slots.pop(x)

    def primitive(self, name: str) -> tuple[Shape, int]:
        """What the argument receives, and the cost of the construct."""
        if name in LINEAR_BINARY | INTEGERS:
            return [LEAF, LEAF], 18
        if name in TWICE_SCALED:
            return [LEAF, LEAF], 26
        return LEAF, PRIMITIVE.get(name, UNARY)

    def part(self, d: Shape, k: int, type_: Type) -> Shape:
        """A projection: from what is absent it costs 1 more."""
        if d is not None:
            return d[k]
        self.cost += 1
        return zero(type_)

    def arrive(self, x: Var, d: Shape) -> None:
        """`plus`, of which the variable's own cost contains 1."""
        self.slots[x], cost = add(self.slots[x], d)
        self.cost += cost - 1


def add(a: Shape, b: Shape) -> tuple[Shape, int]:
    """The sum's shape and its cost."""
    if a is None or b is None:
        return (b if a is None else a), 1
    sums = [add(*parts) for parts in zip(a, b, strict=True)]
    return [part for part, _ in sums], 1 + sum(cost for _, cost in sums)
