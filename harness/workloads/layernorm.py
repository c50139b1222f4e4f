"""Layer normalisation of one row, hand-derived by its three-term formula."""

from __future__ import annotations

from collections.abc import Sequence

from harness.workloads.text import bound

PARAMETERS = ("h",)

ROW = (1.0, 2.0, 4.0, 8.0)
DIRECTION = (1.0, -2.0, 3.0, 0.5)

_MODEL = """\
# The normalised row, and its product with d as the loss.
let centred = h - row_mean(h)
let sigma = sqrt(row_mean(centred * centred) + 0.00001)
let y = centred / sigma
let loss = row_sum(d * y)
"""

_GRADIENT = """\
# The backward pass: what d is without its mean and without its part along y.
let dh = (d - row_mean(d) - y * row_mean(d * y)) / sigma
"""


def value(row: Sequence[float] = ROW, direction: Sequence[float] = DIRECTION) -> str:
    """The program that prints the loss of a row in a direction of as many numbers."""
    inputs = bound({"h": [row], "d": [direction]})
    return f"# Layer normalisation of the row h, in the direction d.\n{inputs}\n\n{_MODEL}\nprint loss\n"


def hand_derived(row: Sequence[float] = ROW, direction: Sequence[float] = DIRECTION) -> str:
    """The program that prints the loss and the gradient of h; d is data."""
    return f"{value(row, direction)}\n{_GRADIENT}\nprint dh\n"
