"""What a Mountain Goat program costs: its size, and the instructions that its compiled computation executes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness import callgrind, compiled, native
from harness.callgrind import Profile
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.simplify.rewrite import Level

SHOWN = 10
"""How many lines are named as those that cost most."""

WIDTH = 40
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a program: its number, its text, and the instructions that it costs, by level of optimisation."""

    number: int
    text: str
    instructions: Mapping[str, int]


def lets(line: Straight) -> int:
    """How many operations a program performs, each a `let` once functions are inlined."""
    return len(unchain(line.program.term)[0])


def profiles(line: Straight, levels: tuple[str, ...], simplified: Level | None) -> dict[str, Profile]:
    """The instructions that a program executes, by level of optimisation, which is one of `native.LEVELS`.

    `simplified` is the level that it is simplified at before that, None for as it is. Raises as `native.build` and
    `callgrind.count` do.
    """
    source = compiled.straight(line, simplified).source()
    return {level: callgrind.count(native.build(source, level, lines=True)) for level in levels}


def costliest(line: Straight, counted: Mapping[str, Profile], most: int | None = SHOWN) -> list[Line]:
    """The lines of the source that cost most at the first of the levels, in falling order; all of them for None."""
    source = line.program.source.split("\n")
    by_level = {level: callgrind.of_file(profile, line.file) for level, profile in counted.items()}
    first = next(iter(by_level.values()), {})
    numbers = sorted((number for number in first if 0 < number <= len(source)), key=lambda n: (-first[n], n))
    comment = "//" if line.file.endswith(".mlir") else "#"
    return [
        Line(
            number,
            _brief(source[number - 1].partition(comment)[0].strip()),
            {level: found.get(number, 0) for level, found in by_level.items()},
        )
        for number in numbers[:most]
    ]


def _brief(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 4]} ..."
