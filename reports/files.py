"""Writing a file whole or not at all, and a folder that one run at a time writes to."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reports.errors import FolderInUse


@contextmanager
def reserved(folder: Path, what: str) -> Iterator[None]:
    """A folder, made where needed, for one run of a kind: `what` runs there. The system gives it free when a run dies.

    Raises FolderInUse, and OSError where nothing can be written to the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f".{what}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUse(folder, what) from None
        yield


def write(path: Path, data: bytes, mode: int = 0o644) -> Path:
    """Write a file, making its folder where needed: whoever reads it sees the old one or the new one, never a part.

    What is no file, such as a pipe or /dev/null, is written to and not replaced; a link stays one. Raises OSError, with
    the name of the file.
    """
    try:
        return _write(path, data, mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _write(path: Path, data: bytes, mode: int) -> Path:
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return path
    if path.is_symlink():
        _write(Path(os.path.realpath(path)), data, mode)
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # or else, where power is lost, the name may already be that of an empty file
        os.chmod(temporary, mode)  # mkstemp's own mode would hide the file from everyone else
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path
