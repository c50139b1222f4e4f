"""Instructions being written: the body of a function, or of `main`, in single assignment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from transforms.mountain_goat import shapes
from transforms.mountain_goat.module import Instruction, Shape
from transforms.mountain_goat.names import Names


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the program: its name and its shape."""

    name: str
    shape: Shape


@dataclass(slots=True)
class Body:
    """The instructions so far; `line` is the line of those that come next.

    The methods write the instructions that make a value, if there are any to write, and return the value. Where `name`
    is given, the last of them gets that name or one like it. They raise the errors of the shape rules.
    """

    names: Names
    line: int = 0
    instructions: list[Instruction] = field(default_factory=list)

    def emit(
        self, op: str, operands: tuple[Value, ...], shape: Shape, name: str | None = None, **attributes: Any
    ) -> Value:
        result = self.names.temporary() if name is None else self.names.fresh(name)
        given = tuple([operand.name for operand in operands])
        self.instructions.append(Instruction(result, op, given, shape, attributes, self.line))
        return Value(result, shape)

    def print(self, value: Value) -> None:
        self.instructions.append(Instruction(None, "print", (value.name,), None, {}, self.line))

    def elementwise(self, op: str, sign: str, a: Value, b: Value, name: str | None = None) -> Value:
        shape = shapes.stretched(a.shape, b.shape, sign)
        return self.emit(op, (self._stretch(a, shape), self._stretch(b, shape)), shape, name)

    def _stretch(self, a: Value, shape: Shape) -> Value:
        """The operand in the common shape. An unknown dimension does not stretch: it is cast to what it must be."""
        a = self.cast(a, tuple([1 if m == 1 else n for m, n in zip(a.shape, shape, strict=True)]))
        return a if a.shape == shape else self.emit("broadcast", (a,), shape)

    def cast(self, a: Value, shape: Shape) -> Value:
        return a if a.shape == shape else self.emit("cast", (a,), shape)

    def scalar(self, kind: str, a: Value, value: float, on_left: bool, sign: str, name: str | None = None) -> Value:
        """The matrix combined with a number, which stands on its left or on its right."""
        reversed_ = on_left and kind in ("sub", "div")  # the others commute
        shape = shapes.matrix(a.shape, sign)
        return self.emit("scalar", (a,), shape, name, kind=kind, value=value, reversed=reversed_)

    def matmul(self, a: Value, b: Value, name: str | None = None) -> Value:
        return self.emit("matmul", (a, b), shapes.matmul(a.shape, b.shape), name)

    def reduce(self, a: Value, axis: int, kind: str, what: str, name: str | None = None) -> Value:
        return self.emit("reduce", (a,), shapes.reduce(a.shape, axis, what), name, axis=axis, kind=kind)

    def mean(self, a: Value, axis: int, what: str, name: str | None = None) -> Value:
        total = self.reduce(a, axis, "sum", what)
        size = a.shape[axis]
        if size is not None:
            return self.scalar("div", total, float(size), False, what, name)
        # How many there are is known at run time only: the sum of as many ones.
        ones = self.emit("ge", (a, a), a.shape)
        return self.emit("div", (total, self.reduce(ones, axis, "sum", what)), total.shape, name)

    def reshape(self, a: Value, shape: Shape, name: str | None = None) -> Value:
        shape = shapes.reshape(a.shape, shape)
        return a if a.shape == shape else self.emit("reshape", (a,), shape, name)

    def permute(self, a: Value, permutation: tuple[int, ...], name: str | None = None) -> Value:
        shape = shapes.permute(a.shape, permutation)
        if permutation == tuple(range(len(permutation))):
            return a
        return self.emit("permute", (a,), shape, name, permutation=permutation)

    def contract(
        self, a: Value, a_axes: tuple[int, ...], b: Value, b_axes: tuple[int, ...], name: str | None = None
    ) -> Value:
        """Sums of products over paired axes: the free axes of each side flattened to one, and a matrix product."""
        shapes.contracted(a.shape, a_axes, b.shape, b_axes)
        a_free, b_free = _others(a.shape, a_axes), _others(b.shape, b_axes)
        left = self.permute(a, a_free + a_axes)
        left = self._flatten(left, len(a_free))
        right = self.permute(b, b_axes + b_free)
        right = self._flatten(right, len(b_axes))
        shape = tuple([a.shape[i] for i in a_free] + [b.shape[k] for k in b_free]) or (1, 1)
        if shape == shapes.matmul(left.shape, right.shape):
            return self.matmul(left, right, name)
        return self.reshape(self.matmul(left, right), shape, name)

    def _flatten(self, a: Value, first: int) -> Value:
        """The value as a matrix: its first axes are the rows, the others the columns."""
        shape = shapes.flat(a.shape[:first]), shapes.flat(a.shape[first:])
        return a if a.shape == shape else self.reshape(a, shape)


def _others(shape: Shape, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([axis for axis in range(len(shape)) if axis not in axes])
