"""Kernels as C: one statement for each, a loop over rows with all that happens in a row.

The operations on entries are those of the rule table, and each sum is added up in order from where the plain program
starts it, so the numbers are the same to the last bit. (A sum over entries begins at its first entry there and at -0.0
here, which leaves every number as it is.)

An entry of a value that is used once, where it is computed, stands in the expression that uses it; others are variables
of the row. A long row that a later segment reads, and what other kernels read, lies in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transforms.array_rules import REDUCTIONS
from transforms.kernels.nest import Nest
from transforms.kernels.plan import Schedule, Segment, length
from transforms.kernels.uses import Uses, stands_in
from transforms.kernels.views import Graph, Node, Uniform, View
from transforms.machines.c_text import literal

INLINE = 400
"""Characters of an expression that stands in another."""


class Writing:
    """The text of one kernel. `bases` has the names of what lies in memory."""

    starts: Mapping[str, str] = {"sum": "-0.0", "max": "-INFINITY"}
    """What leaves every number as it is, added or compared."""

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
            self.fold_begins(number)
        if self.depth:
            self.nest.loop(self.kernel.rows, 1, lambda _: self._row())
        else:
            self._row()
        for number in folds:
            self._fold_ends(number)
        self.nest.write("}")
        # What follows a `#line` is one line of C, or the next one would be counted as the next line of the source.
        between = " " if self.line else "\n    "
        return between.join(self.nest.lines), tuple(self.touched)

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
            entries = [self.entry(number, 0, c) for c in range(node.columns)]
            if node.c == "sum":
                self._set(number, 0, _sum(entries[0], entries[1:]))
            else:
                self._declare(number, entries[0])
                for entry in self._simple(entries[1:]):
                    self._accumulate(f"v{number}_0", node, entry)
                self._keep(number)
        elif node.kind == "fold":
            for c in range(node.columns):
                self._accumulate(f"f{number}_{c}", node, self.entry(number, 0, c))
        elif node.kind == "product":
            left = [self.entry(number, 0, p) for p in range(node.inner)]
            if node.columns > 2:
                left = self._simple(left)
            for c in range(node.columns):
                self._set(number, c, self._from_0(self._terms(number, left, c)))
        else:
            for c in range(node.columns):
                entries = [self.entry(number, k, c) for k in range(len(node.args))]
                self._set(number, c, node.c.format(*entries))

    def _loop(self, segment: Segment) -> None:
        """All that goes along the columns together."""
        for number in segment.nodes:
            node = self._at(number)
            if node.kind == "reduce":
                self._declare(number, self.starts[node.c])
            elif node.kind == "product" and node.columns <= self.short:
                for c in range(node.columns):
                    self._declare(number, "0.0", c)
        assert segment.length is not None
        self.nest.loop(segment.length, self.step, lambda step: self._columns(segment, step))
        for number in segment.nodes:
            node = self.graph.nodes[number]
            if node.kind == "reduce" or (node.kind == "product" and node.columns <= self.short):
                self._keep(number)

    def _columns(self, segment: Segment, step: int) -> None:
        self.along = {}
        for number in segment.nodes:
            node = self._at(number)
            if node.kind == "product" and node.columns <= self.short:
                left = [self.entry(number, 0, c, True) for c in range(step)]
                if node.columns > 1:
                    left = self._simple(left)
                for c in range(node.columns):
                    terms = self._terms(number, left, c, self._strides(0, self._steps(number)[0]))
                    self.nest.write(f"v{number}_{c} = {_sum(f'v{number}_{c}', terms)};")
            elif node.kind == "product":
                left = [self.entry(number, 0, p) for p in range(node.inner)]
                left = self._simple(left)
                for c in range(step):
                    terms = self._terms(number, left, c, self._strides(0, self._steps(number)[1]))
                    self._set(number, c, self._from_0(terms), True)
            elif node.kind == "reduce":
                entries = [self.entry(number, 0, c, True) for c in range(step)]
                if node.c == "sum":
                    self.nest.write(f"v{number}_0 = {_sum(f'v{number}_0', entries)};")
                else:
                    for entry in self._simple(entries):
                        self._accumulate(f"v{number}_0", node, entry)
            elif node.kind == "fold":
                for c in range(step):
                    to = self.nest.entry(self._base(number), self._strides(0, 1), c)
                    self._accumulate(to, node, self.entry(number, 0, c, True))
            else:
                for c in range(step):
                    entries = [self.entry(number, k, c, True) for k in range(len(node.args))]
                    self._set(number, c, node.c.format(*entries), True)

    def _alone(self, number: int) -> None:
        """A product of a long row by long columns: some columns at a time."""
        node = self._at(number)
        down, across = self._steps(number)

        def columns(step: int) -> None:
            self.nest.write("double " + ", ".join(f"v{number}_{c} = 0.0" for c in range(step)) + ";")
            self.nest.loop(node.inner, max(self.step // 2, 1), lambda inner: terms(step, inner))
            for c in range(step):
                self.nest.write(f"{self._memory(number, c, True)} = v{number}_{c};")

        def terms(step: int, inner: int) -> None:
            left = [self._left(number, p) for p in range(inner)]
            if step > 1:
                left = self._simple(left)
            for c in range(step):
                products = self._terms(number, left, c, self._strides(0, across, down))
                self.nest.write(f"v{number}_{c} = {_sum(f'v{number}_{c}', products)};")

        self.nest.loop(node.columns, self.step, columns)

    def _left(self, number: int, p: int) -> str:
        """An entry of a long row, in memory, within two loops of which the inner one goes along it."""
        a = self.graph.nodes[number].args[0]
        if isinstance(a, Uniform):
            return literal(a.entry)
        row, across = a.strides
        if not across:
            return self.entry(number, 0, 0)
        row = 0 if a.value in self.used.row and a.value not in self.used.whole else row
        return self._reference(a.value, self._strides(row, 0, across), p * across)

    def _terms(self, number: int, left: Sequence[str], c: int, strides: tuple[int, ...] = ()) -> list[str]:
        """The products of `left` with as many entries of a column of the second argument, which loops go along so."""
        b = self.graph.nodes[number].args[1]
        if isinstance(b, Uniform):
            return [f"{x} * {literal(b.entry)}" for x in left]
        down, across = b.strides
        return [f"{x} * {self._reference(b.value, strides, p * down + c * across)}" for p, x in enumerate(left)]

    def _steps(self, number: int) -> tuple[int, int]:
        """How far apart the entries of a column of the second argument are, and the columns."""
        b = self.graph.nodes[number].args[1]
        return b.strides if isinstance(b, View) else (0, 0)  # type: ignore[return-value]

    def entry(self, number: int, k: int, c: int, along: bool = False) -> str:
        """Argument k of a value in a column, which is counted from where the loop is if that goes along the columns."""
        arg = self.graph.nodes[number].args[k]
        if isinstance(arg, Uniform):
            return literal(arg.entry)
        row, across = arg.strides
        if self.made.places[arg.value].kernel == self.number:
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
        if len(text) < INLINE and stands_in(self.graph, self.made, self.used, number):
            known[number, c] = f"({text})"
            return
        if number in self.used.scalars:
            self.nest.write(f"double v{number}_{c} = {text};")
            known[number, c] = text = f"v{number}_{c}"
        if in_memory:
            self.nest.write(f"{self._memory(number, c, along)} = {text};")

    def _declare(self, number: int, text: str, c: int = 0) -> None:
        self.nest.write(f"double v{number}_{c} = {text};")
        self.entries[number, c] = f"v{number}_{c}"

    def _keep(self, number: int) -> None:
        """Writes the variables of a short row to memory, where it belongs there."""
        if number in self.used.whole:
            for c in range(self.graph.nodes[number].width):
                self.nest.write(f"{self._memory(number, c, False)} = v{number}_{c};")

    def _accumulate(self, to: str, node: Node, entry: str) -> None:
        (term,) = [entry] if node.c == "sum" else self._simple([entry])
        self.nest.write(f"{to} = {REDUCTIONS[node.c].format(term, r=to)};")

    def _from_0(self, terms: list[str]) -> str:
        """A sum of products, from its beginning."""
        return _sum("0.0", terms) if self.made.limits.zero else _sum(terms[0], terms[1:])

    def _simple(self, entries: Sequence[str]) -> list[str]:
        """The entries as variables, where they are anything else: they are used several times."""
        return [entry if entry.replace("_", "").replace(".", "").isalnum() else self._local(entry) for entry in entries]

    def _local(self, text: str) -> str:
        self.nest.serial += 1
        name = f"a{self.nest.serial}"
        self.nest.write(f"double {name} = {text};")
        return name

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
            self.nest.write(f"\n#line {node.line}\n   ")
            self.line = node.line
        return node

    def fold_begins(self, number: int) -> None:
        node = self.graph.nodes[number]

        def columns(step: int) -> None:
            for c in range(step):
                self.nest.write(f"{self.nest.entry(self._base(number), (1,), c)} = {self.starts[node.c]};")

        if length(node, self.made.limits) is not None:
            self.nest.loop(node.columns, self.step, columns)
            return
        for c in range(node.columns):
            self.nest.write(f"double f{number}_{c} = {self.starts[node.c]};")

    def _fold_ends(self, number: int) -> None:
        node = self.graph.nodes[number]
        if length(node, self.made.limits) is None:
            for c in range(node.columns):
                self.nest.write(f"{self._base(number)}[{c}] = f{number}_{c};")


def _sum(start: str, terms: Sequence[str]) -> str:
    """The terms added to what is before, one after the other."""
    return " + ".join([start, *terms])
