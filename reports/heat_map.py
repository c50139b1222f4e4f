"""The kill matrix as a picture: a row for each mutant, by what it breaks, and a column for each check.

Every cell says in a symbol what its colour says: how many decades beyond the tolerance a kill by value is, or how else
the mutant was noticed. The same records give the same bytes.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib import rc_context, style
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from reports import files
from reports.kill_matrix import ORDER
from reports.plots import FAINT, INK, SETTINGS
from reports.sweeps import Record, of_kind

CELL = 0.19
"""Width and height of a cell, in inches."""

CHARACTER = 0.075
"""The width of a character of a label, in inches."""

REMARK = 0.9
"""The width of a remark behind a row, in inches."""

ROWS = 120
"""The most rows below each other; more are set in panels side by side."""

PASS, UNNOTICED = "#f4f4f4", "#b00020"
SHADES = ("#d6e6f4", "#abd0e6", "#6aaed6", "#2e78b2", "#105ba4", "#08306b")
"""Kills by value, a shade for every two decades of the margin; the last for ten and more, and for NaN."""

OTHERS = {
    "killed-crash": ("C", "#f0a33f", "crash"),
    "killed-refusal": ("R", "#c79be0", "refusal"),
    "timeout": ("T", "#e05f5f", "timeout"),
}


def write(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write `kill-matrix.svg`; returns its path, none where there is no matrix."""
    if not of_kind(records, "cell"):
        return []
    with style.context("default"), rc_context(SETTINGS):
        data = io.BytesIO()
        _figure(records).savefig(data, format="svg", metadata={"Date": None, "Creator": None})
    return [files.write(Path(folder) / "kill-matrix.svg", data.getvalue())]


def _figure(records: Sequence[Record]) -> Figure:
    verdicts = sorted(of_kind(records, "verdict"), key=lambda v: ORDER.index(v["breaks"]))
    checks = [check["check"] for check in of_kind(records, "check")]
    cells = {(cell["mutant"], cell["check"]): cell for cell in of_kind(records, "cell")}
    panels = math.ceil(len(verdicts) / ROWS)
    rows = math.ceil(len(verdicts) / panels)
    left = CHARACTER * (2 + max(len(v["mutant"]) for v in verdicts))
    top, bottom = 0.35 + CHARACTER * max(map(len, checks)), 0.75
    panel = left + CELL * len(checks) + REMARK
    size = max(panel * panels, 6.5), top + CELL * rows + bottom
    figure = Figure(size, facecolor="white")
    for k in range(panels):
        shown = verdicts[k * rows : (k + 1) * rows]
        height = CELL * len(shown)
        where = (k * panel + left) / size[0], (size[1] - top - height) / size[1]
        axes = figure.add_axes((*where, CELL * len(checks) / size[0], height / size[1]))
        _panel(axes, shown, checks, cells)
    _legend(figure, size)
    return figure


def _panel(
    axes: Axes, verdicts: Sequence[Record], checks: Sequence[str], cells: Mapping[tuple[str, str], Record]
) -> None:
    axes.set(xlim=(0, len(checks)), ylim=(len(verdicts), 0))
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(length=0, pad=2)
    axes.xaxis.tick_top()
    axes.set_xticks([k + 0.5 for k in range(len(checks))], checks, rotation=90, fontsize=7)
    axes.set_yticks([k + 0.5 for k in range(len(verdicts))], [v["mutant"] for v in verdicts], fontsize=7)
    _draw(axes, [[look(cells[v["mutant"], check]) for check in checks] for v in verdicts])
    for row, v in enumerate(verdicts):
        _remark(axes, row, len(checks), v)
        if v["surprises"]:
            axes.get_yticklabels()[row].set(color=UNNOTICED, fontweight="bold")
    _separate(axes, verdicts, len(checks))


def _draw(axes: Axes, looks: Sequence[Sequence[tuple[str, str, bool]]]) -> None:
    """Squares and symbols. The squares are one collection: ten thousand patches take ten seconds to draw."""
    squares, colours = [], []
    for y, row in enumerate(looks):
        for x, (symbol, colour, dark) in enumerate(row):
            squares.append([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)])
            colours.append(colour)
            if symbol:
                ink = "white" if dark else INK
                axes.text(x + 0.5, y + 0.53, symbol, ha="center", va="center", fontsize=6, color=ink)
    axes.add_collection(PolyCollection(squares, facecolors=colours, edgecolors="white", linewidths=0.8))


def look(cell: Record) -> tuple[str, str, bool]:
    """A cell's symbol and colour, and whether the colour is dark."""
    if cell["outcome"] == "pass":
        return "", PASS, False
    if cell["outcome"] in OTHERS:
        symbol, colour, _ = OTHERS[cell["outcome"]]
        return symbol, colour, False
    margin = float(cell["margin"])
    if not math.isfinite(margin):
        return "∞" if margin == margin else "?", SHADES[-1], True
    decades = max(0, math.floor(math.log10(margin)))
    return str(decades), SHADES[min(decades // 2, len(SHADES) - 1)], decades >= 6


def _remark(axes: Axes, row: int, columns: int, v: Record) -> None:
    text, colour = ("equivalent", FAINT) if v["expected"] == "equivalent" else ("", INK)
    if not v["caught"] and v["expected"] == "caught":
        text, colour = "NOT CAUGHT", UNNOTICED
    if text:
        axes.text(columns + 0.3, row + 0.53, text, ha="left", va="center", fontsize=6.5, color=colour)


def _separate(axes: Axes, verdicts: Sequence[Record], columns: int) -> None:
    """A line where what is broken changes."""
    for row in range(1, len(verdicts)):
        if verdicts[row]["breaks"] != verdicts[row - 1]["breaks"]:
            axes.plot((0, columns), (row, row), color=INK, linewidth=0.8, clip_on=False)


def _legend(figure: Figure, size: tuple[float, float]) -> None:
    entries = [("", PASS, False, "not noticed")]
    entries += [
        (str(2 * k), shade, 2 * k >= 6, f"1e{2 * k}" + (" and more, ∞, NaN (?)" if k == len(SHADES) - 1 else ""))
        for k, shade in enumerate(SHADES)
    ]
    entries += [(symbol, colour, False, name) for symbol, colour, name in OTHERS.values()]
    axes = figure.add_axes((0, 0, 1, 0.62 / size[1]))
    axes.set(xlim=(0, size[0]), ylim=(0.62, 0))
    axes.axis("off")
    axes.text(0.1, 0.1, "killed by value, error over tolerance:", fontsize=7, va="center", color=FAINT)
    x, y = 0.1, 0.25
    for k, (symbol, colour, dark, name) in enumerate(entries):
        if k == 7:
            x, y = 0.1, 0.45
        axes.add_patch(Rectangle((x, y - 0.07), 0.16, 0.16, facecolor=colour, edgecolor=FAINT, linewidth=0.4))
        axes.text(x + 0.08, y + 0.01, symbol, ha="center", va="center", fontsize=6, color="white" if dark else INK)
        axes.text(x + 0.22, y + 0.01, name, ha="left", va="center", fontsize=7)
        x += 0.36 + CHARACTER * 0.9 * len(name)
