"""Matrices as Mountain Goat text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def literal(matrix: Any) -> str:
    """A matrix as a literal, each number the shortest text that reads back."""
    rows = (", ".join(map(repr, row)) for row in np.asarray(matrix, float).tolist())
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"


def bound(matrices: Mapping[str, Any]) -> str:
    """A line for each matrix that binds it to its name."""
    return "\n".join(f"let {name} = {literal(matrix)}" for name, matrix in matrices.items())
