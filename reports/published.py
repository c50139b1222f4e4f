"""What README shows: the plot and the table of growth, and what the checks notice, made again from records of runs.

`make published` does it; a test fails when they are stale. A mutation run takes longer than a test may: what is shown
of it is kept in `published/mutants.jsonl`, with the mutants and the checks that it ran.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from reports import files, plots, schema
from reports.sweeps import Record, of_kind, title

ROOT = Path(__file__).parents[1]
START, END = "<!-- growth: made by `make published` -->", "<!-- end of growth -->"
MUTANTS_START, MUTANTS_END = "<!-- mutants: made by `make published` -->", "<!-- end of mutants -->"
MUTANTS = ROOT / "reports" / "published" / "mutants.jsonl"
SUBJECTS = ("source", "forward", "pointwise", "accumulator")
QUESTIONS = {"right": "right", "cost": "as cheap as claimed", "accurate": "accurate"}


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


def mutants_text(records: Sequence[Record]) -> str:
    """Markdown: how many mutants a run judged and caught, and which questions those of each kind are noticed by."""
    run, (summary,) = records[0], of_kind(records, "summary")
    judged = summary["mutants"] - len(summary["equivalent"])
    survived = f"; not caught: {', '.join(summary['survived'])}" if summary["survived"] else ""
    sentence = (
        f"{summary['caught']} of {judged} wrong versions are caught by {len(run['checks'])} checks{survived}. "
        f"{len(summary['equivalent'])} more change nothing that can be observed, and are declared so. "
        f"{len(summary['minimal_checks'])} of the checks would catch as many."
    )
    headers = ["what is broken", "wrong versions", *(f"noticed by: is it {q}?" for q in QUESTIONS.values()), "by none"]
    rows = [[t["breaks"], t["mutants"], *(t[q] for q in QUESTIONS), t["nobody"]] for t in summary["threats"]]
    aligned = ["left", *["right"] * (len(headers) - 1)]
    return f"{sentence}\n\n{tabulate(rows, headers, tablefmt='pipe', colalign=aligned)}"


def readme(text: str, records: Sequence[Record]) -> str:
    """README's text with its table of growth made again."""
    return _between(text, START, END, growth_table(records))


def readme_mutants(text: str, records: Sequence[Record]) -> str:
    """README's text with what the checks notice made again."""
    return _between(text, MUTANTS_START, MUTANTS_END, mutants_text(records))


def _between(text: str, start: str, end: str, made: str) -> str:
    before, rest = text.split(start)
    _, after = rest.split(end)
    return f"{before}{start}\n{made}\n{end}{after}"


def kept(records: Sequence[Record]) -> list[Record]:
    """The records of a mutation run that README's figures are from, without what a change of a comment changes."""
    run = {key: records[0][key] for key in ("kind", "schema", "seed", "mutants", "checks")}
    return [run, *of_kind(records, "summary")]


def publish(source: Path) -> None:
    """Make README's tables and plot again from the records in a folder. Raises RecordsError."""
    records = schema.read(source / "bench.jsonl")
    plots.write(records, source)
    for name in ("growth.svg", "growth.png"):
        files.write(ROOT / "reports" / "published" / name, (source / name).read_bytes())
    mutation = kept(schema.read(source / "mutants.jsonl", schema.MUTANTS))
    files.write(MUTANTS, "".join(json.dumps(record) + "\n" for record in mutation).encode())
    path = ROOT / "README.md"
    text = readme(path.read_text(encoding="utf-8"), records)
    files.write(path, readme_mutants(text, mutation).encode())


if __name__ == "__main__":
    publish(Path(sys.argv[1]))
