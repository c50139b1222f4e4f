"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

import pytest

from reports import files
from reports.errors import FolderInUse


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


def test_an_executable_can_be_executed(tmp_path: Path) -> None:
    assert files.write(tmp_path / "a", b"", 0o755).stat().st_mode & 0o777 == 0o755


def test_a_link_stays_one_and_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "to")
    files.write(tmp_path / "link", b"data")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "to").read_bytes() == b"data"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.write(pipe, b"data")
    assert os.read(reader, 10) == b"data"
    os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError):
        files.write(tmp_path, b"data")


def test_a_folder_is_for_one_run_of_a_kind_until_that_ends(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    told = pytest.raises(FolderInUse, match="folder: another run of bench is writing")
    with files.reserved(folder, "bench"), files.reserved(folder, "mutate"), told, files.reserved(folder, "bench"):
        pass
    with files.reserved(folder, "bench"):
        pass


def test_the_system_gives_a_folder_free_when_a_run_is_killed(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with files.reserved(tmp_path, "bench"):
            os.write(writing, b".")
            signal.pause()  # for ever
    assert os.read(reading, 1) == b"."
    with pytest.raises(FolderInUse), files.reserved(tmp_path, "bench"):
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with files.reserved(tmp_path, "bench"):
        pass


def test_an_error_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*a\.txt'"):
        files.write(tmp_path / "a.txt", b"data")
    assert not list(tmp_path.iterdir())
