"""Which values are computed in the same loop.

A kernel is one loop over rows. In it go values of as many rows of which each row depends on the same row of the others
only, and on what kernels before have computed whole. What happens in a row is in segments: short rows are written out,
entry by entry, in one of straight code; longer ones are loops over columns, one for all that go along together.

Both are greedy: each value goes to the first place that there is for it, behind what it depends on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from transforms.kernels.views import Graph, Node, Operand, Uniform, View, used


@dataclass(frozen=True, slots=True)
class Limits:
    """What is written out, entry by entry, and how long kernels get.

    short     a row of at most so many entries is written out
    product   so is a row of a product, if it is of at most so many multiplications
    step      the columns that a loop goes on by at a time
    nodes     values in a kernel
    entries   entries of a row that are written out in a kernel
    """

    short: int = 16
    product: int = 256
    step: int = 8
    nodes: int = 200
    entries: int = 3000


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
    """A loop over rows; `gather` where it is one of those instead."""

    rows: int
    segments: list[Segment] = field(default_factory=list)
    gather: bool = False
    nodes: int = 0
    entries: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is computed: kernel and segment; -1 for what is given, or not needed."""

    kernel: int
    segment: int


@dataclass(slots=True)
class Schedule:
    limits: Limits
    kernels: list[Kernel]
    places: list[Place]


def schedule(graph: Graph, limits: Limits = LIMITS) -> Schedule:
    made = Schedule(limits, [], [])
    open_by_rows: dict[int, list[int]] = {}
    needed = used(graph)
    for number, node in enumerate(graph.nodes):
        if node.kind == "given" or number not in needed:
            made.places.append(Place(-1, 0))
            continue
        first = max((_first(graph, made, node, k) for k in range(len(node.args))), default=0)
        candidates = open_by_rows.setdefault(node.rows, [])
        while True:
            at = bisect_left(candidates, first)
            if at == len(candidates) or node.kind == "gather":
                kernel = len(made.kernels)
                made.kernels.append(Kernel(node.rows, gather=node.kind == "gather"))
                if node.kind != "gather":
                    candidates.append(kernel)
            else:
                kernel = candidates[at]
            chosen = made.kernels[kernel]
            entries = written_out(node, limits)
            if chosen.nodes and (chosen.nodes >= limits.nodes or chosen.entries + entries > limits.entries):
                candidates.pop(at)
                continue
            break
        chosen.nodes += 1
        chosen.entries += entries
        made.places.append(Place(kernel, _segment(graph, made, kernel, number)))
    return made


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


def _first(graph: Graph, made: Schedule, node: Node, k: int) -> int:
    """The first kernel in which a value can be computed, as far as argument k says."""
    arg = node.args[k]
    if isinstance(arg, Uniform):
        return 0
    kernel = made.places[arg.value].kernel
    return kernel if kernel >= 0 and node.kind != "gather" and within(graph, node, k) else kernel + 1


def _segment(graph: Graph, made: Schedule, kernel: int, number: int) -> int:
    node, segments = graph.nodes[number], made.kernels[kernel].segments
    loop, by_itself = length(node, made.limits), alone(node, made.limits)
    first = 0
    for arg in _views(node.args):
        place = made.places[arg.value]
        if place.kernel == kernel:
            before = segments[place.segment]
            together = before.length == loop and not before.alone and not by_itself and _goes_along(graph.nodes[arg.value], arg, made.limits)
            first = max(first, place.segment + (not together))
    for at in range(first, len(segments)):
        if segments[at].length == loop and not segments[at].alone and not by_itself:
            segments[at].nodes.append(number)
            return at
    segments.append(Segment(loop, [number], by_itself))
    return len(segments) - 1


def _goes_along(value: Node, arg: View, limits: Limits) -> bool:
    """Whether a row of an argument need not be complete before that of what uses it begins."""
    if length(value, limits) is None:
        return True
    return value.kind in ("map", "product") and value.columns > limits.short and arg.strides[1] == 1


def _views(args: Sequence[Operand]) -> list[View]:
    return [arg for arg in args if isinstance(arg, View)]
