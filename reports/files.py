"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, data: bytes, mode: int = 0o644) -> Path:
    """Write a file, making its folder where needed: whoever reads it sees the old one or the new one, never a part.

    What is no file, such as a pipe or /dev/null, is written to and not replaced; a link stays one.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return path
    if path.is_symlink():
        write(Path(os.path.realpath(path)), data, mode)
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)  # mkstemp's own mode would hide the file from everyone else
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path
