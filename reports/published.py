"""What README and docs/ show of runs and of the tables, made again from records.

`make published` does it; a test fails when they are stale. A run takes longer than a test may, and counts instructions
of one toolchain: a bench run is kept in `published/baseline.jsonl`, which later runs are compared with, and of a
mutation run what is shown, in `published/mutants.jsonl`, with the mutants and the checks that it ran. Counts of
operations are the same everywhere, and measured again by the test.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tabulate import tabulate

from reports import files, headlines, plots, reference, schema
from reports.alarms import PUBLISHED as ALARMS
from reports.sweeps import Record, of_kind, title

ROOT = Path(__file__).parents[1]
README, TUTORIAL = ROOT / "README.md", ROOT / "docs" / "tutorial.md"
PUBLISHED = ROOT / "reports" / "published"
BASELINE, MUTANTS = PUBLISHED / "baseline.jsonl", PUBLISHED / "mutants.jsonl"
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


def filled(text: str, made: Mapping[str, str]) -> str:
    """A document with what stands between the marks of each name made again. Raises ValueError where a mark is not."""
    for name, part in made.items():
        start, end = f"<!-- {name}: made by `make published` -->", f"<!-- end of {name} -->"
        before, rest = text.split(start)
        _, after = rest.split(end)
        text = f"{before}{start}\n{part}\n{end}{after}"
    return text


def growth(records: Sequence[Record]) -> dict[str, str]:
    """The part of the tutorial that exact counts of operations make, the same on every machine."""
    return {"growth": growth_table(records)}


def figures(records: Sequence[Record], mutation: Sequence[Record]) -> dict[str, str]:
    """The parts of README that published records make. Raises NotMeasured."""
    return {"headlines": headlines.table(records, mutation), "mutants": mutants_text(mutation)}


def code(records: Sequence[Record]) -> dict[str, str]:
    """The part of the tutorial that published records make. Raises NotMeasured."""
    return {"code": headlines.code(records)}


def kept(records: Sequence[Record]) -> list[Record]:
    """The records of a mutation run that is shown, without what a change of a comment changes."""
    run = {key: records[0][key] for key in ("kind", "schema", "seed", "mutants", "checks")}
    verdicts = [{key: verdict[key] for key in ("kind", "mutant", "by")} for verdict in of_kind(records, "verdict")]
    return [run, *verdicts, *of_kind(records, "summary")]


def publish(source: Path) -> None:
    """Make everything again from the records in a folder. Raises RecordsError."""
    records = schema.read(source / "bench.jsonl")
    mutation = kept(schema.read(source / "mutants.jsonl", schema.MUTANTS))
    described = schema.read(source / "described.jsonl", reference.KINDS)
    _write(README, filled(README.read_text(encoding="utf-8"), figures(records, mutation)))
    _write(TUTORIAL, filled(TUTORIAL.read_text(encoding="utf-8"), growth(records) | code(records)))
    tried = [json.loads(line) for line in ALARMS.read_text(encoding="utf-8").splitlines()]
    for name, text in reference.pages(described, mutation, tried).items():
        _write(ROOT / "docs" / name, text)
    _write(BASELINE, _lines([{**records[0], "commit": None}, *records[1:]]))
    _write(MUTANTS, _lines(mutation))
    plots.write(records, source)
    for name in ("growth.svg", "growth.png"):
        files.write(PUBLISHED / name, (source / name).read_bytes())


def _lines(records: Sequence[Record]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _write(path: Path, text: str) -> None:
    files.write(path, text.encode())


if __name__ == "__main__":
    publish(Path(sys.argv[1]))
