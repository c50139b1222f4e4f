"""Straight lines as values that are computed and views of them.

What only rearranges entries is not computed: a transposition, a stretching or a reshape is the value it rearranges,
read with other strides. What is left goes along the entries of a matrix, row by row:

    map       an entry from the entries of the arguments at the same place
    reduce    one entry for each row, from those of the row in order
    fold      one entry for each column, from those of the column in order
    product   an entry from a row of the first argument and a column of the second
    gather    entries of an array of rank other than 2 in another order

A value lies in memory row by row, and strides are in entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from transforms.array_rules import TABLE
from transforms.machines.c_text import literal
from transforms.mountain_goat.lines import Line
from transforms.rules import OPERATIONS
from transforms.syntax import Lit, Term, Var

ROWS = {**OPERATIONS, **TABLE}


@dataclass(frozen=True, slots=True)
class View:
    """An array whose entries are those of a value, at these strides: 0 along an axis that stretches, or has size 1."""

    value: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Uniform:
    """An array whose entries are all one literal."""

    entry: float
    shape: tuple[int, ...]


Operand = View | Uniform


@dataclass(frozen=True, slots=True)
class Node:
    """A value: what it is computed from, over how many rows and columns (of the argument, where it is summed up).

    kind       as above, or "given" for what the program is given, where `data` is it
    c          the expression for an entry, as the rule table has it; "sum" or "max" where entries become one
    inner      the length of the sums of a product
    line       the line in the source, 0 where not known
    """

    kind: str
    rows: int
    columns: int
    args: tuple[Operand, ...] = ()
    c: str = ""
    inner: int = 1
    line: int = 0
    name: str = ""
    data: np.ndarray | None = None

    @property
    def width(self) -> int:
        """How many entries of the result belong to a row of the loop; those of a fold belong to none."""
        return 1 if self.kind == "reduce" else self.columns

    @property
    def size(self) -> int:
        return {"reduce": self.rows, "fold": self.columns}.get(self.kind, self.rows * self.columns)


@dataclass(slots=True)
class Graph:
    """Values in order, and what the names of a straight line stand for."""

    nodes: list[Node]
    named: dict[str, Operand]
    results: list[Operand]


def graph(
    inputs: Mapping[str, np.ndarray], lines: Iterable[Line], printed: Sequence[Term], line_of: Mapping[str, int]
) -> Graph:
    """The values of a straight line. What is printed lies in memory row by row, or is uniform."""
    building = _Building(Graph([], {}, []))
    for name, data in inputs.items():
        building.graph.named[name] = building.given(data, name)
    for name, operation in lines:
        building.line = line_of.get(name, 0)
        args = [building.operand(arg) for arg in operation.args]
        building.graph.named[name] = building.computed(operation.name, args, dict(operation.statics))
    building.line = 0
    for part in printed:
        operand = building.operand(part)
        building.graph.results.append(operand if isinstance(operand, Uniform) else building.whole(operand))
    return building.graph


def used(found: Graph) -> set[int]:
    """The values that the results depend on."""
    needed = {result.value for result in found.results if isinstance(result, View)}
    for number in reversed(range(len(found.nodes))):
        if number in needed:
            needed.update(arg.value for arg in found.nodes[number].args if isinstance(arg, View))
    return needed


@dataclass(slots=True)
class _Building:
    graph: Graph
    line: int = 0

    def operand(self, atom: Term) -> Operand:
        if isinstance(atom, Var):
            return self.graph.named[atom.name]
        assert isinstance(atom, Lit)
        value = np.asarray(atom.value, float)
        entries = np.ravel(value)
        if np.all(entries.view(np.int64) == entries.view(np.int64)[0]):
            return Uniform(float(entries[0]), value.shape)
        return self.given(value)

    def given(self, data: np.ndarray, name: str = "") -> View:
        return self._add(Node("given", 1, data.size, data=data, name=name), data.shape)

    def whole(self, view: View) -> View:
        """The same entries, lying in memory row by row and nothing else."""
        if view.strides == strides(view.shape) and self.graph.nodes[view.value].size == prod(view.shape):
            return view
        axes = _merged(view)
        if len(axes) > 2:
            return self._add(Node("gather", 1, prod(view.shape), (view,), "{0}", line=self.line), view.shape)
        (rows, s), (columns, t) = [(1, 0)] * (2 - len(axes)) + axes
        matrix = View(view.value, (rows, columns), (s, t))
        return self._add(Node("map", rows, columns, (matrix,), "{0}", line=self.line), view.shape)

    def computed(self, name: str, args: list[Operand], statics: dict) -> Operand:
        a = args[0]
        match name:
            case "transpose":
                return _permuted(a, (1, 0))
            case "permute":
                return _permuted(a, statics["permutation"])
            case "broadcast":
                return _stretched(a, statics["shape"])
            case "reshape":
                return self._reshaped(a, statics["shape"])
            case "reduce":
                return self._reduced(a, **statics)
            case "matmul":
                rows, inner = a.shape
                columns = args[1].shape[1]
                node = Node("product", rows, columns, tuple(args), ROWS[name].c, inner, self.line)
                return self._add(node, (rows, columns))
            case _:
                return self._mapped(ROWS[name].c, args, statics)

    def _mapped(self, c: str, args: list[Operand], statics: dict) -> View:
        shape = args[0].shape
        text = c.format(*[f"{{{k}}}" for k in range(len(args))], **{k: literal(v) for k, v in statics.items()})
        if len(shape) != 2:  # the places of the entries do not matter, as long as they are the same
            args = [self.whole(arg) if isinstance(arg, View) else arg for arg in args]
            args = [_as(arg, (1, prod(shape))) for arg in args]
        rows, columns = args[0].shape
        return self._add(Node("map", rows, columns, tuple(args), text, line=self.line), shape)

    def _reduced(self, a: Operand, *, axis: int, kind: str) -> Operand:
        shape = (a.shape[0], 1) if axis else (1, a.shape[1])
        if a.shape[axis] == 1:  # there is nothing to sum up
            return a
        rows, columns = a.shape
        return self._add(Node("reduce" if axis else "fold", rows, columns, (a,), kind, line=self.line), shape)

    def _reshaped(self, a: Operand, shape: tuple[int, ...]) -> Operand:
        if isinstance(a, Uniform):
            return replace(a, shape=shape)
        found = _split(a, shape)
        return View(a.value, shape, found) if found else _as(self.whole(a), shape)

    def _add(self, node: Node, shape: tuple[int, ...]) -> View:
        self.graph.nodes.append(node)
        return View(len(self.graph.nodes) - 1, shape, strides(shape))


def strides(shape: Sequence[int]) -> tuple[int, ...]:
    """How far apart the entries along each axis lie in an array that lies row by row."""
    return tuple([prod(shape[k + 1 :]) if n > 1 else 0 for k, n in enumerate(shape)])


def _as(a: Operand, shape: tuple[int, ...]) -> Operand:
    """An array that lies row by row, in another shape."""
    return Uniform(a.entry, shape) if isinstance(a, Uniform) else View(a.value, shape, strides(shape))


def _permuted(a: Operand, permutation: Sequence[int]) -> Operand:
    shape = tuple([a.shape[axis] for axis in permutation])
    if isinstance(a, Uniform):
        return replace(a, shape=shape)
    return View(a.value, shape, tuple([a.strides[axis] for axis in permutation]))


def _stretched(a: Operand, shape: tuple[int, ...]) -> Operand:
    if isinstance(a, Uniform):
        return replace(a, shape=shape)
    return View(a.value, shape, a.strides)  # which are 0 along what stretches


def _merged(view: View) -> list[tuple[int, int]]:
    """For each axis its length and its stride; axes that one loop can go along are one."""
    axes: list[tuple[int, int]] = []
    for n, stride in zip(view.shape, view.strides, strict=True):
        if n == 1:
            continue
        if axes and axes[-1][1] == n * stride:
            axes[-1] = axes[-1][0] * n, stride
        else:
            axes.append((n, stride))
    return axes


def _split(view: View, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The strides of a view in another shape, or None where it has none."""
    axes = _merged(view)
    found = []
    rest, stride = 1, 0
    for n in reversed(shape):
        if n == 1:
            found.append(0)
            continue
        if rest == 1:
            rest, stride = axes.pop()
        if rest % n:
            return None
        found.append(stride)
        rest, stride = rest // n, stride * n
    return tuple(reversed(found))
