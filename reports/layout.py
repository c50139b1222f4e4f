"""A table's layout: as text for a terminal, as Markdown and as CSV.

Text and Markdown are for people: thousands separators, rounded ratios. CSV is for programs: whole numbers plain, floats
in full, an empty cell where there is no value.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

if TYPE_CHECKING:
    import pandas

WIDTH = 80
"""Columns of the terminal that `tables.txt` is written for."""

GAP = 2
NARROWEST = 12
"""The least width to which a column of text is folded."""

COUNT, RATIO, EXPONENT, NUMBER = "{:,}", "{:,.1f}x", "{:z.3f}", "{:,.4g}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in CSV, the format of its numbers (none for text), and a shorter heading for people.

    A column with a heading of its own stays beside the one before it, which the heading relies on.
    """

    name: str
    form: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is its file's, `keys` the number of leading columns that say what a row is about."""

    name: str
    suite: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""
    keys: int = 1

    def cells(self) -> list[list[str]]:
        """The rows as people read them."""
        return [[_shown(column, cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def headings(self) -> list[str]:
        return [column.heading or column.name for column in self.columns]

    def text(self, width: int = WIDTH) -> str:
        """The table for a terminal: texts are folded, and then columns set below each other, until it fits `width`."""
        heads, cells = self.headings(), self.cells()
        wide = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        texts = [k for k, column in enumerate(self.columns) if not column.form]
        while sum(wide) + GAP * (len(wide) - 1) > width and any(wide[k] > NARROWEST for k in texts):
            wide[max(texts, key=wide.__getitem__)] -= 1
        blocks = [
            tabulate(
                # Headings and rule as rows, for tabulate sets its own headings two columns wider than they are.
                [[_folded(row[k], wide[k]) for k in block] for row in (heads, ["-" * w for w in wide], *cells)],
                tablefmt="plain",
                colalign=[_side(self.columns[k]) for k in block],
                disable_numparse=True,
            )
            for block in self._blocks(wide, width)
        ]
        return "\n\n".join(filter(None, [self.title, *blocks, textwrap.fill(self.note, width)])) + "\n"

    def markdown(self) -> str:
        """The table in GitHub's Markdown, below its title in bold."""
        table = tabulate(
            [[escaped(cell) for cell in row] for row in self.cells()],
            headers=[escaped(head) for head in self.headings()],
            tablefmt="pipe",
            colalign=[_side(column) for column in self.columns],
            disable_numparse=True,
        )
        return "\n\n".join(filter(None, [f"**{escaped(self.title)}**", table, escaped(self.note)])) + "\n"

    def frame(self) -> pandas.DataFrame:
        """The values as they are in the records; None where there is none."""
        import pandas  # here, for it takes longer to import than everything else a command does

        # As objects: a column with a gap would otherwise become floats, which are not exact above 2^53.
        return pandas.DataFrame(list(self.rows), columns=[column.name for column in self.columns], dtype=object)

    def csv(self) -> str:
        return self.frame().to_csv(index=False, lineterminator="\n")

    def _blocks(self, wide: Sequence[int], width: int) -> list[list[int]]:
        """The columns of each part of the table, the keys leading every part."""
        keys = list(range(self.keys))
        groups: list[list[int]] = []
        for k in range(self.keys, len(self.columns)):
            if self.columns[k].heading and groups:
                groups[-1].append(k)
            else:
                groups.append([k])
        blocks = [list(keys)]
        for group in groups:
            taken = [*blocks[-1], *group]
            if blocks[-1] != keys and sum(wide[k] + GAP for k in taken) - GAP > width:
                blocks.append([*keys, *group])
            else:
                blocks[-1] = taken
        return blocks


def _shown(column: Column, cell: Any) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str) or not column.form:
        return str(cell)
    exact = isinstance(cell, int) and column.form == NUMBER
    return (COUNT if exact else column.form).format(cell)


def _folded(cell: str, width: int) -> str:
    return "\n".join(textwrap.wrap(cell, width)) if len(cell) > width else cell


def _side(column: Column) -> str:
    return "right" if column.form else "left"


def escaped(text: str) -> str:
    """A text that cannot end a cell of a Markdown table, nor its row."""
    return " ".join(text.replace("|", "\\|").split())
