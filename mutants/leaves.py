"""The leaves of a transformation: which of them a mutant replaces, their text, and where that stands.

A leaf is named by its path in the record: `rules.mul.pullback`, `clauses.Let`, `representation.accumulator.scope`,
`machine.apply`, `drivers.seed`, `core.let`. A replacement that cannot be told apart further has a shorter path.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from harness.checks.subject import Subject
from harness.records import repeatable
from transforms import array_rules, composed_rules, rules
from transforms.cotangents.interface import Representation
from transforms.drivers import Transformation
from transforms.rules import Rule

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf that differs: its path, and what stands there before and after; None where there was nothing."""

    path: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text stands: a file by its path from the root, and the lines from `start` to `end`, both from 1."""

    path: str
    start: int
    end: int


def replaced(before: Subject, after: Subject) -> list[Leaf]:
    """The leaves in which two subjects differ, each once, in the order of the record."""
    found: dict[str, Leaf] = {}
    for name, judged in before.transformations.items():
        for leaf in _differing(name, judged, after.transformations[name]):
            found.setdefault(leaf.path, leaf)
    for field in fields(before.core) if before.core else ():
        old, new = getattr(before.core, field.name), getattr(after.core, field.name)
        if not _same(old, new):
            found[f"core.{field.name}"] = Leaf(f"core.{field.name}", old, new)
    return list(found.values())


def _differing(name: str, before: Transformation, after: Transformation) -> Iterator[Leaf]:
    rows = list(_rows(before.rules, after.rules))
    yield from rows
    if not rows and before.rules is not after.rules and type(before.rules) is not type(after.rules):
        yield Leaf("rules", before.rules, after.rules)
    for constructor in dict.fromkeys((*before.clauses, *after.clauses)):
        old, new = before.clauses.get(constructor), after.clauses.get(constructor)
        if not _same(old, new):
            yield Leaf(f"clauses.{constructor.__name__}", old, new)
    if not _same(before.representation, after.representation):
        yield from _representation(f"representation.{name}", before, after)
    if before.machine is not after.machine:
        yield from _machine(before.machine, after.machine)
    for field in fields(before.drivers):
        old, new = getattr(before.drivers, field.name), getattr(after.drivers, field.name)
        if not _same(old, new):
            yield Leaf(f"drivers.{field.name}", old, new)


def _rows(before: Mapping[str, Rule], after: Mapping[str, Rule]) -> Iterator[Leaf]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, composed_rules.COMPOSED.get(name)), after.get(name)
        if old is None or new is None:
            yield Leaf(f"rules.{name}", old, new)
        elif old is not new:
            for field in fields(Rule):
                was, now = getattr(old, field.name), getattr(new, field.name)
                if not _same(was, now):
                    yield Leaf(f"rules.{name}.{field.name}", was, now)


def _representation(path: str, before: Transformation, after: Transformation) -> Iterator[Leaf]:
    machine = before.machine(before.rules)
    old, new = before.representation(machine), after.representation(machine)
    changed = [
        Leaf(f"{path}.{field.name}", getattr(old, field.name), getattr(new, field.name))
        for field in fields(Representation)
        if field.name != "name" and not _made_alike(getattr(old, field.name), getattr(new, field.name))
    ]
    yield from changed or [Leaf(path, before.representation, after.representation)]


def _machine(before: Any, after: Any) -> Iterator[Leaf]:
    methods = (
        [name for name, value in vars(after).items() if callable(value) and hasattr(before, name)]
        if isinstance(before, type) and isinstance(after, type) and issubclass(after, before)
        else []
    )
    if not methods:
        yield Leaf("machine", before, after)
    for name in methods:
        yield Leaf(f"machine.{name}", getattr(before, name), getattr(after, name))


def _same(one: Any, other: Any) -> bool:
    return one is other or (not callable(one) and not callable(other) and bool(one == other))


def _made_alike(one: Any, other: Any) -> bool:
    """Whether two functions have one body: those of a representation are made anew at every call."""
    one, other = _written(one), _written(other)
    return one is other or (hasattr(one, "__code__") and getattr(other, "__code__", None) is one.__code__)


def source(value: Any) -> str:
    """The text of a leaf: of a function or class as it was written, else how Python shows it."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return source(type(value)) if type(value) is not dict else "a dict"
    if isinstance(value, Rule):
        return "\n\n".join(filter(None, (source(getattr(value, field.name)) for field in fields(Rule))))
    try:
        return textwrap.dedent("".join(inspect.getsourcelines(_written(value))[0])).rstrip()
    except (OSError, TypeError):
        return value if isinstance(value, str) else repeatable(repr(value))


def place(leaf: Leaf) -> Place:
    """Where the leaf that is replaced is defined: its function, else its row of the table, else the record."""
    if callable(leaf.before) and not isinstance(leaf.before, Rule):
        try:
            return place_of(leaf.before)
        except (OSError, TypeError, ValueError):
            pass
    root, _, rest = leaf.path.partition(".")
    name = rest.partition(".")[0]
    for module in (rules, array_rules, composed_rules) if root == "rules" else ():
        if found := _row(Path(inspect.getfile(module)), name):
            return found
    return place_of(Transformation)


def _written(value: Any) -> Any:
    """The function behind partial applications, bound methods and wrappers."""
    while isinstance(value, partial):
        value = value.func
    return inspect.unwrap(getattr(value, "__func__", value))


def place_of(value: Any) -> Place:
    """Where a function or class is written. Raises OSError, TypeError or ValueError for what is not in our files."""
    value = _written(value)
    lines, start = inspect.getsourcelines(value)
    file = Path(inspect.getfile(value)).resolve()
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    return Place(file.relative_to(ROOT).as_posix(), start, start + len(lines) - 1)


def _row(file: Path, name: str) -> Place | None:
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Call(func=ast.Name(id="Rule"), args=[ast.Constant(value=found), *_]) if found == name:
                return Place(file.resolve().relative_to(ROOT).as_posix(), node.lineno, node.end_lineno or node.lineno)
    return None
