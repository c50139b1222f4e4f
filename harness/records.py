"""Records: one JSON object a line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from harness.errors import ToolMissing
from transforms.types import INJECTIONS, Injected
from transforms.walks import walking

SCHEMA = 1

Record = dict[str, Any]


def bounded(
    suite: str, case: str, sizes: Mapping[str, int], claim: str, limit: float, value: float, **more: Any
) -> Record:
    """The record of a claim that a value is at most a limit, and whether it is; NaN is not."""
    return {
        "kind": "bound", "suite": suite, "case": case, "sizes": sizes,
        "claim": claim, "limit": limit, "value": value, "holds": bool(value <= limit), **more,
    }  # fmt: skip


def skipped(suite: str, what: str, missing: ToolMissing) -> Record:
    """The record of what was not measured for want of a tool."""
    return {"kind": "skip", "suite": suite, "what": what, "reason": missing.reason, "fix": missing.fix}


def repeatable(text: str) -> str:
    """A text as it is in every run: addresses differ between processes."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x...", text)


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
