"""What a walk over a large term asks of Python: room to recurse, and a collector that does not interfere."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

MAX_DEPTH = 10_000
"""How deeply terms may nest, other than in the body of a `let` or `case`, which may be nested without limit."""

# Walks recurse on everything but bodies, with at most six frames open for each level. Since Python 3.11 a call from
# Python to Python takes its frame from the heap, so a higher limit costs memory alone. It is raised during walks only:
# recursion inside C, such as that of the json module, relies on the limit to protect the C stack.
ROOM = 8 * MAX_DEPTH


@contextmanager
def walking() -> Iterator[None]:
    """Raise the recursion limit, and hold back cyclic garbage collection.

    Whatever a walk builds is alive until the walk ends. The collector would trace all of it again and again as it grows
    and find nothing, which is what makes long programs cost more than their share.
    """
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, ROOM))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
