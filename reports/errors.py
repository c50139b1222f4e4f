"""The named errors of this package: a file of records that cannot be trusted, a folder that another run writes to.

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
    """Fields of a record, or records of a file, that cannot all be right, as after an edit by hand."""


class NotMeasured(RecordsError):
    """A run that lacks a figure which is to be published, perhaps because it lacked a tool."""


class FolderInUse(Exception):
    """A folder that another run of the same kind is writing to."""

    def __init__(self, folder: Path, what: str) -> None:
        super().__init__(folder, what)
        self.folder, self.what = folder, what

    def __str__(self) -> str:
        return f"{self.folder}: another run of {self.what} is writing to this folder; wait for it, or name another"
