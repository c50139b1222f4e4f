"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reports import files


def test_a_file_replaces_the_old_one_and_can_be_read_by_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.txt"
    files.write(path, b"old")
    assert files.write(path, b"new") == path
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files.write(tmp_path / "a.txt", b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        files.write(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_bytes() == b"old"
