"""Places that nothing can be written to."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes, which fails as a disk does that is full."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing may be written to a folder, by nobody: who may do anything becomes somebody else."""
    mode, user = folder.stat().st_mode, os.geteuid()
    folder.chmod(0o555)
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(mode)
