"""What a page is made of: sections of blocks, each as data. `html.py` lays them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import plots
from reports.layout import Table
from reports.origins import origin, span
from reports.svg import inline
from reports.sweeps import Sweep, stem


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with a verdict: true, false, or None where there is none; `origin` says which records it is from."""

    holds: bool | None
    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Statements:
    """A list of them."""

    entries: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A program or another text whose lines stay as they are, below a caption."""

    caption: str
    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """A plot as SVG, with the glyphs that it uses, and where its points are from."""

    svg: str
    glyphs: Mapping[str, str]
    origin: str


@dataclass(frozen=True, slots=True)
class Panels:
    """Plots, beside each other where there is room."""

    entries: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the kill matrix: a symbol, the name of its style, and what is to be said of it."""

    symbol: str
    style: str
    title: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    mutant: str
    title: str
    cells: tuple[Cell, ...]
    remark: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """The kill matrix: the checks, and the mutants in groups, by what they break."""

    checks: tuple[tuple[str, str], ...]
    groups: tuple[tuple[str, tuple[MatrixRow, ...]], ...]
    legend: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Links:
    """Files beside the page."""

    names: tuple[str, ...]


Block = Heading | Statements | Code | Panels | Matrix | Links | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; `anchor` is its address, `lead` its first paragraph."""

    anchor: str
    title: str
    lead: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell of a table: its text, whether it is a number, and where it is from."""

    text: str
    number: bool
    origin: str


def entries(table: Table) -> Iterator[list[Entry]]:
    """The rows of a table.

    A cell that the records do not hold as it stands was made from the record that its neighbours on the left are
    from, or, where there is none, from the one that the table's first row is from.
    """
    first = next((place for row in table.rows for cell in row if (place := origin(cell))), "")
    for row, texts in zip(table.rows, table.cells(), strict=True):
        found = []
        place = next((place for cell in row if (place := origin(cell))), first)
        for column, cell, text in zip(table.columns, row, texts, strict=True):
            place = origin(cell) or place
            found.append(Entry(text, bool(column.form), place))
        yield found


def said(value: Any, form: str) -> str:
    """A value in a sentence: a number in this format, anything else as it is."""
    return form.format(value) if isinstance(value, (int, float)) else str(value)


def panels(sweeps: Sequence[Sweep]) -> list[Block]:
    """A block of the plots of these sweeps, if there are any."""
    drawn = []
    for sweep in sweeps:
        name = f"{sweep.title}: {sweep.measure}"
        prefix = stem(sweep.suite, sweep.case, sweep.metric) + "-"
        lines = span([*sweep.measured.values(), *sweep.fits.values()])
        drawn.append(Panel(*inline(plots.svg(sweep), prefix, name), lines))
    return [Panels(tuple(drawn))] if drawn else []
