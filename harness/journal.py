"""A file of records that grows while a run lasts, so that a run that is broken off can be continued.

The first line says what the run is a run of; only what the very same run left is taken over.

A record is handed to the system before the next is waited for, so that it outlives this process however that ends. It
is not forced to the disk: a machine that loses power may lose the records of its last half minute, or leave damage
there, and they are computed again; to force each to the disk would cost more than to compute it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.records import Record, lines, to_json


class Appended:
    """A file that grows by a line a record, and at no time holds less than it did, whatever happens.

    It begins with `records`, in place of what was there. Raises OSError, with the name of the file.
    """

    def __init__(self, path: Path, records: Iterable[Record]) -> None:
        self._path = path
        beside = path.with_name(f".{path.name}.new")
        self._file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
        try:
            self._write(lines(records))
            os.replace(beside, path)
        except BaseException:
            os.close(self._file)
            beside.unlink(missing_ok=True)
            raise

    def append(self, record: Record) -> None:
        """Add a record; it is in the file when this returns."""
        self._write(to_json(record) + "\n")

    def close(self) -> None:
        os.close(self._file)

    def _write(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None


def earlier(path: Path, run: Record) -> tuple[list[Record], str]:
    """The records that an earlier run left behind its first, and a remark.

    There are none where it was a run of something else than `run` says. The remark says so, or what is damaged.
    """
    found, damaged = read(path)
    if not found:
        return [], f"not resumed: no earlier run left {path}"
    then = {key: value for key, value in found[0].items() if key not in ("records", "commit")}
    now = {key: value for key, value in json.loads(to_json(run)).items() if key != "commit"}  # `sources` says more
    if different := [key for key in dict.fromkeys((*now, *then)) if now.get(key) != then.get(key)]:
        return [], f"not resumed: the earlier run in {path.parent} was another: its {', '.join(different)} differ"
    lost = f"{path}, line {damaged}: no record; what stands there and behind it is done again" if damaged else ""
    return found[1:], lost


def read(path: Path) -> tuple[list[Record], int]:
    """The records of a file up to the first line that is none, and that line's number; 0 if all are.

    Its writer may have been killed in the middle of the last line, which is no damage: it does not count.
    """
    try:
        *whole, _ = path.read_bytes().split(b"\n")
    except OSError:
        return [], 0
    found: list[Record] = []
    for number, line in enumerate(whole, 1):
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            return found, number
        if not isinstance(record, dict):
            return found, number
        found.append(record)
    return found, 0
