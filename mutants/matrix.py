"""What is read off a kill matrix alone: from each mutant, the set of checks that kill it.

A matrix is a mapping from mutants to the checks that kill them, both by id and both in a fixed order, in which every
answer is given. After Ammann, Delamaro and Offutt, Establishing Theoretical Minimal Sets of Mutants, for subsumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Rows = Mapping[str, frozenset[str]]


def solo(rows: Rows, check: str) -> float:
    """The share of the mutants that a check kills."""
    return sum(check in row for row in rows.values()) / len(rows) if rows else 0.0


def unique(rows: Rows, check: str) -> list[str]:
    """The mutants that this check kills and no other."""
    return [mutant for mutant, row in rows.items() if row == {check}]


def without(rows: Rows, check: str) -> float:
    """The score of all the other checks together."""
    return sum(bool(row - {check}) for row in rows.values()) / len(rows) if rows else 0.0


def smallest(rows: Rows, checks: Sequence[str]) -> tuple[str, ...]:
    """A smallest set of checks that kills all that can be killed; exact, and the same for the same matrix.

    Every row that is killed must contain one of the set, so it is enough to branch over the checks of one row, the
    shortest that is not hit. Rows that contain another are hit with it.
    """
    needed = _minimal({row for row in rows.values() if row})
    order = {check: k for k, check in enumerate(checks)}
    for size in range(len(checks) + 1):
        found = _hitting(needed, size, order)
        if found is not None:
            return tuple(sorted(found, key=order.__getitem__))
    raise ValueError("a mutant is killed by a check that is not among the checks")


def _hitting(rows: list[frozenset[str]], size: int, order: Mapping[str, int]) -> frozenset[str] | None:
    if not rows:
        return frozenset()
    if size == 0:
        return None
    for check in sorted(min(rows, key=len), key=order.__getitem__):
        rest = _hitting([row for row in rows if check not in row], size - 1, order)
        if rest is not None:
            return rest | {check}
    return None


def _minimal(rows: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """The rows that contain no other."""
    ordered = sorted(rows, key=lambda row: (len(row), sorted(row)))
    kept: list[frozenset[str]] = []
    for row in ordered:
        if not any(other <= row for other in kept):
            kept.append(row)
    return kept


def groups(rows: Rows) -> list[tuple[str, ...]]:
    """The mutants that are killed, together with those that the very same checks kill: the distinct rows."""
    found: dict[frozenset[str], list[str]] = {}
    for mutant, row in rows.items():
        if row:
            found.setdefault(row, []).append(mutant)
    return [tuple(group) for group in found.values()]


def subsuming(rows: Rows) -> tuple[str, ...]:
    """A mutant of each group that no other subsumes: whatever kills these kills every mutant that can be killed."""
    needed = set(_minimal({row for row in rows.values() if row}))
    return tuple(group[0] for group in groups(rows) if rows[group[0]] in needed)


def difficulty(rows: Rows, mutant: str, checks: Sequence[str]) -> float:
    """The share of the checks that kill a mutant: the smaller, the harder it is to notice."""
    return len(rows[mutant]) / len(checks) if checks else 0.0
