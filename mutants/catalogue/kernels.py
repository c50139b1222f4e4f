"""Mutants of the kernels: what goes in one loop, how it is written, and what is said of the buffers it touches.

Decisions are fields of `transforms.kernels.plan.Fusion`, classes write the text of a kernel, and what else there is
takes the place of `transforms.kernels.program.emit`. Buffers are given out by what statements say that they touch:
where one says too little, a buffer is used again too early.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np

from mutants.catalogue.rows import OURS
from mutants.mutant import Mutant, drivers
from transforms.kernels.emit import Writing
from transforms.kernels.plan import FUSION, Limits, aligned, within
from transforms.kernels.program import emit
from transforms.kernels.views import Graph, Node, Uniform, View
from transforms.machines.emit_c import EmitC, Number
from transforms.machines.syntax import binding
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.syntax import Lit, Term

Kernels = Callable[[EmitC, Straight, Limits], tuple[Number, ...]]


def always(value: Node, limits: Limits) -> bool:
    return True


def _printed(graph: Graph, arg: View) -> bool:
    return any(isinstance(result, View) and result.value == arg.value for result in graph.results)


def right_arguments_too(graph: Graph, node: Node, k: int) -> bool:
    arg = node.args[k]
    return within(graph, node, k) or (isinstance(arg, View) and _printed(graph, arg) and aligned(graph, node, arg))


def transposed_too(graph: Graph, node: Node, k: int) -> bool:
    arg = node.args[k]
    if within(graph, node, k) or isinstance(arg, Uniform) or (node.kind, k) == ("product", 1):
        return within(graph, node, k)
    value = graph.nodes[arg.value]
    computed = value.kind in ("map", "reduce", "product")
    return computed and value.rows == node.rows == node.columns and arg.strides == (1, value.width)


class TwiceInLoops(Writing):
    def entry(self, number: int, k: int, c: int, along: bool = False) -> str:
        return super().entry(number, k, 0 if along and c == 1 else c, along)


class NotInitialised(Writing):
    def fold_begins(self, number: int) -> None:
        if self.graph.nodes[number].columns <= self.short:
            super().fold_begins(number)


class SumsFromZero(Writing):
    starts: Mapping[str, str] = {**Writing.starts, "sum": "0.0"}


class MaximaFromZero(Writing):
    starts: Mapping[str, str] = {**Writing.starts, "max": "0.0"}


def products_from_the_first(machine: EmitC, straight: Straight, limits: Limits) -> tuple[Number, ...]:
    return emit(machine, straight, replace(limits, zero=False))


def equal_entries_uniform(machine: EmitC, straight: Straight, limits: Limits) -> tuple[Number, ...]:
    def uniform(arg: Term) -> Term:
        if not isinstance(arg, Lit):
            return arg
        first = np.full(np.shape(arg.value), np.ravel(arg.value)[0])
        return replace(arg, value=first) if np.array_equal(arg.value, first) else arg

    lines, printed = unchain(straight.program.term)
    lines = [(name, replace(o, args=tuple(map(uniform, o.args)))) for name, o in lines]
    program = replace(straight.program, term=binding(lines, printed))
    return emit(machine, replace(straight, program=program), limits)


def touching(says: Callable[[int, int, int], bool]) -> Kernels:
    """Kernels that name storage they touch if `says` so, of their number and of the first and last that touch it."""

    @wraps(says)
    def kernels(machine: EmitC, straight: Straight, limits: Limits) -> tuple[Number, ...]:
        before = len(machine.statements)
        results = emit(machine, straight, limits)
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        numbered = list(enumerate(machine.statements))[before:]
        for k, statement in numbered:
            for name in statement.touches:
                first.setdefault(name, k)
                last[name] = k
        for k, statement in numbered:
            touches = tuple([name for name in statement.touches if says(k, first[name], last[name])])
            machine.statements[k] = replace(statement, touches=touches)
        return results

    return kernels


def but_the_last(k: int, first: int, last: int) -> bool:
    return k < last or k == first


def the_first_alone(k: int, first: int, last: int) -> bool:
    return k == first


@dataclass(frozen=True, slots=True)
class Forgotten(Number):
    @property
    def touches(self) -> tuple[str, ...]:
        return ()


def results_forgotten(machine: EmitC, straight: Straight, limits: Limits) -> tuple[Number, ...]:
    return tuple([Forgotten(n.type, n.base, n.start, n.kind) for n in emit(machine, straight, limits)])


def emitted(wrong: Any, **decisions: Any) -> Kernels:
    """The kernels with other decisions, of which `wrong` is the text to show."""

    @wraps(wrong, updated=())
    def kernels(machine: EmitC, straight: Straight, limits: Limits) -> tuple[Number, ...]:
        return emit(machine, straight, limits, **decisions)

    return kernels


# fmt: off
FUSIONS = (
    ("stale-rows", "goes_along", always, "sums and maxima of rows are read before they are complete"),
    ("right-arguments", "within", right_arguments_too, "a printed right argument of a product is read too early"),
    ("another-row", "within", transposed_too, "a row of a transposed matrix is one of the matrix"),
)
"""What, which field, the function that takes its place, and what is wrong."""

WRITINGS = (
    ("column-twice", TwiceInLoops, "a loop takes its first column for its second too"),
    ("not-initialised", NotInitialised, "long sums of columns begin from what the buffer held before"),
    ("sums-from-0", SumsFromZero, "sums of entries begin from 0.0, and of -0.0 alone are 0.0"),
    ("maxima-from-0", MaximaFromZero, "maxima begin from 0.0, and there are none below"),
)
"""What, the class that writes the kernels, and what is wrong."""

EMITTED = (
    ("products-from-the-first", products_from_the_first, "products are summed from the first, and -0.0 alone is -0.0"),
    ("zeros-alike", equal_entries_uniform, "a literal of 0.0 and -0.0 is one number"),
    ("free-early", touching(but_the_last), "a buffer is free one statement early"),
    ("reads-not-named", touching(the_first_alone), "a kernel does not name what it reads"),
    ("results-forgotten", results_forgotten, "what is printed does not live to the end"),
)
"""What, the function that takes the place of the kernels, and what is wrong."""
# fmt: on

WRONG = (
    *[(what, emitted(made, fusion=replace(FUSION, **{field: made})), wrong) for what, field, made, wrong in FUSIONS],
    *[(what, emitted(made, writing=made), wrong) for what, made, wrong in WRITINGS],
    *EMITTED,
)

MUTANTS = tuple(
    [
        Mutant(f"kernels.{what}", "drivers.kernels", "value", wrong, OURS, drivers(kernels=kernels), ("kernels-agree",))
        for what, kernels, wrong in WRONG
    ]
)
