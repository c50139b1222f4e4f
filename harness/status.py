"""Exit statuses of the commands: the one enumeration."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Status(IntEnum):
    """What a command ends with."""

    GOOD = 0
    FINDING = 1
    """A survivor, a broken bound, a regression, a term or program with an error, a missing input file."""
    USAGE = 2
    TIMEOUT = 3
    BASELINE_FAILED = 4
    NOTHING_SELECTED = 5
    INTERNAL = 70
    INTERRUPTED = 130
    STOPPED = 134
    """A Mountain Goat program stopped at run time."""


PRECEDENCE = (
    Status.INTERNAL,
    Status.BASELINE_FAILED,
    Status.USAGE,
    Status.NOTHING_SELECTED,
    Status.TIMEOUT,
    Status.FINDING,
)


def worst(statuses: Iterable[Status]) -> Status:
    """The status that takes precedence; GOOD if there is none."""
    found = set(statuses)
    return next((status for status in PRECEDENCE if status in found), Status.GOOD)
