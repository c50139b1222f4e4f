"""Which leaves of a transformation a check calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from functools import wraps
from typing import Any

from harness.checks.check import Check, judge
from harness.checks.subject import Subject
from transforms.composed_rules import COMPOSED
from transforms.drivers import Transformation


def called(checks: Iterable[tuple[Check, Any]], subject: Subject) -> dict[str, list[str]]:
    """For each check, given with what it prepared, the paths of the leaves of `subject` that it calls, in order."""
    found: dict[str, list[str]] = {}
    for check, prepared in checks:
        paths: set[str] = set()
        judge(check, _listening(subject, paths.add), prepared)
        found[check.id] = sorted(paths)
    return found


def reaches(paths: Sequence[str], leaf: str) -> bool:
    """Whether a check that calls the leaves at `paths` calls a leaf, or something that it is part of or has as a part.

    A leaf that is no function counts as called with its record: nothing can be said of it alone.
    """
    whole = leaf.rpartition(".")[0] if leaf.endswith((".c", ".domain", ".conventions", ".pullbacks")) else leaf
    return any(f"{path}.".startswith(f"{whole}.") or f"{whole}.".startswith(f"{path}.") for path in paths)


def _listening(subject: Subject, hear: Callable[[str], object]) -> Subject:
    """The same subject, which says the path of each leaf when it is called; of rows that it may be given, too."""

    def heard(path: str, function: Any) -> Any:
        @wraps(function)
        def listening(*args: Any, **named: Any) -> Any:
            hear(path)
            return function(*args, **named)

        return listening

    def each(path: str, record: Any) -> Any:
        leaves = {field.name: getattr(record, field.name) for field in fields(record)}
        return replace(record, **{k: heard(f"{path}.{k}", leaf) for k, leaf in leaves.items() if callable(leaf)})

    def change(name: str, judged: Transformation) -> Transformation:
        return replace(
            judged,
            rules={row: each(f"rules.{row}", rule) for row, rule in {**COMPOSED, **judged.rules}.items()},
            clauses={made: heard(f"clauses.{made.__name__}", f) for made, f in judged.clauses.items()},
            representation=lambda machine: each(f"representation.{name}", judged.representation(machine)),
            machine=heard("machine", judged.machine),
            drivers=each("drivers", judged.drivers),
        )

    changed = {name: change(name, judged) for name, judged in subject.transformations.items()}
    return replace(subject, transformations=changed, core=subject.core and each("core", subject.core))
