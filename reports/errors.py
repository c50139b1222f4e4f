"""The named errors of this package: a file of records that cannot be trusted.

Each says which file, which line, what was expected there and what was found.
"""

from __future__ import annotations

from pathlib import Path


class RecordsError(Exception):
    """A file of records to refuse; `line` counts from 1, and is 0 where the file as a whole is meant."""

    def __init__(self, path: Path, line: int, expected: str, found: str) -> None:
        super().__init__(path, line, expected, found)
        self.path, self.line, self.expected, self.found = path, line, expected, found

    def __str__(self) -> str:
        place = f"{self.path}, line {self.line}" if self.line else str(self.path)
        return f"{place}: expected {self.expected}; found {self.found}"


class MissingFile(RecordsError):
    """No readable file at the path."""


class Truncated(RecordsError):
    """A file that stops too early."""


class NotARecord(RecordsError):
    """A line that is no JSON object."""


class WrongSchema(RecordsError):
    """A file of another kind or version, or a record of a kind unknown to this one."""


class WrongField(RecordsError):
    """A field that is absent, or has a value of the wrong type."""


class Contradiction(RecordsError):
    """Fields of one record that cannot all be right, as after an edit by hand."""
