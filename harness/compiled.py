"""Programs as native code: terms, their gradients in either representation, and straight lines of Mountain Goat.

Everything is emitted by the C machine, from the evaluator or the reverse macro; the point's numbers are the C program's
data. `harness.native` compiles and runs it, `harness.callgrind` counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness import native
from transforms.drivers import Point, Transformation
from transforms.environment import Environment
from transforms.evaluate import evaluate
from transforms.kernels.plan import LIMITS
from transforms.machines.c_text import STOPPED
from transforms.machines.emit_c import EmitC
from transforms.machines.interface import Value
from transforms.mountain_goat.judged import MATRICES, MatrixTransformation
from transforms.mountain_goat.straight import Straight
from transforms.reverse import Reverse, reverse
from transforms.rules import RULES, Rules
from transforms.scope import Scope, bind, context
from transforms.simplify.rewrite import Level
from transforms.syntax import Let, Program
from transforms.types import Injected
from transforms.walks import walking


@dataclass(frozen=True, slots=True)
class Emitted:
    """A program in C: the machine that emitted it, what it results in there, the source's name, and why it stops."""

    machine: EmitC
    results: Value
    file: str = ""
    stop: str | None = None

    def source(self, memory: bool = False) -> str:
        """The C text; a memory build counts the doubles that are alive."""
        with walking():
            return self.machine.source(self.results, self.file, self.stop, memory)

    def run(self, level: str = "O0", timeout: float = native.RUNNING) -> Any:
        """What the compiled program results in: floats, arrays and tuples of them; up to where it stops, if it does.

        Raises as `native.build` and `native.run` do.
        """
        status = 0 if self.stop is None else STOPPED
        found = iter(native.run(native.build(self.source(), level), timeout, status))
        with walking():
            return _read(self.results, found)


def value(program: Program, point: Point, rules: Rules = RULES) -> Emitted:
    """A program's value at a point."""
    machine = EmitC(rules)
    with walking():
        scope = Environment([(name, machine.given(point[name], name)) for name, _ in program.context])
        return Emitted(machine, evaluate(machine, program.term, scope))


def gradient(judged: Transformation, program: Program, point: Point, cotangent: Any) -> Emitted:
    """A program's value at a point, and the tuple of what each variable of the context receives of `cotangent`."""
    machine = EmitC(judged.rules)
    ad = Reverse(judged.rules, judged.clauses, judged.representation(machine), machine)
    scope: Scope = Environment()
    with walking():
        for name, _ in program.context:
            bind(machine, scope, [name], [machine.given(point[name], name)])
        whole = context(scope)
        primal, backpropagator = reverse(ad, program.term, scope)
        machine.backward_part()
        d = judged.drivers.seed(machine, machine.given(cotangent, "cotangent"))
        slots = ad.cotangents.run(whole, lambda: backpropagator(d))
        layouts = [variable.type for variable in whole.variables()]
        received = tuple([machine.received(ct, layout) for ct, layout in zip(slots, layouts, strict=True)])
        return Emitted(machine, (primal, received))


def straight(line: Straight, level: Level | None = None, judged: MatrixTransformation = MATRICES) -> Emitted:
    """What a straight line prints; its statements know their lines in the source.

    With a level it is simplified, and emitted as kernels; else as it is.
    """
    machine = EmitC(judged.rules)
    if level is None:
        results = plain(machine, line)
    else:
        limits = LIMITS if level == "exact" else replace(LIMITS, zero=False)
        results = judged.drivers.kernels(machine, judged.drivers.simplify(line, level), limits)
    return Emitted(machine, results, line.file, line.stop)


def plain(machine: EmitC, line: Straight) -> Value:
    """Emits a straight line as it is, one loop nest for each operation, and returns what it prints."""
    source = line.program.source
    starts = [0, *(k + 1 for k, character in enumerate(source) if character == "\n")]
    scope = Environment([(name, machine.given(line.point[name], name)) for name, _ in line.program.context])
    term = line.program.term
    with walking():
        while isinstance(term, Let):
            machine.line = bisect_right(starts, term.bound.at) if source and term.bound.at >= 0 else 0
            scope.bind(term.name, evaluate(machine, term.bound, scope))
            term = term.body
        return evaluate(machine, term, scope)


def _read(value: Value, found: Iterator[np.ndarray]) -> Any:
    if isinstance(value, tuple):
        return tuple([_read(part, found) for part in value])
    if isinstance(value, Injected):
        return Injected(value.side, _read(value.value, found))
    array = next(found)
    return array if array.shape else float(array)
