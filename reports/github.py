"""What GitHub Actions shows of a mutation run: a summary on the page of the job, and warnings beside the lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports.kill_matrix import brief, matrix, surprising, told
from reports.sweeps import Record, of_kind

LIMIT = 2**20
"""The most bytes that GitHub takes of a step's summary: of a longer one it shows nothing."""

WARNINGS = 10
"""The most warnings that it shows of a step."""


def summary(records: Sequence[Record], limit: int = LIMIT) -> str:
    """The tables as Markdown, as many whole ones as fit into `limit` bytes; what is not as expected comes first."""
    tables = [*brief(records), *([matrix(records)] if of_kind(records, "summary") else [])]
    text, left_out = "## adjudge mutate\n\n", "\n(More is in the files of the run.)\n"
    for table in tables:
        more = table.markdown() + "\n"
        if len((text + more + left_out).encode()) > limit:
            text += left_out
            break
        text += more
    return text if len(text.encode()) <= limit else ""


def append(records: Sequence[Record], path: Path) -> None:
    """Append the summary to the file that GitHub names in `GITHUB_STEP_SUMMARY`, within what it takes in all."""
    taken = path.stat().st_size if path.exists() else 0
    with path.open("a") as file:
        file.write(summary(records, max(0, LIMIT - taken)))


def warnings(records: Sequence[Record]) -> list[str]:
    """Workflow commands for the worst that is not as expected, at most `WARNINGS`, survivors first."""
    alarms = [cell for cell in of_kind(records, "baseline") if cell["outcome"] != "pass"]
    found = [f"::warning title=baseline::{_escaped(a['check'] + ' fails: ' + a['where'])}" for a in alarms]
    for v in surprising(of_kind(records, "verdict")):
        leaf = v["leaf"]
        place = f"file={_property(leaf['path'])},line={leaf['start']},endLine={leaf['end']}"
        found.append(f"::warning {place},title={_property('mutant ' + v['mutant'])}::{_escaped(told(v))}")
    return found[:WARNINGS]


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
