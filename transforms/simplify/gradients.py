"""Gradients of matrix programs whose compositions were recognised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transforms.composed_rules import COMPOSED
from transforms.mountain_goat.gradients import Generated, gradient
from transforms.mountain_goat.judged import MATRICES, MatrixTransformation
from transforms.mountain_goat.straight import Straight


def reassociated_gradient(
    straight: Straight, names: Sequence[str], loss: int = 0, judged: MatrixTransformation = MATRICES
) -> Generated:
    """As `gradient`, with the textbook pullbacks of what is recognised. Raises as `gradient` does."""
    judged = replace(judged, rules={**COMPOSED, **judged.rules})
    return gradient(judged.drivers.recognise(straight), names, loss, judged)
