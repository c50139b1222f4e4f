"""Loops in C that go along arrays by pointers.

For each array and how it is gone along, a loop has one pointer, which it moves on at the end of a round. What is at a
fixed distance from it is then one load away, also where the compiler does not optimise: a pointer to an array has the
distance in the address, which a pointer to a double would add first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Pointer:
    name: str
    start: str
    stride: int
    span: int = 1


@dataclass(slots=True)
class _Level:
    pointers: dict[tuple, _Pointer] = field(default_factory=dict)


@dataclass(slots=True)
class Nest:
    """The text of nested loops, written from the outside in."""

    lines: list[str] = field(default_factory=list)
    levels: list[_Level] = field(default_factory=list)
    serial: int = 0

    def write(self, text: str) -> None:
        self.lines.append(text)

    def loop(self, rounds: int, step: int, body: Callable[[int], None]) -> None:
        """The body for `rounds` rounds, `step` of them at a time; the body is told how many, and that is less for the
        rest at the end."""
        outside, self.lines = self.lines, []
        level = _Level()
        self.levels.append(level)
        times, rest = divmod(rounds, step)
        if times:
            body(step)
        block, self.lines = self.lines, []
        if rest:
            body(rest)
        tail, self.lines = self.lines, outside
        self.levels.pop()
        self.serial += 1
        counter = f"n{self.serial}"
        self.write("{")
        for p in level.pointers.values():
            self.write(f"double (*{p.name})[{p.span}] = (void *)({p.start});")
        if times > 1:
            self.write(f"long {counter} = {times};")
            self.write("do {")
        elif times:
            self.write("{")
        self.lines += block
        if times > 1 or (times and rest):
            for p in level.pointers.values():
                self.write(f"{p.name} = (void *)((double *){p.name} + {p.stride * step});")
        if times > 1:
            self.write(f"}} while (--{counter});")
        elif times:
            self.write("}")
        self.lines += tail
        self.write("}")

    def entry(self, base: str, strides: Sequence[int], offset: int) -> str:
        """The entry of an array at an offset from where the loops are, which go along it at these strides."""
        pointer = self._pointer(base, tuple(strides))
        if pointer is None:
            return f"{base}[{offset}]"
        pointer.span = max(pointer.span, offset + 1)
        return f"(*{pointer.name})[{offset}]"

    def _pointer(self, base: str, strides: tuple[int, ...]) -> _Pointer | None:
        """The pointer of the innermost loop that moves along the array; None where none does."""
        assert len(strides) <= len(self.levels)
        while strides and strides[-1] == 0:
            strides = strides[:-1]
        if not strides:
            return None
        level = self.levels[len(strides) - 1]
        key = (base, strides)
        if key not in level.pointers:
            outer = self._pointer(base, strides[:-1])
            self.serial += 1
            level.pointers[key] = _Pointer(f"p{self.serial}", outer.name if outer else base, strides[-1])
        return level.pointers[key]
