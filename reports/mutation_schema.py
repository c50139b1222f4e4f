"""A mutation run in the mutation-testing-report-schema, version 2, which viewers of other tools read.

A mutant stands in the file that defines the leaf it replaces, at that leaf's text; a check is a test in the file that
defines it. The schema itself is in `vendored/`, with its licence.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reports import files
from reports.sweeps import Record, of_kind

THRESHOLDS = {"high": 100, "low": 100}
"""In percent: a score below 100 is shown as bad, since every survivor is a finding."""


def report(records: Sequence[Record]) -> dict[str, Any]:
    """The report as an object for JSON; mutants and tests have their ids."""
    texts = {record["path"]: record["text"] for record in of_kind(records, "file")}
    cells: dict[str, list[Record]] = {}
    for cell in of_kind(records, "cell"):
        cells.setdefault(cell["mutant"], []).append(cell)
    mutants: dict[str, list[dict[str, Any]]] = {}
    for verdict in of_kind(records, "verdict"):
        path = verdict["leaf"]["path"]
        mutants.setdefault(path, []).append(_mutant(verdict, cells[verdict["mutant"]], texts[path]))
    tests: dict[str, list[dict[str, Any]]] = {}
    for check in of_kind(records, "check"):
        location = _location(texts[check["path"]], check["start"], check["end"])
        name = f"{check['check']}: {check['claim']}"
        tests.setdefault(check["path"], []).append({"id": check["check"], "name": name, "location": location})
    run = records[0]
    return {
        "schemaVersion": "2.0",
        "thresholds": THRESHOLDS,
        "files": {
            path: {"language": "python", "source": texts[path], "mutants": found} for path, found in mutants.items()
        },
        "testFiles": {path: {"source": texts[path], "tests": found} for path, found in tests.items()},
        "framework": {"name": "Adjudge", "version": run["version"]},
        "config": {"seed": run["seed"], "commit": run["commit"]},
    }


def write(records: Sequence[Record], folder: Path) -> Path:
    """Write `mutation-report.json`."""
    text = json.dumps(report(records), indent=1, ensure_ascii=False) + "\n"
    return files.write(Path(folder) / "mutation-report.json", text.encode())


def _mutant(verdict: Record, cells: Sequence[Record], text: str) -> dict[str, Any]:
    leaf = verdict["leaf"]
    status = _status(verdict)
    return {
        "id": verdict["mutant"],
        "mutatorName": verdict["target"],
        "description": f"{verdict['wrong']} (breaks: {verdict['breaks']}; from: {verdict['source']})",
        "location": _location(text, leaf["start"], leaf["end"]),
        "replacement": leaf["after"],
        "status": status,
        "statusReason": _reason(verdict, cells, status),
        "coveredBy": verdict["covered_by"],
        "killedBy": verdict["by"],
        "testsCompleted": len(cells),
    }


def _status(verdict: Record) -> str:
    if verdict["by"]:
        return "Killed"
    if verdict["timeouts"]:
        return "Timeout"
    if verdict["expected"] == "equivalent":
        return "Ignored"
    return "Survived" if verdict["covered_by"] else "NoCoverage"


def _reason(verdict: Record, cells: Sequence[Record], status: str) -> str:
    if status == "Killed":
        kills = [cell for cell in cells if cell["check"] in verdict["by"]]
        return "\n".join(f"{cell['check']}: {cell['outcome'].replace('-', ' by ')}{_measure(cell)}" for cell in kills)
    if status == "Timeout":
        return f"no end in {', '.join(verdict['timeouts'])}"
    return verdict["equivalent"] or "; ".join(verdict["surprises"])


def _measure(cell: Record) -> str:
    if cell["margin"] is not None:
        return f", error {cell['error']} beside a tolerance of {cell['tolerance']}"
    return f", {cell['where']}" if cell["where"] else ""


def _location(text: str, start: int, end: int) -> dict[str, Any]:
    """From the first character of the first line that is no space to behind the last of the last line."""
    lines = text.split("\n")
    first, last = lines[start - 1], lines[end - 1]
    return {
        "start": {"line": start, "column": 1 + len(first) - len(first.lstrip())},
        "end": {"line": end, "column": 1 + len(last)},
    }
