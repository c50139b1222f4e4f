"""Values as they are nested: what the numbers of one are, whoever it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from transforms.types import Injected


def leaves(value: Any) -> Iterator[Any]:
    """The numbers of a value, in order: of floats, arrays, nested lists, tuples and injected values."""
    while isinstance(value, Injected):
        value = value.value
    if isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield value
