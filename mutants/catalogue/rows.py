"""Mutants of the rule table: one field of one row replaced."""

from __future__ import annotations

from typing import Any

from mutants.mutant import Mutant, rule

COURSE, OURS = "the course", "ours"


def row(
    name: str,
    what: str,
    value: Any,
    wrong: str,
    *,
    field: str = "pullback",
    source: str = OURS,
    breaks: str = "value",
    caught_by: tuple[str, ...] = (),
    equivalent: str = "",
) -> Mutant:
    """The mutant whose rule `name` has `value` for a field. Its id says which, unless it is the pullback."""
    id_ = f"{name}.{what}" if field == "pullback" else f"{name}.{field}.{what}"
    return Mutant(
        id_, f"rules.{name}.{field}", breaks, wrong, source, rule(name, **{field: value}), caught_by, equivalent
    )


def field(name: str, rows: tuple[tuple[Any, ...], ...], breaks: str = "value") -> tuple[Mutant, ...]:
    """Mutants that all replace one field: for each a rule, what, the function, what is wrong and perhaps a source."""
    return tuple(
        [
            row(rule_, what, value, wrong, field=name, breaks=breaks, source=(*source, OURS)[0])
            for rule_, what, value, wrong, *source in rows
        ]
    )
