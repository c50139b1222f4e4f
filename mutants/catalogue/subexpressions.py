"""Mutants of what surrounds the rewrites: common subexpressions, dead code, which literals are folded, the level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from mutants.catalogue.rows import OURS
from mutants.catalogue.simplification import CAUGHT_BY
from mutants.mutant import Mutant, drivers
from transforms.machines.syntax import binding
from transforms.mountain_goat.lines import Line, substituted, unchain, variables
from transforms.mountain_goat.straight import Straight
from transforms.simplify.levels import simplify
from transforms.simplify.rewrite import Level
from transforms.syntax import Lit, Op, Program, Term, Tuple, Var

Simplify = Callable[[Straight, Level], Straight]


def merged(straight: Straight, key: Callable[[Op], object]) -> Straight:
    """The program with one of all lines that have a key in common."""
    lines, printed = unchain(straight.program.term)
    known: dict[object, str] = {}
    meant: dict[str, Term] = {}
    kept: list[Line] = []
    for name, operation in lines:
        term = substituted(operation, meant)
        assert isinstance(term, Op)
        first = known.setdefault(key(term), name)
        if first == name:
            kept.append((name, term))
        else:
            meant[name] = Var(first)
    program = replace(straight.program, term=binding(kept, substituted(printed, meant)))
    return replace(straight, program=program)


def across_shadowed(straight: Straight, level: Level) -> Straight:
    """Common subexpressions are known by what the names were in the source, though one is bound again in between."""
    named = {variable: name for name, bound in straight.lets.items() for _, variable in bound if variable}

    def key(o: Op) -> object:
        if not variables(o.args) or not all(name in named for name in variables(o.args)):
            return id(o)
        return o.name, o.statics, tuple([named[arg.name] if isinstance(arg, Var) else id(arg) for arg in o.args])

    return simplify(merged(straight, key), level)


def late_use_forgotten(straight: Straight, level: Level) -> Straight:
    """Dead code is what the first print does not need."""
    lines, printed = unchain(straight.program.term)
    assert isinstance(printed, Tuple)
    names, kept = set(variables(printed.parts[:1])), []
    for name, operation in reversed(lines):
        if name in names:
            names.update(variables(operation.args))
            kept.insert(0, (name, operation))
    program = Program(straight.program.context, binding(kept, printed), straight.program.source)
    return simplify(replace(straight, program=program), level)


def inputs_folded(straight: Straight, level: Level) -> Straight:
    """Inputs are literals like any others."""
    lines, printed = unchain(straight.program.term)
    folded: dict[str, Term] = {name: Lit(value) for name, value in straight.point.items() if prod(value.shape) < 5}
    found = [(name, substituted(operation, folded)) for name, operation in lines]
    program = replace(straight.program, term=binding(found, substituted(printed, folded)))  # type: ignore[arg-type]
    return simplify(replace(straight, program=program), level)


def reassociated_always(straight: Straight, level: Level) -> Straight:
    """What only real arithmetic says is done at the exact level too."""
    return simplify(straight, "reassociate")


SURROUNDINGS: tuple[tuple[str, Simplify, str], ...] = (
    ("across-shadowed", across_shadowed, "common subexpressions are merged across a name that is bound again"),
    ("late-use-forgotten", late_use_forgotten, "dead code is what the first print does not need"),
    ("inputs-folded", inputs_folded, "inputs are folded as literals are"),
    ("always-reassociated", reassociated_always, "the exact level reassociates"),
)

MUTANTS = tuple(
    [
        Mutant(f"simplify.{what}", "drivers.simplify", "value", wrong, OURS, drivers(simplify=function), CAUGHT_BY)
        for what, function, wrong in SURROUNDINGS
    ]
)
