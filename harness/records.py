"""Records: one JSON object a line, written atomically."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

SCHEMA = 1

Record = dict[str, Any]


def jsonable(value: Any) -> Any:
    """The value with arrays and tuples as lists, and NaN and infinities as the strings "nan", "inf" and "-inf"."""
    if isinstance(value, dict):
        return {key: jsonable(entry) for key, entry in value.items()}
    if isinstance(value, (tuple, list, np.ndarray)):
        return [jsonable(entry) for entry in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else str(float(value))
    return value


def to_json(value: Any) -> str:
    """JSON on one line; floats as the shortest text that reads back exactly."""
    return json.dumps(jsonable(value), allow_nan=False)


def write(path: Path, records: Iterable[Record]) -> None:
    """Write records to a file, all or nothing."""
    write_text(path, "".join(to_json(record) + "\n" for record in records))


def write_text(path: Path, text: str) -> None:
    """Write a file, all or nothing: a reader, or a second run in the same folder, never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
