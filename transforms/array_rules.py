"""THE table, continued: one row per primitive on arrays, and the table as a whole."""

from __future__ import annotations

from transforms.rules import RULES, Rules

ARRAY_RULES: Rules = {}

TABLE: Rules = {**RULES, **ARRAY_RULES}
"""Every row: what terms of the fragment can name, and what only programs on arrays use."""
