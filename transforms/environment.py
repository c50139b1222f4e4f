"""The variables in scope: one mutable environment that binders extend and leave again.

A dictionary by name with a trail of what was shadowed makes binding, looking up and leaving O(1) each, so that a chain
of n `let`s costs O(n).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

V = TypeVar("V")


class Environment(dict[str, V]):
    """What each name in scope stands for (a type, a value, ...): where names may be bound again, by `bind` and `leave`.

    `trail` holds what was bound and is still in scope, the innermost last: the name, what it stands for, and what it
    shadows.
    """

    __slots__ = ("trail",)

    def __init__(self, bindings: Iterable[tuple[str, V]] = ()) -> None:
        super().__init__()
        self.trail: list[tuple[str, V, V | None]] = []
        for name, thing in bindings:
            self.bind(name, thing)

    def bind(self, name: str, thing: V) -> None:
        """Let `name` stand for `thing`, until `leave` returns to before this."""
        self.trail.append((name, thing, self.get(name)))
        self[name] = thing

    def mark(self) -> int:
        """The present state, for `leave`."""
        return len(self.trail)

    def leave(self, mark: int) -> None:
        """Forget, innermost first, what was bound since `mark`."""
        trail = self.trail
        while len(trail) > mark:
            name, _, shadowed = trail.pop()
            if shadowed is None:
                del self[name]
            else:
                self[name] = shadowed
