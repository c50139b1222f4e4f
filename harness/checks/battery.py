"""The battery: every check, in the order of the page that describes them."""

from __future__ import annotations

from harness.checks import accuracy, cost, kinks, matrices, native, second_order, simplification, structure, values
from harness.checks.check import Check

_MODULES = values, kinks, second_order, matrices, simplification, structure, cost, accuracy

ORDER = (
    "reference", "finite-differences", "dot-product", "taylor", "representations", "linearity", "sharing",
    "ties-and-kinks", "hard-points", "second-order", "hand-attention", "hand-layernorm", "hand-transformer", "training",
    "simplification", "refusals", "well-typed", "determinism",
    "cost-constant", "cost-exact", "cost-growth", "cost-theorem", "cost-visits", "cost-memory",
    "accuracy",
)  # fmt: skip

BATTERY: tuple[Check, ...] = tuple(
    sorted([check for module in _MODULES for check in module.CHECKS], key=lambda check: ORDER.index(check.id))
)

NATIVE: tuple[Check, ...] = native.CHECKS
"""Checks of compiled code, which need a compiler: a group of their own."""
