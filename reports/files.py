"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, data: bytes) -> Path:
    """Write a file, making its folder where needed: whoever reads it sees the old one or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)  # mkstemp's own mode would hide the file from everyone else
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path
