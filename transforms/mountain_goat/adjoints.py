"""The reverse macro on a straight line, with readable names for what it writes down.

The macro runs on the writing machine with the accumulator, as for every other term. All that is added here is a record
of which variable each contribution goes to, which says how its line is called:

    g_x                    the adjoint of x
    g_x_part, g_x_sum      a contribution to it, where there are several, and the sum of some
    d_y                    what the pullback of the operation that y is bound to needs besides
    x_t, x_wide            x transposed, and stretched

Where the program has adjoints already, these are g2_x, d2_y, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from transforms.cotangents.interface import ABSENT, ContextCotangent, Cotangent, Representation
from transforms.drivers import Transformation, write
from transforms.machines.interface import Context
from transforms.machines.syntax import Atom, binding
from transforms.mountain_goat.lines import Line, renamed, substituted, unchain
from transforms.mountain_goat.names import Names
from transforms.mountain_goat.task import Inputs
from transforms.syntax import Lit, Program, Term, Var

SEED = Lit(np.ones((1, 1)))
"""The cotangent of a loss, which is 1x1."""
SUFFIX = {"transpose": "_t", "broadcast": "_wide"}


@dataclass(slots=True)
class _Record:
    """Whose adjoint each line of the backward part is, or is a part of; variables by number, in order of binding."""

    adjoint: dict[str, int] = field(default_factory=dict)
    part: dict[str, int] = field(default_factory=dict)
    sum: dict[str, int] = field(default_factory=dict)
    pullbacks: list[tuple[int, int]] = field(default_factory=list)
    """Where the pullback of each variable's operation begins: the number of lines before it, and the variable."""
    slots: tuple[Cotangent, ...] = ()
    """What the slots of the inputs hold in the end."""


def differentiate(
    judged: Transformation, inputs: Inputs, lines: list[Line], loss: Term, wrt: Collection[str], names: Names
) -> tuple[list[Line], dict[str, Term | None]]:
    """The backward part of a straight line's gradient: its lines, and the adjoint of each of the inputs `wrt`.

    `loss` is a 1x1 variable or literal. An adjoint is None where nothing arrived. The lines are those of the gradient
    in every input, in an order in which they can be performed after the given ones. New names are taken from `names`.
    """
    record = _Record()
    recorded = replace(judged, representation=lambda m: _recorded(judged.representation(m), m, record))
    written = write(recorded, Program(inputs, binding(lines, loss)))
    found, _ = unchain(written.program.term)
    primal, backward = found[: written.primal_lines], found[written.primal_lines :]
    (seed, _) = written.program.context[-1]
    meant: dict[str, Term] = {seed: SEED}
    meant |= {theirs: Var(ours) for (theirs, _), (ours, _) in zip(primal, lines, strict=True)}
    bound = [name for name, _ in inputs] + [name for name, _ in lines]
    _name(backward, record, bound, wrt, len(primal), meant, names)
    adjoints = {
        name: None if slot is ABSENT else substituted(slot.term, meant)
        for (name, _), slot in zip(inputs, record.slots, strict=True)
        if name in wrt
    }
    return renamed(backward, meant), adjoints


def _recorded(held: Representation, m: Any, record: _Record) -> Representation:
    """A representation on a writing machine; what goes where is put on record."""

    def inject(context: Context, variable: Context, d: Cotangent) -> ContextCotangent:
        before = len(m.lines)
        ct = held.inject(context, variable, d)
        record.part.setdefault(_line(d), variable.index)
        for name, operation in m.lines[before:]:  # a sum, or the contribution with its minus sign performed
            (record.part if operation.name == "neg" else record.sum)[name] = variable.index
        return ct

    def scope(ct: ContextCotangent, outer: Context, inner: Context) -> tuple[ContextCotangent, tuple[Cotangent, ...]]:
        g, arrived = held.scope(ct, outer, inner)
        for number, slot in enumerate(arrived, outer.index + 1):
            record.adjoint.setdefault(_line(slot), number)
            record.pullbacks.append((len(m.lines), number))
        return g, arrived

    def run(context: Context, compute: Callable[[], ContextCotangent]) -> tuple[Cotangent, ...]:
        record.slots = held.run(context, compute)
        return record.slots

    return replace(held, inject=inject, scope=scope, run=run)


def _line(d: Cotangent) -> str:
    """The line that a cotangent is; nothing for one that is none or absent."""
    return d.term.name if isinstance(d, Atom) and isinstance(d.term, Var) else ""


def _name(
    backward: list[Line],
    record: _Record,
    bound: list[str],
    wrt: Collection[str],
    before: int,
    meant: dict[str, Term],
    names: Names,
) -> None:
    """Extend `meant`, from the macro's names to ours, by the lines of the backward part; `before` are the others."""
    level = next(n for n in count(1) if not any(f"g{_level(n)}_{name}" in names.used for name in bound))
    g, d = f"g{_level(level)}", f"d{_level(level)}"
    # One line may be the adjoint of several variables, as that of a sum is: a result's name is the one to find it by.
    adjoint = {_line(slot): k for k, slot in reversed(list(enumerate(record.slots)))} | record.adjoint
    adjoint |= {_line(slot): k for k, slot in reversed(list(enumerate(record.slots))) if bound[k] in wrt}
    for name, _ in backward:
        if name in adjoint:
            meant[name] = Var(names.fresh(f"{g}_{bound[adjoint[name]]}"))
    pullbacks = iter([*record.pullbacks, (before + len(backward), -1)])
    owner, (start, following) = -1, next(pullbacks)
    for position, (name, operation) in enumerate(backward, before):
        while start <= position:
            owner, (start, following) = following, next(pullbacks)
        if name in adjoint:
            continue
        source = substituted(operation.args[0], meant)
        if name in record.part:
            wanted = f"{g}_{bound[record.part[name]]}_part"
        elif name in record.sum:
            wanted = f"{g}_{bound[record.sum[name]]}_sum"
        elif operation.name in SUFFIX and isinstance(source, Var):
            wanted = source.name + SUFFIX[operation.name]
        else:
            wanted = f"{d}_{bound[owner]}"
            wanted += f"_{operation.name}" if wanted in names.used else ""
        meant[name] = Var(names.fresh(wanted))


def _level(level: int) -> str:
    return str(level) if level > 1 else ""
