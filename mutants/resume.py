"""The file of a campaign while it runs: results are appended as they come, and a broken run can be continued.

The first line says what the run is a run of; only results of the very same run are taken over. Times are no results:
they stand in a file of their own.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import TracebackType

from harness.records import Record, to_json
from mutants.leaves import ROOT

CELLS, TIMINGS = "mutants.jsonl", "timings.jsonl"
JUDGED = ("harness", "mutants", "transforms")
"""The packages on which results depend."""


def sources() -> str:
    """A digest of the code on which results depend: a result of other code would be a lie."""
    digest = hashlib.sha256()
    for package in JUDGED:
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix in (".py", ".lark"):
                digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class Journal:
    """Where the results of a run go while it runs.

    `cells` holds those of an earlier, broken run, by mutant and check, and `seconds` their times; both are empty if
    there is none, or if it was a run of something else, and then `fresh` says why.
    """

    def __init__(self, folder: Path, run: Record, resume: bool) -> None:
        self.cells: dict[tuple[str, str], Record] = {}
        self.seconds: dict[tuple[str, str], float] = {}
        self.fresh = ""
        if resume:
            self._take_over(folder, run)
        folder.mkdir(parents=True, exist_ok=True)
        self._cells = (folder / CELLS).open("w")
        self._timings = (folder / TIMINGS).open("w")
        self._write(self._cells, run)
        for key, cell in self.cells.items():
            self.add(cell, self.seconds.get(key, 0.0))

    def add(self, cell: Record, seconds: float) -> None:
        """Keep a result; it is in the file when this returns."""
        key = cell["mutant"], cell["check"]
        self.cells[key], self.seconds[key] = cell, seconds
        self._write(self._timings, timing(key, seconds))
        self._write(self._cells, cell)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._cells.close()
        self._timings.close()

    def _write(self, file: object, record: Record) -> None:
        file.write(to_json(record) + "\n")  # type: ignore[attr-defined]
        file.flush()  # type: ignore[attr-defined]

    def _take_over(self, folder: Path, run: Record) -> None:
        earlier = _whole_lines(folder / CELLS)
        if not earlier:
            self.fresh = f"there is no earlier run in {folder}"
            return
        then = {key: value for key, value in earlier[0].items() if key not in ("records", "commit")}
        now = {key: value for key, value in json.loads(to_json(run)).items() if key != "commit"}  # `sources` says more
        if different := [key for key in dict.fromkeys((*now, *then)) if now.get(key) != then.get(key)]:
            self.fresh = f"the earlier run in {folder} was another: its {', '.join(different)} differ"
            return
        self.cells = {(r["mutant"], r["check"]): r for r in earlier if r.get("kind") == "cell"}
        times = {(r["mutant"], r["check"]): r["seconds"] for r in _whole_lines(folder / TIMINGS) if "mutant" in r}
        self.seconds = {key: times.get(key, 0.0) for key in self.cells}


def timing(key: tuple[str, str], seconds: float) -> Record:
    return {"kind": "timing", "mutant": key[0], "check": key[1], "seconds": round(seconds, 6)}


def _whole_lines(path: Path) -> list[Record]:
    """The records of a file whose writer may have been killed: the last line counts only if it is whole."""
    try:
        *lines, _ = path.read_text().split("\n")
        return [json.loads(line) for line in lines]
    except (OSError, ValueError):
        return []
