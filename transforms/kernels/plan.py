"""What a plan of kernels is: which values are computed in the same loop, and what of them a loop writes out.

A kernel is one loop over rows. In it go values of as many rows of which each row depends on the same row of the others
only, and on what kernels before have computed whole. What happens in a row is in segments: short rows are written out,
entry by entry, in one of straight code; longer ones are loops over columns, one for all that go along together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from transforms.kernels.views import Graph, Node, Operand, Uniform, View


@dataclass(frozen=True, slots=True)
class Limits:
    """What is written out, entry by entry, and how long kernels get.

    short     a row of at most so many entries is written out
    product   so is a row of a product, if it is of at most so many multiplications
    step      the columns that a loop goes on by at a time
    zero      whether the sums of products start from 0, as the plain program's do; else from their first product, so
              that a sum of -0.0 alone is -0.0
    nodes     values in a kernel
    entries   entries of a row that are written out in a kernel
    kept      entries of a row that a kernel leaves in memory
    """

    short: int = 16
    product: int = 256
    step: int = 8
    zero: bool = True
    nodes: int = 200
    entries: int = 3000
    kept: int = 256


LIMITS = Limits()


@dataclass(slots=True)
class Segment:
    """Part of what happens in a row: straight code, or a loop of some length.

    A product of long rows by long columns has a segment of its own, `alone`.
    """

    length: int | None
    nodes: list[int] = field(default_factory=list)
    alone: bool = False


@dataclass(slots=True)
class Kernel:
    """A loop over rows, or a gather; how many values it has, and how many entries of a row it writes out and keeps."""

    rows: int
    segments: list[Segment] = field(default_factory=list)
    gather: bool = False
    nodes: int = 0
    entries: int = 0
    kept: int = 0

    def full(self, limits: Limits, entries: int) -> bool:
        """Whether there is no room for a value that writes out so many entries of a row."""
        too_long = entries and self.entries + entries > limits.entries
        return self.nodes >= limits.nodes or (self.nodes > 0 and bool(too_long))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is computed: kernel and segment; -1 for what is given, or not needed."""

    kernel: int
    segment: int


@dataclass(slots=True)
class Schedule:
    limits: Limits
    fusion: Fusion
    kernels: list[Kernel]
    places: list[Place]


def aligned(graph: Graph, node: Node, arg: Operand) -> bool:
    """Whether an argument's entries in a row of the loop are entries of the same row of that value."""
    if isinstance(arg, Uniform):
        return True
    value = graph.nodes[arg.value]
    if value.kind in ("given", "fold", "gather") or value.rows != node.rows or len(arg.strides) != 2:
        return False
    return arg.strides[0] == (value.width if node.rows > 1 else 0) and arg.strides[1] in (0, 1)


def written_out(node: Node, limits: Limits) -> int:
    """The entries that a row writes out: 0 where it is a loop."""
    if node.kind == "product":
        work = node.columns * node.inner
        return work if node.columns <= limits.short and work <= limits.product else 0
    return node.columns if node.columns <= limits.short else 0


def length(node: Node, limits: Limits) -> int | None:
    """The length of the loop over columns that a row is; None where it is written out."""
    if written_out(node, limits):
        return None
    return node.inner if node.kind == "product" and node.columns <= limits.short else node.columns


def alone(node: Node, limits: Limits) -> bool:
    """Whether a row is a loop within a loop: a product of long rows by long columns."""
    return node.kind == "product" and node.columns > limits.short and node.inner > limits.short


def within(graph: Graph, node: Node, k: int) -> bool:
    """Whether argument k of a value may be computed in the same kernel, row by row."""
    return aligned(graph, node, node.args[k]) and not (node.kind == "product" and k == 1)


def goes_along(value: Node, limits: Limits) -> bool:
    """Whether a row of a value need not be complete before that of what uses it, in the same kernel, begins."""
    return length(value, limits) is None or (value.kind in ("map", "product") and value.columns > limits.short)


@dataclass(frozen=True, slots=True)
class Fusion:
    """What may be computed together.

    within(graph, node, k)     whether argument k of a value may be computed in the same kernel
    goes_along(value, limits)  whether what uses a value may go along the columns with it, in the same segment
    """

    within: Callable[[Graph, Node, int], bool] = within
    goes_along: Callable[[Node, Limits], bool] = goes_along


FUSION = Fusion()


def views_in(args: Sequence[Operand]) -> list[View]:
    return [arg for arg in args if isinstance(arg, View)]
