"""Values that know which line of which file they are from, so that a figure on a page can be traced to its record.

They are equal to plain ones and format as they do. What is computed from them has no origin but the one that `made`
gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reports.sweeps import Record


class Count(int):
    origin: str = ""


class Measure(float):
    origin: str = ""


class Words(str):
    origin: str = ""


TRACED: dict[type, type[Count | Measure | Words]] = {int: Count, float: Measure, str: Words}
"""What stands for a value of each type; true, false and null stay as they are, since Python has one of each."""


def traced(records: Sequence[Record], name: str) -> list[Record]:
    """The records of the file `name`, a line each, with every number and text in them traced to `name:line`."""
    return [mark(record, f"{name}:{line}") for line, record in enumerate(records, 1)]


def origin(value: Any) -> str:
    """`file:line`; empty for a value that is from no record. A record's own origin is that of its kind."""
    return getattr(value["kind"] if isinstance(value, dict) else value, "origin", "")


def span(records: Sequence[Record]) -> str:
    """`file:first-last` of records of one file; empty for records that are from none."""
    places = [place.rpartition(":") for record in records if (place := origin(record))]
    if not places:
        return ""
    lines = sorted(int(line) for _, _, line in places)
    return f"{places[0][0]}:{lines[0]}" + (f"-{lines[-1]}" if lines[-1] > lines[0] else "")


def made(value: Any, records: Sequence[Record]) -> Any:
    """A value that needs several records, from all of them; as it is where they are from no file."""
    place = span(records)
    return mark(value, place) if place else value


def mark(value: Any, place: str) -> Any:
    """A value with all that is in it, from this `file:line`, wherever it was from before."""
    if isinstance(value, dict):
        return {key: mark(entry, place) for key, entry in value.items()}
    if isinstance(value, list):
        return [mark(entry, place) for entry in value]
    kind = type(value) if type(value) in TRACED.values() else TRACED.get(type(value))
    if kind is None:
        return value
    marked = kind(value)
    marked.origin = place
    return marked
