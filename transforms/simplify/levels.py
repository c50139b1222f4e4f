"""The two levels of simplification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from transforms.array_rules import TABLE
from transforms.machines.syntax import binding
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.rules import Rules
from transforms.simplify.exact import EXACT
from transforms.simplify.reassociate import REASSOCIATING
from transforms.simplify.rewrite import Level, Rewrite, rewritten
from transforms.syntax import Program, Tuple
from transforms.typecheck import typecheck
from transforms.walks import walking

LEVELS: Mapping[Level, tuple[Rewrite, ...]] = {"exact": EXACT, "reassociate": (*EXACT, *REASSOCIATING)}
"""The rewrites of each level, in the order in which they are tried."""


def simplify(straight: Straight, level: Level = "exact") -> Straight:
    """A program with the same inputs that prints the same, as the level says, and has fewer operations."""
    return simplified(straight, LEVELS[level])[0]


def simplified(
    straight: Straight, rewrites: Sequence[Rewrite], rules: Rules = TABLE, share: bool = True
) -> tuple[Straight, Mapping[str, int]]:
    """A program by these rewrites, and how often each was used; `share` as in `rewritten`.

    The result is typechecked with the operations of `rules`.
    """
    with walking():
        lines, printed = unchain(straight.program.term)
        assert isinstance(printed, Tuple)
        context = straight.program.context
        found, results, applied = rewritten(context, lines, printed.parts, rewrites, share)  # type: ignore[arg-type]
        program = Program(context, binding(found, Tuple(tuple(results))), straight.program.source)
        typecheck(program, rules)
    return replace(straight, program=program), applied
