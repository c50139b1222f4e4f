"""What README shows: the plot and the table of growth, made again from the records of a run.

`make published` does it; a test fails when they are stale.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from reports import files, plots, schema
from reports.sweeps import Record, of_kind, title

ROOT = Path(__file__).parents[1]
START, END = "<!-- growth: made by `make published` -->", "<!-- end of growth -->"
SUBJECTS = ("source", "forward", "pointwise", "accumulator")


def growth_table(records: Sequence[Record]) -> str:
    """Markdown: for each family the exponent of every subject, with the polynomial where the counts are one.

    A family that was not measured in all of them is left out.
    """
    fits: dict[str, dict[str, Record]] = {}
    for fit in of_kind(records, "fit"):
        if fit["metric"] == "operations":
            fits.setdefault(title(fit["suite"], fit["case"]), {})[fit["subject"]] = fit
    rows = [
        [family, *(_cell(by_subject[subject]) if subject in by_subject else "" for subject in SUBJECTS)]
        for family, by_subject in fits.items()
        if set(SUBJECTS) <= by_subject.keys()
    ]
    headers = ["family", *SUBJECTS]
    return tabulate(rows, headers, tablefmt="pipe", disable_numparse=True, colalign=["left"] * len(headers))


def _cell(fit: Record) -> str:
    verdict = "" if fit["holds"] else " **not as expected**"
    return f"{fit['exponent']:.2f} ({fit['polynomial'] or 'no polynomial'}){verdict}"


def readme(text: str, records: Sequence[Record]) -> str:
    """README's text with its table made again."""
    before, rest = text.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n{growth_table(records)}\n{END}{after}"


def publish(source: Path) -> None:
    """Make README's table and plot again from the records in a folder. Raises RecordsError."""
    records = schema.read(source / "bench.jsonl")
    plots.write(records, source)
    for name in ("growth.svg", "growth.png"):
        files.write(ROOT / "reports" / "published" / name, (source / name).read_bytes())
    path = ROOT / "README.md"
    files.write(path, readme(path.read_text(encoding="utf-8"), records).encode())


if __name__ == "__main__":
    publish(Path(sys.argv[1]))
