"""Plots of a bench run: costs against size in log-log, where growth n^e is a straight line of slope e.

The same records give the same bytes: the figures use no state of matplotlib's nor of the user's, only the font that
matplotlib ships, and carry no date or version. Subjects differ in colour, marker and line style alike.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path
from typing import Any

from matplotlib import rc_context, style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from reports import files
from reports.sweeps import Record, Sweep, stem, sweeps

METRICS = ("operations", "model_cost", "instructions")
"""The metrics that are exact counts, in which growth is read off."""

PANEL = (5.4, 3.9)
"""Width and height of one panel, in inches."""

OVERVIEW = 4
"""The most panels in the overview."""

LINE_HEIGHT = 0.062
"""The least distance between two labels at the right edge, as a share of a panel's height."""

TICK_CHARACTER = 0.027
"""The width of a character of a tick's label, as a share of a panel's width."""

INK, FAINT = "#333333", "#767676"

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "svg.fonttype": "path",
    "svg.hashsalt": "adjudge",
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 150,
}


@dataclass(frozen=True, slots=True)
class Look:
    """How a subject is drawn; `dashes` are lengths on and off, none for a solid line, and `size` is the marker's."""

    colour: str
    marker: str
    size: float
    dashes: tuple[float, ...]


LOOKS = {
    "source": Look("#1a1a1a", "s", 7.5, ()),
    "accumulator": Look("#1f4fd8", "o", 6.5, (5, 1.5)),
    "forward": Look("#02715a", "^", 5.5, (2.5, 1.5)),
    "pointwise": Look("#d23c00", "D", 4.5, (5, 1.5, 1, 1.5)),
    "hand-derived": Look("#a04aa6", "v", 6.5, (5, 1.5)),
    "generated": Look("#701400", "P", 5.5, (1, 1)),
}
"""Dark enough to read as text on white, and apart for eyes that lack red, green or blue.

Drawn in this order, so that of subjects with the same counts the one below still shows around and between the other.
"""

OTHER = (
    Look("#5b4bb0", "X", 6.5, (8, 2)),
    Look("#7a4a24", "*", 6.0, (3, 1, 1, 1, 1, 1)),
    Look("#555555", "<", 5.0, (1, 2)),
)
"""Subjects without a look of their own take these in turn."""


def write(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write a figure for each suite whose cases grow with a size, and an overview, `growth`; returns their paths.

    Each is written as SVG and PNG. Records without any such case give no files.
    """
    panels = families(records)
    figures = {
        stem(suite): [sweep for sweep in panels if sweep.suite == suite]
        for suite in dict.fromkeys(sweep.suite for sweep in panels)
    }
    if panels:
        figures["growth"] = ([sweep for sweep in panels if sweep.fits] or panels)[:OVERVIEW]
    return [path for name, shown in figures.items() for path in _write_figure(Path(folder), name, shown)]


def families(records: Sequence[Record]) -> list[Sweep]:
    """The sweeps that can be drawn."""
    return [sweep for sweep in sweeps(records) if _is_family(sweep)]


def svg(sweep: Sweep) -> str:
    """One panel as SVG."""
    with style.context("default"), rc_context(SETTINGS):
        data = io.StringIO()
        _figure([sweep]).savefig(data, format="svg", metadata={"Date": None, "Creator": None})
        return data.getvalue()


def _write_figure(folder: Path, name: str, panels: Sequence[Sweep]) -> list[Path]:
    with style.context("default"), rc_context(SETTINGS):
        figure = _figure(panels)
        paths = []
        for form, metadata in {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}.items():
            data = io.BytesIO()
            figure.savefig(data, format=form, metadata=metadata)
            figure.set_layout_engine("none")  # the first format's layout serves the second
            paths.append(files.write(folder / f"{name}.{form}", data.getvalue()))
        return paths


def _is_family(sweep: Sweep) -> bool:
    """Whether a sweep can be drawn against one size: it has several values of it, or a fit against it."""
    xs = [dict(sizes).get(_against(sweep)) for sizes in sweep.sizes]
    distinct = None not in xs and len(set(xs)) == len(xs)
    return sweep.metric in METRICS and distinct and (len(xs) > 1 or bool(sweep.fits))


def _against(sweep: Sweep) -> str:
    """The size on the horizontal axis: the one that fits are against, else the first that varies."""
    names = [fit["against"] for fit in sweep.fits.values()] or list(sweep.varying)
    return names[0] if names else ""


def _figure(panels: Sequence[Sweep]) -> Figure:
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure((PANEL[0] * columns, PANEL[1] * rows), layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[union-attr]
    for k, sweep in enumerate(panels):
        _draw(figure.add_subplot(rows, columns, k + 1), sweep)
    return figure


def _draw(axes: Axes, sweep: Sweep) -> None:
    against = _against(sweep)
    looks = _looks(sweep.subjects)
    lines = {subject: _points(sweep, against, subject) for subject in sweep.subjects}
    drawn = {subject: line for subject, line in lines.items() if line}
    axes.set_title(sweep.title, loc="left", fontsize=11, fontweight="bold")
    axes.set_xlabel(_x_label(sweep, against))
    axes.set_ylabel(sweep.metric.replace("_", " "))
    hidden = [subject for subject in sweep.subjects if len(lines[subject]) < _measured(sweep, subject)]
    if hidden:
        text = f"zeros not shown: {', '.join(hidden)}"
        axes.text(0, -0.2, text, transform=axes.transAxes, fontsize=8, color=FAINT, va="top")
    if not drawn:
        axes.set(xticks=[], yticks=[])
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = _limits([y for line in drawn.values() for _, y in line], 0.06, 0.16)
    axes.set_xlim(*_limits([x for line in drawn.values() for x, _ in line], 0.04, 0.03))
    axes.set_ylim(low, high)
    _ticks(axes, sorted({x for line in drawn.values() for x, _ in line}))
    _reference_slopes(axes, sweep, drawn)
    for subject, look in looks.items():
        if subject in drawn:
            axes.plot(
                *zip(*drawn[subject], strict=True), color=look.colour, marker=look.marker, markersize=look.size,
                linestyle=(0, look.dashes) if look.dashes else "-", linewidth=1.6,
                markeredgecolor="white", markeredgewidth=0.6, zorder=3,
            )  # fmt: skip
    _labels(axes, sweep, drawn, looks)


def _looks(subjects: Sequence[str]) -> dict[str, Look]:
    """Looks in the order of drawing."""
    others = [subject for subject in subjects if subject not in LOOKS]
    return {subject: look for subject, look in LOOKS.items() if subject in subjects} | {
        subject: OTHER[k % len(OTHER)] for k, subject in enumerate(others)
    }


def _points(sweep: Sweep, against: str, subject: str) -> list[tuple[int, float]]:
    """Size and value, by size; a value or size of 0 has no place on a logarithmic axis."""
    found = ((dict(sizes)[against], sweep.measured.get((sizes, subject))) for sizes in sweep.sizes)
    return sorted((x, record["value"]) for x, record in found if record and x > 0 and record["value"] > 0)


def _measured(sweep: Sweep, subject: str) -> int:
    return sum((sizes, subject) in sweep.measured for sizes in sweep.sizes)


def _x_label(sweep: Sweep, against: str) -> str:
    """The size, and the values of others that vary with it."""
    points = sorted((dict(sizes) for sizes in sweep.sizes), key=lambda sizes: sizes[against])
    others = [name for name in sweep.varying if name != against]
    return against + "".join(f"  ({name} = {', '.join(str(p.get(name)) for p in points)})" for name in others)


def _limits(values: Sequence[float], below: float, above: float) -> tuple[float, float]:
    """Limits of a logarithmic axis, with margins as shares of it; at least a decade, so that one point has a place."""
    low, high = log10(min(values)), log10(max(values))
    if high - low < 1:
        low, high = (low + high - 1) / 2, (low + high + 1) / 2
    return 10 ** (low - below * (high - low)), 10 ** (high + above * (high - low))


def _ticks(axes: Axes, sizes: Sequence[int]) -> None:
    """Tick the sizes that were measured, as many as have room, and the powers of ten on the other axis."""
    low, high = (log10(limit) for limit in axes.get_xlim())
    shown: list[int] = []
    for size in reversed(sizes):
        room = TICK_CHARACTER * (1 + len(f"{shown[-1]:,}{size:,}") / 2) if shown else 0.0
        if not shown or (log10(shown[-1]) - log10(size)) / (high - low) >= room:
            shown.append(size)
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.xaxis.set_minor_locator(FixedLocator(list(sizes)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    low, high = axes.get_ylim()
    if high / low < 100:  # too few powers of ten to read values between them
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(visible=True, which="major", axis="y", color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)


def _reference_slopes(axes: Axes, sweep: Sweep, drawn: dict[str, list[tuple[int, float]]]) -> None:
    """For each exponent expected, a line of that slope a little above the highest subject of which it is expected.

    Subjects that are as expected come first: beside another, the line would show where the subject is not.
    """
    tops: dict[float, list[tuple[int, float]]] = {}
    for subject in sorted(drawn, key=lambda s: (sweep.fits.get(s, {}).get("holds") is not False, drawn[s][-1][1])):
        expected = sweep.fits.get(subject, {}).get("expected")
        if expected is not None and len(drawn[subject]) > 1:
            tops[expected] = drawn[subject]
    low, high = (log10(limit) for limit in axes.get_ylim())
    lift = 10 ** (0.06 * (high - low))
    for expected, line in tops.items():
        (x0, _), (x1, y1) = line[0], line[-1]
        start = 10 ** (log10(x0) + 0.5 * (log10(x1) - log10(x0)))
        y0 = y1 * (start / x1) ** expected
        axes.plot((start, x1), (y0 * lift, y1 * lift), color=FAINT, linewidth=1, linestyle=(0, (1, 1.5)), zorder=2)
        axes.annotate(
            f"slope {expected:g}", (x1, y1 * lift), xytext=(0, 3), textcoords="offset points",
            ha="right", va="bottom", fontsize=8, color=FAINT,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )  # fmt: skip


def _labels(axes: Axes, sweep: Sweep, drawn: dict[str, list[tuple[int, float]]], looks: dict[str, Look]) -> None:
    """Name each line at its right end, with the slope measured; labels that would overlap are moved apart."""
    low, high = (log10(limit) for limit in axes.get_ylim())
    ends = sorted((log10(line[-1][1]) - low) / (high - low) for line in drawn.values())
    order = sorted(drawn, key=lambda subject: drawn[subject][-1][1])
    last = max(line[-1][0] for line in drawn.values())
    for subject, end, place in zip(order, ends, _spread(ends), strict=True):
        right = drawn[subject][-1][0]
        beside = len(sweep.sizes) > 1 and right == last and abs(place - end) < LINE_HEIGHT / 4
        axes.annotate(
            subject + _slope(sweep.fits.get(subject)), (right, drawn[subject][-1][1]), xytext=(1.03, place),
            textcoords=axes.transAxes, ha="left", va="center", fontsize=9, color=looks[subject].colour,
            arrowprops={
                "arrowstyle": "-", "color": looks[subject].colour, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 5,
                "relpos": (0, 0.5),
                "alpha": 0.0 if beside else 1.0,
            },
            annotation_clip=False,
        )  # fmt: skip


def _slope(fit: Record | None) -> str:
    if not fit or fit["exponent"] is None:
        return ""
    verdict = f", NOT {fit['expected']:g}" if fit["holds"] is False and fit["expected"] is not None else ""
    return f", slope {fit['exponent']:z.2f}{verdict}"


def _spread(places: Sequence[float]) -> list[float]:
    """Places in the same (ascending) order, as near as can be, at least a line's height apart.

    Neighbours that overlap form a block, which is set evenly around the mean of the places that its members want.
    """
    blocks: list[list[float]] = []
    for place in places:
        blocks.append([place])
        while len(blocks) > 1 and _top(blocks[-2]) + LINE_HEIGHT > _bottom(blocks[-1]):
            last = blocks.pop()
            blocks[-1].extend(last)
    return [_bottom(block) + k * LINE_HEIGHT for block in blocks for k in range(len(block))]


def _bottom(block: Sequence[float]) -> float:
    return sum(block) / len(block) - LINE_HEIGHT * (len(block) - 1) / 2


def _top(block: Sequence[float]) -> float:
    return _bottom(block) + LINE_HEIGHT * (len(block) - 1)
