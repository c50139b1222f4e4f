"""The variables in scope: one mutable environment that binders extend and leave again.

A dictionary by name with a trail of what was shadowed makes binding, looking up and leaving O(1) each, so that a chain
of n `let`s costs O(n).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

V = TypeVar("V")


class Environment(Generic[V]):
    """What each name in scope stands for (a type, a value, ...)."""

    def __init__(self, bindings: Iterable[tuple[str, V]] = ()) -> None:
        self._bound: dict[str, V] = {}
        self._trail: list[tuple[str, V, V | None]] = []
        for name, thing in bindings:
            self.bind(name, thing)

    def __getitem__(self, name: str) -> V:
        return self._bound[name]

    def __contains__(self, name: str) -> bool:
        return name in self._bound

    def __iter__(self) -> Iterator[str]:
        return iter(self._bound)

    @property
    def innermost(self) -> V | None:
        """What was bound last, of what is still in scope."""
        return self._trail[-1][1] if self._trail else None

    def bind(self, name: str, thing: V) -> None:
        """Let `name` stand for `thing`, until `leave` returns to before this."""
        self._trail.append((name, thing, self._bound.get(name)))
        self._bound[name] = thing

    def mark(self) -> int:
        """The present state, for `leave`."""
        return len(self._trail)

    def leave(self, mark: int) -> None:
        """Forget, innermost first, what was bound since `mark`."""
        while len(self._trail) > mark:
            name, _, shadowed = self._trail.pop()
            if shadowed is None:
                del self._bound[name]
            else:
                self._bound[name] = shadowed
