"""Plots within a page: their colours follow the page's, their ids are their own, and they share their glyphs."""

from __future__ import annotations

import re
from html import escape

from reports.plots import FAINT, INK, LOOKS, OTHER

GRID, PAPER = "#e4e4e4", "#ffffff"

DARK = {
    PAPER: "#15181d",
    INK: "#e3e3e3",
    FAINT: "#9a9fa8",
    GRID: "#353a43",
    LOOKS["source"].colour: "#f2f2f2",
    LOOKS["accumulator"].colour: "#6986fd",
    LOOKS["forward"].colour: "#45ce98",
    LOOKS["pointwise"].colour: "#f3b612",
    LOOKS["hand-derived"].colour: "#c4a2dc",
    LOOKS["generated"].colour: "#ef633c",
    OTHER[0].colour: "#a99bf0",
    OTHER[1].colour: "#c9a27a",
    OTHER[2].colour: "#b4b4b4",
}
"""What each colour of a plot is on a dark page: as readable there, and as far apart for every eye."""


GLYPH = re.compile(r'<path id="(DejaVu[^"]*)"[^>]*/>')


def variable(colour: str) -> str:
    """The name of the page's variable that holds a colour of plots, with its light value."""
    return f"--c{colour.lstrip('#')}"


def inline(svg: str, prefix: str, label: str) -> tuple[str, dict[str, str]]:
    """A plot of matplotlib's as an element of a page, as wide as there is room, and the glyphs that the page must hold.

    Ids begin with `prefix`; those of glyphs, the same in every plot, stay as they are. Where the plot uses a colour of
    `DARK`, it uses the page's variable instead.
    """
    head, rest = svg[svg.index("<svg") :].split(">", 1)
    rest = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", rest, flags=re.DOTALL)
    glyphs = {found[1]: found[0] for found in GLYPH.finditer(rest)}
    rest = GLYPH.sub("", rest)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]*)', rest)) - glyphs.keys()
    rest = re.sub(r' id="([^"]*)"', lambda found: f' id="{prefix}{found[1]}"' if found[1] in used else "", rest)
    for name in used:
        rest = rest.replace(f'href="#{name}"', f'href="#{prefix}{name}"').replace(
            f"url(#{name})", f"url(#{prefix}{name})"
        )
    for colour in DARK:
        rest = rest.replace(f": {colour}", f": var({variable(colour)})")
    rest = re.sub(r"<defs>\s*</defs>", "", rest)
    view = re.search(r'viewBox="[^"]*"', head)
    assert view
    text = f'<svg {view[0]} role="img" aria-label="{escape(label)}">' + re.sub(r"\s*\n\s*", "\n", rest).strip()
    return text, glyphs
