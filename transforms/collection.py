"""Building large graphs without the collector walking them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Hold back cyclic garbage collection.

    Whatever a walk over a term builds is alive until the walk ends. The collector would trace all of it again and again
    as it grows and find nothing, which is what makes long programs cost more than their share.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
