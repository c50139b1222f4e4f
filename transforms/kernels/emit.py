"""Kernels as C: one statement for each, a loop over rows with all that happens in a row.

The operations on entries are those of the rule table, and each sum is added up in order from where the plain program
starts it, so the numbers are the same to the last bit. (A sum over entries begins at its first entry there and at -0.0
here, which leaves every number as it is.)

An entry of a value that is used once, where it is computed, stands in the expression that uses it; others are variables
of the row. A long row that a later segment reads, and what other kernels read, lies in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from transforms.array_rules import REDUCTIONS
from transforms.kernels.nest import Nest
from transforms.kernels.schedule import Schedule, Segment, alone, length, within
from transforms.kernels.views import Graph, Node, Operand, Uniform, View
from transforms.machines.c_text import literal

INLINE = 400
"""Characters of an expression that stands in another."""
STARTS = {"sum": "-0.0", "max": "-INFINITY"}
"""What leaves every number as it is, added or compared."""


@dataclass(slots=True)
class Uses:
    """Of each value: how many arguments and results are it, and whether it lies in memory, whole or a row of it."""

    count: Counter[int] = field(default_factory=Counter)
    only: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The last node that uses it, and as which argument."""
    whole: set[int] = field(default_factory=set)
    row: set[int] = field(default_factory=set)
    scalars: set[int] = field(default_factory=set)
    """Those that are used in their own kernel, entry by entry."""


def uses(graph: Graph, made: Schedule) -> Uses:
    found = Uses()
    for result in graph.results:
        if isinstance(result, View):
            found.count[result.value] += 1
            found.whole.add(result.value)
    for number, node in enumerate(graph.nodes):
        place = made.places[number]
        if place.kernel < 0:
            continue
        if node.kind in ("fold", "gather"):
            found.whole.add(number)
        for k, arg in enumerate(node.args):
            if isinstance(arg, Uniform):
                continue
            found.count[arg.value] += 1
            found.only[arg.value] = number, k
            there = made.places[arg.value]
            if there.kernel != place.kernel or node.kind == "gather" or not within(graph, node, k):
                found.whole.add(arg.value)
            elif graph.nodes[arg.value].width > made.limits.short and (
                there.segment != place.segment or alone(node, made.limits)
            ):
                found.row.add(arg.value)
            else:
                found.scalars.add(arg.value)
    return found


class Writing:
    """The text of one kernel. `bases` has the names of what lies in memory."""

    def __init__(self, graph: Graph, made: Schedule, used: Uses, number: int, bases: dict[int, str]) -> None:
        self.graph, self.made, self.used, self.number, self.bases = graph, made, used, number, bases
        self.kernel = made.kernels[number]
        self.short, self.step = made.limits.short, made.limits.step
        self.nest = Nest()
        self.depth = int(self.kernel.rows > 1)
        self.entries: dict[tuple[int, int], str] = {}
        """Of the values of short rows, by column."""
        self.along: dict[tuple[int, int], str] = {}
        """Of the values of long rows that the present loop computes, by columns from where it is."""
        self.touched: dict[str, None] = {}
        self.line = 0

    def text(self) -> tuple[str, tuple[str, ...]]:
        """The statement, and what it touches."""
        self.nest.write("{")
        folds = [n for s in self.kernel.segments for n in s.nodes if self.graph.nodes[n].kind == "fold"]
        for number in folds:
            self._fold_begins(number)
        if self.depth:
            self.nest.loop(self.kernel.rows, 1, lambda _: self._row())
        else:
            self._row()
        for number in folds:
            self._fold_ends(number)
        self.nest.write("}")
        return "\n    ".join(self.nest.lines), tuple(self.touched)

    def _row(self) -> None:
        for segment in self.kernel.segments:
            if segment.alone:
                self._alone(*segment.nodes)
            elif segment.length is None:
                for number in segment.nodes:
                    self._straight(number)
            else:
                self._loop(segment)

    def _straight(self, number: int) -> None:
        """A value of short rows, entry by entry."""
        node = self._at(number)
        if node.kind == "reduce":
            entries = [self._entry(number, 0, c) for c in range(node.columns)]
            if node.c == "sum":
                self._set(number, 0, _sum(entries[0], entries[1:]))
            else:
                self._declare(number, entries[0])
                for entry in self._simple(number, entries[1:]):
                    self._accumulate(f"v{number}_0", node, entry)
                self._keep(number)
        elif node.kind == "fold":
            for c in range(node.columns):
                self._accumulate(f"f{number}_{c}", node, self._entry(number, 0, c))
        elif node.kind == "product":
            left = [self._entry(number, 0, p) for p in range(node.inner)]
            if node.columns > 2:
                left = self._simple(number, left)
            for c in range(node.columns):
                self._set(number, c, self._from_0(self._terms(number, left, (c,))))
        else:
            for c in range(node.columns):
                entries = [self._entry(number, k, c) for k in range(len(node.args))]
                self._set(number, c, node.c.format(*entries))

    def _loop(self, segment: Segment) -> None:
        """All that goes along the columns together."""
        for number in segment.nodes:
            node = self._at(number)
            if node.kind == "reduce":
                self._declare(number, STARTS[node.c])
            elif node.kind == "product" and node.columns <= self.short:
                for c in range(node.columns):
                    self._declare(number, "0.0", c)
        assert segment.length is not None
        self.nest.loop(segment.length, self.step, lambda step: self._columns(segment, step))
        self.along = {}
        for number in segment.nodes:
            node = self.graph.nodes[number]
            if node.kind == "reduce" or node.kind == "product" and node.columns <= self.short:
                self._keep(number)

    def _columns(self, segment: Segment, step: int) -> None:
        self.along = {}
        for number in segment.nodes:
            node = self._at(number)
            if node.kind == "product" and node.columns <= self.short:
                left = [self._entry(number, 0, c, True) for c in range(step)]
                if node.columns > 1:
                    left = self._simple(number, left)
                for c in range(node.columns):
                    terms = self._terms(number, left, (c,), True)
                    self.nest.write(f"v{number}_{c} = {_sum(f'v{number}_{c}', terms)};")
            elif node.kind == "product":
                left = [self._entry(number, 0, p) for p in range(node.inner)]
                left = self._simple(number, left)
                for c in range(step):
                    terms = self._right_along(number, left, c)
                    self._set(number, c, self._from_0(terms), True)
            elif node.kind == "reduce":
                entries = [self._entry(number, 0, c, True) for c in range(step)]
                if node.c == "sum":
                    self.nest.write(f"v{number}_0 = {_sum(f'v{number}_0', entries)};")
                else:
                    for entry in self._simple(number, entries):
                        self._accumulate(f"v{number}_0", node, entry)
            elif node.kind == "fold":
                for c in range(step):
                    to = self.nest.entry(self._base(number), self._strides(0, 1), c)
                    self._accumulate(to, node, self._entry(number, 0, c, True))
            else:
                for c in range(step):
                    entries = [self._entry(number, k, c, True) for k in range(len(node.args))]
                    self._set(number, c, node.c.format(*entries), True)

    def _alone(self, number: int) -> None:
        """A product of a long row by long columns: some columns at a time."""
        node = self._at(number)
        a, b = node.args

        def columns(step: int) -> None:
            self.nest.write("double " + ", ".join(f"v{number}_{c} = 0.0" for c in range(step)) + ";")
            self.nest.loop(node.inner, max(self.step // 2, 1), lambda inner: terms(step, inner))
            for c in range(step):
                self.nest.write(f"{self._memory(number, c, True)} = v{number}_{c};")

        def terms(step: int, inner: int) -> None:
            left = []
            for p in range(inner):
                if isinstance(a, Uniform):
                    left.append(literal(a.entry))
                    continue
                if (a.value, 0) in self.entries and not a.strides[1]:
                    left.append(self.entries[a.value, 0])
                    continue
                local = a.value in self.used.row and a.value not in self.used.whole
                row = 0 if local else a.strides[0]
                left.append(self._reference(a.value, self._strides(row, 0, a.strides[1]), p * a.strides[1]))
            if step > 1:
                left = self._simple(number, left)
            for c in range(step):
                right = []
                for p in range(inner):
                    if isinstance(b, Uniform):
                        right.append(literal(b.entry))
                    else:
                        strides = self._strides(0, b.strides[1], b.strides[0])
                        right.append(self._reference(b.value, strides, c * b.strides[1] + p * b.strides[0]))
                products = [f"{x} * {y}" for x, y in zip(left, right, strict=True)]
                self.nest.write(f"v{number}_{c} = {_sum(f'v{number}_{c}', products)};")

        self.nest.write("{")
        self.nest.loop(node.columns, self.step, columns)
        self.nest.write("}")

    def _terms(self, number: int, left: Sequence[str], at: tuple[int], along: bool = False) -> list[str]:
        """The products that a column's sum is of, for as many rows of the second argument as there are in `left`."""
        b, (c,) = self.graph.nodes[number].args[1], at
        if isinstance(b, Uniform):
            return [f"{x} * {literal(b.entry)}" for x in left]
        down, across = b.strides
        strides = self._strides(0, down) if along else ()
        return [f"{x} * {self._reference(b.value, strides, p * down + c * across)}" for p, x in enumerate(left)]

    def _right_along(self, number: int, left: Sequence[str], c: int) -> list[str]:
        """As `_terms`, where the loop goes along the columns."""
        b = self.graph.nodes[number].args[1]
        if isinstance(b, Uniform):
            return [f"{x} * {literal(b.entry)}" for x in left]
        down, across = b.strides
        strides = self._strides(0, across)
        return [f"{x} * {self._reference(b.value, strides, p * down + c * across)}" for p, x in enumerate(left)]

    def _entry(self, number: int, k: int, c: int, along: bool = False) -> str:
        """Argument k of a value in a column, which is counted from where the loop is if that goes along the columns."""
        arg = self.graph.nodes[number].args[k]
        if isinstance(arg, Uniform):
            return literal(arg.entry)
        row, across = arg.strides
        if self.made.places[arg.value].kernel == self.number and within(self.graph, self.graph.nodes[number], k):
            known = self.along if along and across else self.entries
            found = known.get((arg.value, c if across else 0))
            if found is not None:
                return found
            if arg.value not in self.used.whole:
                row = 0
        return self._reference(arg.value, self._strides(row, across) if along else self._strides(row), c * across)

    def _set(self, number: int, c: int, text: str, along: bool = False) -> None:
        """Computes an entry: in memory, in a variable, or where it is used."""
        known = self.along if along else self.entries
        in_memory = number in self.used.whole or number in self.used.row
        if self._stands_in(number, along) and len(text) < INLINE:
            known[number, c] = f"({text})"
            return
        if number in self.used.scalars:
            self.nest.write(f"double v{number}_{c} = {text};")
            known[number, c] = text = f"v{number}_{c}"
        if in_memory:
            self.nest.write(f"{self._memory(number, c, along)} = {text};")

    def _stands_in(self, number: int, along: bool) -> bool:
        if self.used.count[number] != 1 or number in self.used.whole or number in self.used.row:
            return False
        user, k = self.used.only[number]
        if self.made.places[user] != self.made.places[number]:
            return False
        node, value = self.graph.nodes[user], self.graph.nodes[number]
        if node.kind == "product":
            return node.columns == 1
        if node.kind in ("reduce", "fold"):
            return node.c == "sum"
        return (value.width == node.columns) and node.c.count(f"{{{k}}}") == 1

    def _declare(self, number: int, text: str, c: int = 0) -> None:
        self.nest.write(f"double v{number}_{c} = {text};")
        self.entries[number, c] = f"v{number}_{c}"

    def _keep(self, number: int) -> None:
        """Writes the variables of a short row to memory, where it belongs there."""
        if number in self.used.whole:
            for c in range(self.graph.nodes[number].width):
                self.nest.write(f"{self._memory(number, c, False)} = v{number}_{c};")

    def _accumulate(self, to: str, node: Node, entry: str) -> None:
        if node.c == "max":
            (entry,) = self._simple(0, [entry])
        self.nest.write(f"{to} = {REDUCTIONS[node.c].format(entry, r=to)};")

    def _from_0(self, terms: list[str]) -> str:
        """A sum of products, from its beginning."""
        return _sum("0.0", terms) if self.made.limits.zero else _sum(terms[0], terms[1:])

    def _simple(self, number: int, entries: Sequence[str]) -> list[str]:
        """The entries as variables, where they are anything else: they are used several times."""
        simple = []
        for entry in entries:
            if not entry.replace("_", "").isalnum() and not entry.replace(".", "").isdigit():
                self.nest.serial += 1
                name = f"a{self.nest.serial}"
                self.nest.write(f"double {name} = {entry};")
                entry = name
            simple.append(entry)
        return simple

    def _strides(self, row: int, *inner: int) -> tuple[int, ...]:
        return (row,) * self.depth + inner

    def _memory(self, number: int, c: int, along: bool) -> str:
        width = self.graph.nodes[number].width
        row = width if number in self.used.whole else 0
        return self._reference(number, self._strides(row, 1) if along else self._strides(row), c)

    def _reference(self, number: int, strides: tuple[int, ...], offset: int) -> str:
        return self.nest.entry(self._base(number), strides, offset)

    def _base(self, number: int) -> str:
        self.touched[self.bases[number]] = None
        return self.bases[number]

    def _at(self, number: int) -> Node:
        node = self.graph.nodes[number]
        if node.line != self.line and node.line:
            self.nest.write(f"\n#line {node.line}")
            self.line = node.line
        return node

    def _fold_begins(self, number: int) -> None:
        node = self.graph.nodes[number]
        if length(node, self.made.limits) is None:
            for c in range(node.columns):
                self.nest.write(f"double f{number}_{c} = {STARTS[node.c]};")
        else:
            self._each(number, lambda c: STARTS[node.c])

    def _fold_ends(self, number: int) -> None:
        node = self.graph.nodes[number]
        if length(node, self.made.limits) is None:
            for c in range(node.columns):
                self.nest.write(f"{self._base(number)}[{c}] = f{number}_{c};")

    def _each(self, number: int, entry) -> None:  # noqa: ANN001
        node = self.graph.nodes[number]
        base = self._base(number)

        def some(step: int) -> None:
            for c in range(step):
                self.nest.write(f"{self.nest.entry(base, (1,), c)} = {entry(c)};")

        self.nest.loop(node.columns, self.step, some)


def _sum(start: str, terms: Sequence[str]) -> str:
    """The terms added to what is before, one after the other."""
    return " + ".join([start, *terms])
