"""Recursion without Python's stack.

A recursive function is written as a generator that yields its recursive calls and is sent their results, so that it
reads as it would with ordinary calls; `run` keeps the suspended ones in a list.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

Call = Generator[Any, Any, Any]


def run(call: Call) -> Any:
    """The result of a recursive call."""
    waiting = [call]
    result: Any = None
    while waiting:
        try:
            waiting.append(waiting[-1].send(result))
            result = None
        except StopIteration as finished:
            waiting.pop()
            result = finished.value
    return result
