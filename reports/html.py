"""One page of everything that was measured, `report.html`: a single file that needs no network and no scripts.

It is made from the records in a folder, `bench.jsonl` and `mutants.jsonl`; where one is missing, the page says so.
Where `mutmut.jsonl` is there, the page has its tables too.
Every figure on it says in its title which line of which file it is from. The same records give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports import files, generic, page_bench, page_mutants, page_provenance, schema
from reports.origins import traced
from reports.page import Panels, Section, entries
from reports.svg import DARK, variable
from reports.sweeps import Record

BENCH, MUTANTS, GENERIC, NAME = "bench.jsonl", "mutants.jsonl", "mutmut.jsonl", "report.html"

FILES = (".jsonl", ".md", ".txt", ".csv", ".svg", ".json", ".xml")
"""The endings of what the page links to."""

TEMPLATES = Path(__file__).parent / "templates"

UNPRINTABLE = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
"""Characters that a page cannot hold; texts of records may."""


def write(folder: Path) -> Path | None:
    """Write the page of the records in a folder; returns its path, or None where there are no records.

    Raises RecordsError for records that cannot be trusted.
    """
    bench, mutants = _read(folder / BENCH, schema.BENCH), _read(folder / MUTANTS, schema.MUTANTS)
    mutmut = _read(folder / GENERIC, schema.GENERIC)
    if not bench and not mutants:
        return None
    names = sorted(path.name for path in folder.iterdir() if path.suffix in FILES and not path.name.startswith("."))
    return files.write(folder / NAME, page(bench, mutants, names, mutmut).encode("utf-8", "replace"))


def page(
    bench: Sequence[Record], mutants: Sequence[Record], names: Sequence[str] = (), mutmut: Sequence[Record] = ()
) -> str:
    """The page of the records of a bench run, a mutation run and one of generic mutants, each empty if there was none.

    `names` are the files beside the page that it links to.
    """
    bench, mutants, mutmut = traced(bench, BENCH), traced(mutants, MUTANTS), traced(mutmut, GENERIC)
    verdict = [*page_bench.verdict(bench), *page_mutants.verdict(mutants), *generic.verdict(mutmut)]
    sections = [
        *page_bench.sections(bench),
        *page_mutants.sections(mutants),
        *generic.sections(mutmut),
        *page_provenance.sections(bench, mutants, names),
    ]
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"kind": lambda block: type(block).__name__, "entries": entries}
    text = environment.get_template("page.html").render(
        verdict=sorted(verdict, key=lambda statement: (statement.holds is not False, statement.holds is None)),
        runs={name: records[0] for name, records in (("Bench", bench), ("Mutants", mutants)) if records},
        sections=sections,
        glyphs=_glyphs(sections),
        light={variable(colour): colour for colour in DARK},
        dark={variable(colour): dark for colour, dark in DARK.items()},
        styles=page_mutants.STYLES,
    )
    return text.translate(UNPRINTABLE)


def _glyphs(sections: Sequence[Section]) -> dict[str, str]:
    """What all plots share."""
    panels = [panel for s in sections for block in s.blocks if isinstance(block, Panels) for panel in block.entries]
    return {name: glyph for panel in panels for name, glyph in panel.glyphs.items()}


def _read(path: Path, kinds: schema.Kinds) -> list[Record]:
    return schema.read(path, kinds) if path.exists() else []
