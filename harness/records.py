"""Records: one JSON object a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from transforms.types import INJECTIONS, Injected
from transforms.walks import walking

SCHEMA = 1

Record = dict[str, Any]


def to_json(value: Any) -> str:
    """JSON on one line, for values nested as deeply as terms.

    Floats as the shortest text that reads back exactly, NaN and infinities as the strings "nan", "inf" and "-inf";
    tuples and arrays as lists, a value of a sum as an object with the one key "inl" or "inr". Raises TypeError for
    anything that JSON does not know.
    """
    pieces: list[str] = []
    with walking():
        _write(value, pieces)
    return "".join(pieces)


def _write(value: Any, pieces: list[str]) -> None:
    if isinstance(value, dict):
        pieces.append("{")
        for k, (key, entry) in enumerate(value.items()):
            pieces.append(f"{', ' if k else ''}{json.dumps(key)}: ")
            _write(entry, pieces)
        pieces.append("}")
    elif isinstance(value, (tuple, list, np.ndarray)):
        pieces.append("[")
        for k, entry in enumerate(value):
            pieces.append(", " if k else "")
            _write(entry, pieces)
        pieces.append("]")
    elif isinstance(value, Injected):
        _write({INJECTIONS[value.side]: value.value}, pieces)
    elif isinstance(value, float) and not math.isfinite(value):
        pieces.append(f'"{float(value)}"')
    else:
        pieces.append(json.dumps(value))


def lines(records: Iterable[Record]) -> str:
    """The text of a file of records."""
    return "".join(to_json(record) + "\n" for record in records)
