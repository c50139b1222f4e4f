"""Where the values of a schedule are used, and so where they are: in memory, in variables, or in an expression."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from transforms.kernels.plan import Schedule
from transforms.kernels.views import Graph, Uniform, View


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
            if there.kernel != place.kernel:
                found.whole.add(arg.value)
            elif there.segment != place.segment and graph.nodes[arg.value].width > made.limits.short:
                found.row.add(arg.value)
            else:
                found.scalars.add(arg.value)
    return found


def stands_in(graph: Graph, made: Schedule, used: Uses, number: int) -> bool:
    """Whether an entry of a value is used once, where it is computed, so that it can stand in the expression there."""
    if used.count[number] != 1 or number in used.whole or number in used.row:
        return False
    user, k = used.only[number]
    node, value = graph.nodes[user], graph.nodes[number]
    if made.places[user] != made.places[number]:
        return False
    if node.kind == "product":
        return node.columns == 1
    if node.kind in ("reduce", "fold"):
        return node.c == "sum" and value.width == node.columns
    return value.width == node.columns and node.c.count(f"{{{k}}}") == 1
