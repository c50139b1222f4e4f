"""A straight line as a C program of kernels."""

from __future__ import annotations

from bisect import bisect_right

from transforms.kernels.emit import Writing
from transforms.kernels.plan import FUSION, LIMITS, Fusion, Limits
from transforms.kernels.schedule import schedule
from transforms.kernels.uses import uses
from transforms.kernels.views import Operand, Uniform, View, graph, strides
from transforms.machines.c_nests import gather
from transforms.machines.c_text import literal
from transforms.machines.emit_c import EmitC, Number
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.syntax import Tuple
from transforms.types import Array


def emit(
    machine: EmitC,
    straight: Straight,
    limits: Limits = LIMITS,
    fusion: Fusion = FUSION,
    writing: type[Writing] = Writing,
) -> tuple[Number, ...]:
    """Emits a straight line as kernels, and returns what it prints."""
    lines, printed = unchain(straight.program.term)
    assert isinstance(printed, Tuple)
    source = straight.program.source
    starts = [0, *(k + 1 for k, character in enumerate(source) if character == "\n")]
    line_of = {
        name: bisect_right(starts, operation.at) if source and operation.at >= 0 else 0 for name, operation in lines
    }
    inputs = {name: straight.point[name] for name, _ in straight.program.context}
    found = graph(inputs, lines, printed.parts, line_of)
    made = schedule(found, limits, fusion)
    used = uses(found, made)
    numbers: dict[int, Number] = {}
    for number, node in enumerate(found.nodes):
        if node.kind == "given":
            assert node.data is not None
            numbers[number] = machine.given(node.data, node.name) if node.name else machine.constant(node.data)
        elif number in used.whole:
            numbers[number] = machine.storage_for("v", node.size)
        elif number in used.row:
            numbers[number] = machine.storage_for("r", node.width)
    bases = {number: held.base for number, held in numbers.items()}
    gathers = {made.places[n].kernel: n for n, node in enumerate(found.nodes) if node.kind == "gather"}
    for number, kernel in enumerate(made.kernels):
        if kernel.gather:
            n = gathers[number]
            (view,) = found.nodes[n].args
            assert isinstance(view, View)
            axes = list(zip(view.shape, view.strides, strict=True))
            machine.line = found.nodes[n].line
            machine.statement(gather("{0}", numbers[n], numbers[view.value], axes), bases[n], bases[view.value])
        elif kernel.segments:
            text, touched = writing(found, made, used, number, bases).text()
            lines_there = (found.nodes[n].line for segment in kernel.segments for n in segment.nodes)
            machine.line = next(filter(None, lines_there), 0)
            machine.statement(text, *touched)
    return tuple([_result(numbers, operand) for operand in found.results])


def _result(numbers: dict[int, Number], operand: Operand) -> Number:
    if isinstance(operand, Uniform):
        return Number(Array(operand.shape), literal(operand.entry), kind="literal")
    assert operand.strides == strides(operand.shape)
    held = numbers[operand.value]
    return Number(Array(operand.shape), held.base)
