"""Which values are computed in the same loop.

Greedy: each value goes to the first kernel, and in it to the first segment, that there is for it behind what it depends
on. Then kernels that keep too much are cut where least crosses the cut, and what only a later kernel needs is computed
there, if less is kept then.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

from transforms.kernels.keeping import cuts_of, kept_whole, sink
from transforms.kernels.plan import (
    FUSION,
    LIMITS,
    Fusion,
    Kernel,
    Limits,
    Place,
    Schedule,
    Segment,
    alone,
    length,
    views_in,
    written_out,
)
from transforms.kernels.views import Graph, Node, Uniform, used


def schedule(graph: Graph, limits: Limits = LIMITS, fusion: Fusion = FUSION) -> Schedule:
    """Where each value is computed."""
    kept = kept_whole(graph, fusion)
    made = _kernels(graph, limits, fusion, kept, frozenset())
    cuts = cuts_of(graph, made, kept)
    made = _kernels(graph, limits, fusion, kept, cuts) if cuts else made
    sink(graph, made)
    _segments(graph, made)
    return made


def _kernels(graph: Graph, limits: Limits, fusion: Fusion, kept: set[int], cuts: Collection[int]) -> Schedule:
    """Each value in the first kernel that there is for it; a kernel begins with each of `cuts`."""
    made = Schedule(limits, fusion, [], [])
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
    used = {arg.value for n in nodes for arg in views_in(graph.nodes[n].args)}
    todo = [n for n in reversed(nodes) if n not in used]
    while todo:
        n = todo[-1]
        if n in seen:
            todo.pop()
            continue
        before = [a.value for a in views_in(graph.nodes[n].args) if a.value in inside and a.value not in seen]
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


def _first(graph: Graph, made: Schedule, node: Node, k: int) -> int:
    """The first kernel in which a value can be computed, as far as argument k says."""
    arg = node.args[k]
    if isinstance(arg, Uniform):
        return 0
    kernel = made.places[arg.value].kernel
    return kernel if kernel >= 0 and node.kind != "gather" and made.fusion.within(graph, node, k) else kernel + 1


def _segment(graph: Graph, made: Schedule, kernel: int, number: int) -> int:
    node, segments = graph.nodes[number], made.kernels[kernel].segments
    loop, by_itself = length(node, made.limits), alone(node, made.limits)
    first = 0
    for arg in views_in(node.args):
        place = made.places[arg.value]
        if place.kernel == kernel:
            before = segments[place.segment]
            together = (
                before.length == loop
                and not before.alone
                and not by_itself
                and made.fusion.goes_along(graph.nodes[arg.value], made.limits)
            )
            first = max(first, place.segment + (not together))
    for at in range(first, len(segments)):
        if segments[at].length == loop and not segments[at].alone and not by_itself:
            segments[at].nodes.append(number)
            return at
    segments.append(Segment(loop, [number], by_itself))
    return len(segments) - 1
