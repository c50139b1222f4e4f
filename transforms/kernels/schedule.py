"""Which values are computed in the same loop.

A kernel is one loop over rows. In it go values of as many rows of which each row depends on the same row of the others
only, and on what kernels before have computed whole. What happens in a row is in segments: short rows are written out,
entry by entry, in one of straight code; longer ones are loops over columns, one for all that go along together.

Both are greedy: each value goes to the first place that there is for it, behind what it depends on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from transforms.kernels.views import Graph, Node, Operand, Uniform, View, used


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
    kernels: list[Kernel]
    places: list[Place]


def schedule(graph: Graph, limits: Limits = LIMITS) -> Schedule:
    """Where each value is computed.

    Kernels that keep too much are cut where least crosses the cut. What only a later kernel needs is computed there, if
    less is kept then.
    """
    kept = _kept(graph)
    made = _kernels(graph, limits, kept, frozenset())
    cuts = _cuts(graph, made, kept)
    made = _kernels(graph, limits, kept, cuts) if cuts else made
    _sink(graph, made)
    _segments(graph, made)
    return made


def _kernels(graph: Graph, limits: Limits, kept: set[int], cuts: Collection[int]) -> Schedule:
    """Each value in the first kernel that there is for it; a kernel begins with each of `cuts`."""
    made = Schedule(limits, [], [])
    open_by_rows: dict[int, list[int]] = {}
    needed = used(graph)
    for number, node in enumerate(graph.nodes):
        if node.kind == "given" or number not in needed:
            made.places.append(Place(-1, 0))
            continue
        first = max((_first(graph, made, node, k) for k in range(len(node.args))), default=0)
        candidates = open_by_rows.setdefault(node.rows, [])
        if number in cuts:
            del candidates[bisect_left(candidates, first) :]
        kernel = _kernel(made, candidates, node, first, written_out(node, limits))
        made.kernels[kernel].kept += node.width if number in kept else 0
        made.places.append(Place(kernel, 0))
    return made


def _sink(graph: Graph, made: Schedule) -> None:
    """Moves values to the first kernel that uses them, where that keeps less of a row in memory."""
    users: list[list[tuple[int, int]]] = [[] for _ in graph.nodes]
    for number, node in enumerate(graph.nodes):
        if made.places[number].kernel >= 0:
            for k, arg in enumerate(node.args):
                if isinstance(arg, View):
                    users[arg.value].append((number, k))
    kernel_of = [place.kernel for place in made.places]
    whole = {result.value for result in graph.results if isinstance(result, View)}
    outside = [
        sum(kernel_of[user] != kernel_of[number] or not within(graph, graph.nodes[user], k) for user, k in found)
        for number, found in enumerate(users)
    ]

    def price(value: int, deep: bool = True) -> int:
        """What is kept for a later kernel to have a value; one that it alone uses may follow to there."""
        if outside[value] or value in whole or kernel_of[value] < 0:
            return 0
        node = graph.nodes[value]
        if not deep or len(users[value]) > 1 or node.kind in ("fold", "gather"):
            return node.width
        return min(node.width, sum(price(arg.value, False) for arg in _views(node.args)))

    for number in reversed(range(len(graph.nodes))):
        node, here = graph.nodes[number], kernel_of[number]
        if here < 0 or node.kind in ("fold", "gather") or number in whole:
            continue
        there = min(kernel_of[user] for user, _ in users[number])
        target, entries = made.kernels[there], written_out(node, made.limits)
        inside = [(user, k) for user, k in users[number] if kernel_of[user] == there]
        if there <= here or target.gather or target.rows != node.rows or target.full(made.limits, entries):
            continue
        if not all(within(graph, graph.nodes[user], k) for user, k in inside):
            continue
        computed = [arg.value for arg in _views(node.args) if kernel_of[arg.value] >= 0]
        more = sum(price(value) for value in set(computed))
        if more >= (node.width if len(inside) == len(users[number]) else 0):
            continue
        for value in computed:
            outside[value] += kernel_of[value] == here
        outside[number] = len(users[number]) - len(inside)
        kernel_of[number] = there
        target.nodes, target.entries = target.nodes + 1, target.entries + entries
    made.places = [Place(kernel, 0) for kernel in kernel_of]


def _segments(graph: Graph, made: Schedule) -> None:
    """Each value in the first segment of its kernel that there is for it."""
    for number, (kernel, _) in enumerate([(place.kernel, place.segment) for place in made.places]):
        if kernel >= 0:
            made.places[number] = Place(kernel, _segment(graph, made, kernel, number))
    for kernel in made.kernels:
        for segment in kernel.segments:
            segment.nodes = _in_turn(graph, segment.nodes)


def _in_turn(graph: Graph, nodes: list[int]) -> list[int]:
    """The values of a segment, each as soon before what uses it as may be, so that few are alive at once."""
    inside, seen, found = set(nodes), set(), []
    used = {arg.value for n in nodes for arg in _views(graph.nodes[n].args)}
    todo = [n for n in reversed(nodes) if n not in used]
    while todo:
        n = todo[-1]
        if n in seen:
            todo.pop()
            continue
        before = [a.value for a in _views(graph.nodes[n].args) if a.value in inside and a.value not in seen]
        if before:
            todo += reversed(before)
        else:
            seen.add(todo.pop())
            found.append(n)
    return found


def _kernel(made: Schedule, candidates: list[int], node: Node, first: int, entries: int) -> int:
    """The kernel that a value goes to, not before `first`; those that have no room for it are closed."""
    while (at := bisect_left(candidates, first)) < len(candidates) and node.kind != "gather":
        chosen = made.kernels[candidates[at]]
        if not chosen.full(made.limits, entries):
            break
        candidates.pop(at)
    else:
        at = len(candidates)
        chosen = Kernel(node.rows, gather=node.kind == "gather")
        made.kernels.append(chosen)
        if chosen.gather:
            return len(made.kernels) - 1
        candidates.append(len(made.kernels) - 1)
    chosen.nodes, chosen.entries = chosen.nodes + 1, chosen.entries + entries
    return candidates[at]


def _cuts(graph: Graph, made: Schedule, kept: set[int]) -> set[int]:
    """The values with which another kernel is to begin, so that none keeps more of a row than it may."""
    members: dict[int, list[int]] = {}
    for number, place in enumerate(made.places):
        if place.kernel >= 0 and made.kernels[place.kernel].kept > made.limits.kept:
            members.setdefault(place.kernel, []).append(number)
    found: set[int] = set()
    for inside in members.values():
        crossing = _crossing(graph, inside, kept)
        start, total, best = 0, 0, 0
        for at, number in enumerate(inside):
            if at > start and (best == start or crossing[at] <= crossing[best]):
                best = at
            total += graph.nodes[number].width if number in kept else 0
            if total > made.limits.kept and best > start:
                found.add(inside[best])
                total = sum(graph.nodes[n].width for n in inside[best : at + 1] if n in kept)
                start = best
    return found


def _crossing(graph: Graph, inside: list[int], kept: set[int]) -> list[int]:
    """For each value of a kernel, in order: what a cut before it would keep of a row besides."""
    position = {number: at for at, number in enumerate(inside)}
    change = [0] * (len(inside) + 1)
    last: dict[int, int] = {}
    for at, number in enumerate(inside):
        for arg in _views(graph.nodes[number].args):
            if arg.value in position and arg.value not in kept:
                last[arg.value] = at
    for number, at in last.items():
        change[position[number] + 1] += graph.nodes[number].width
        change[at + 1] -= graph.nodes[number].width
    return list(accumulate(change))


def _kept(graph: Graph) -> set[int]:
    """The values that are needed in memory, whole, wherever they are computed."""
    found = {result.value for result in graph.results if isinstance(result, View)}
    for node in graph.nodes:
        for k, arg in enumerate(node.args):
            if isinstance(arg, View) and (node.kind == "gather" or not within(graph, node, k)):
                found.add(arg.value)
    return found


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
            together = (
                before.length == loop
                and not before.alone
                and not by_itself
                and _goes_along(graph.nodes[arg.value], arg, made.limits)
            )
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
