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
from transforms.simplify.rewrite import Rewrite, rewritten
from transforms.syntax import Program, Tuple
from transforms.typecheck import typecheck
from transforms.walks import walking


def simplify(straight: Straight, rewrites: Sequence[Rewrite] = EXACT, rules: Rules = TABLE) -> Straight:
    """A program that prints the same, as far as the rewrites say so, with fewer operations. It has the same inputs."""
    return simplified(straight, rewrites, rules)[0]


def simplified(
    straight: Straight, rewrites: Sequence[Rewrite] = EXACT, rules: Rules = TABLE
) -> tuple[Straight, Mapping[str, int]]:
    """As `simplify`, and how often each rewrite was used."""
    with walking():
        lines, printed = unchain(straight.program.term)
        assert isinstance(printed, Tuple)
        found, results, applied = rewritten(straight.program.context, lines, printed.parts, rewrites)  # type: ignore[arg-type]
        term = binding(found, Tuple(tuple(results)))
        program = Program(straight.program.context, term, straight.program.source)
        typecheck(program, rules)
    return replace(straight, program=program), applied
