"""What of values is kept in memory, and where else they are computed so that it is less."""

from __future__ import annotations

from itertools import accumulate

from transforms.kernels.plan import Fusion, Place, Schedule, views_in, written_out
from transforms.kernels.views import Graph, View


def cuts_of(graph: Graph, made: Schedule, kept: set[int]) -> set[int]:
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
        for arg in views_in(graph.nodes[number].args):
            if arg.value in position and arg.value not in kept:
                last[arg.value] = at
    for number, at in last.items():
        change[position[number] + 1] += graph.nodes[number].width
        change[at + 1] -= graph.nodes[number].width
    return list(accumulate(change))


def kept_whole(graph: Graph, fusion: Fusion) -> set[int]:
    """The values that are needed in memory, whole, wherever they are computed."""
    found = {result.value for result in graph.results if isinstance(result, View)}
    for node in graph.nodes:
        for k, arg in enumerate(node.args):
            if isinstance(arg, View) and (node.kind == "gather" or not fusion.within(graph, node, k)):
                found.add(arg.value)
    return found


def sink(graph: Graph, made: Schedule) -> None:
    """Moves values that one later kernel alone uses to there, where that keeps less of a row in memory."""
    within = made.fusion.within
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
        return min(node.width, sum(price(arg.value, False) for arg in views_in(node.args)))

    for number in reversed(range(len(graph.nodes))):
        node, here = graph.nodes[number], kernel_of[number]
        if here < 0 or node.kind in ("fold", "gather") or number in whole:
            continue
        there, *others = {kernel_of[user] for user, _ in users[number]}
        target, entries = made.kernels[there], written_out(node, made.limits)
        if others or there <= here or target.full(made.limits, entries):
            continue
        if not all(within(graph, graph.nodes[user], k) for user, k in users[number]):
            continue
        computed = [arg.value for arg in views_in(node.args) if kernel_of[arg.value] >= 0]
        more = sum(price(value) for value in set(computed))
        if more >= node.width:
            continue
        for value in computed:
            outside[value] += kernel_of[value] == here
        outside[number] = 0
        kernel_of[number] = there
        target.nodes, target.entries = target.nodes + 1, target.entries + entries
    made.places = [Place(kernel, 0) for kernel in kernel_of]
