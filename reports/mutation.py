"""All files of a mutation run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports import heat_map, junit, kill_matrix, mutation_schema
from reports.sweeps import Record, of_kind

OURS = ("mutants.md", "mutants-*.csv", "kill-matrix.*", "junit.xml", "mutation-report.json")


def clear(folder: Path) -> None:
    """Remove what an earlier run left: beside the results of another, it would be taken for theirs."""
    for pattern in OURS:
        for path in Path(folder).glob(pattern):
            path.unlink()


def write(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write every file that the records give; of a run whose baseline failed, only what says so."""
    clear(folder)
    paths = [*kill_matrix.write(records, folder), junit.write(records, folder)]
    if of_kind(records, "summary"):
        paths += [*heat_map.write(records, folder), mutation_schema.write(records, folder)]
    return paths
