"""Names of values: readable, distinct, and none a word that begins a statement."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from sys import intern

WORDS = {"def", "let", "print"}


def plain(name: str) -> str:
    """A name of the language that is like `name`."""
    name = re.sub("[^A-Za-z0-9_]", "_", name)
    return name if name and not name[0].isdigit() else f"v{name}"


def whole(name: str) -> str:
    """A name like `name` that does not end in `_` and digits: xDSL drops such endings."""
    name = plain(name)
    if not name[-1].isdigit():
        return name
    stem = name.rstrip("0123456789_")
    return plain(stem + name[len(stem) :].replace("_", ""))


class Names:
    """The names in use in one function, spelt by `spell`; `reserved` are left to those who ask for them by name."""

    def __init__(self, reserved: Iterable[str] = (), spell: Callable[[str], str] = whole) -> None:
        self.spell = spell
        self.used: set[str] = set(WORDS)
        self.reserved = {spell(name) for name in reserved}
        self.serial: Counter[str] = Counter()

    def fresh(self, wanted: str) -> str:
        """The name that is wanted, or one like it."""
        name = self.spell(wanted)
        return self.beside(name) if name in self.used else self._take(name)

    def beside(self, name: str) -> str:
        """A name like this one, but another."""
        return self._take(self._numbered(f"{name}v" if name[-1] in "_0123456789" else name, 2))

    def temporary(self) -> str:
        """A name for a value that the program gives none."""
        return self._take(self._numbered("t", 1))

    def _numbered(self, base: str, first: int) -> str:
        while True:
            name = f"{base}{self.serial[base] + first}"
            self.serial[base] += 1
            if name not in self.used and name not in self.reserved:
                return name

    def _take(self, name: str) -> str:
        self.used.add(name)
        return intern(name)
