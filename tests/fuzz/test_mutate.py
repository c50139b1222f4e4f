"""Hostile files of an earlier mutation run, where the next one looks for it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from mutants.resume import CELLS, TIMINGS, Journal
from reports.kinds import OUTCOMES
from tests.fuzz.test_records import Files, file, in_folder
from tests.fuzz.trial import command, limits, tries
from tests.mutants import fakes
from tests.reports import mutation_records
from tests.test_mutate_command import mutate, tiny  # noqa: F401  tiny, a fixture, makes a run short


@limits
def test_a_broken_run_is_continued_from_what_is_whole_in_its_files():
    run = {"kind": "run", "seed": 0, "mutants": ["m", "n"], "checks": ["c", "d"]}
    cells = [mutation_records.cell(mutant, check) for mutant in "mn" for check in "cd"]
    times = [{"kind": "timing", "mutant": cell["mutant"], "check": cell["check"], "seconds": 0.5} for cell in cells]

    def broken(rng: Random) -> Files:
        hostile, other = rng.choice(((CELLS, TIMINGS), (CELLS, TIMINGS), (TIMINGS, CELLS)))
        given = {CELLS: [run, *cells], TIMINGS: times}
        whole = "".join(json.dumps(record) + "\n" for record in given[other]).encode()
        return {hostile: file(rng, given[hostile]), other: whole}

    def resumed(folder: Path) -> str:
        with Journal(folder, run, True) as journal:
            found = dict(journal.cells)
        assert found.keys() <= {(cell["mutant"], cell["check"]) for cell in cells}
        assert all(cell["outcome"] in OUTCOMES and isinstance(cell["where"], str) for cell in found.values())
        with Journal(folder, run, True) as journal:
            assert journal.cells == found
        return "resumed" if found else "anew"

    outcomes = tries(broken, lambda given: in_folder(given, resumed))
    assert outcomes["resumed"] and outcomes["anew"]


@limits
def test_last_failures_and_the_row_of_a_mutant_are_found_or_made_again():
    mutate()
    records = [json.loads(line) for line in (Path("out") / CELLS).read_text().splitlines()]
    assert records[0]["sources"] == "0123456789abcdef"

    def hostile(rng: Random) -> tuple[list[str], Files]:
        args = rng.choice((["mutate", "--lf", "--list"], ["mutate", "show", rng.choice(fakes.CAUGHT).id]))
        return args, {CELLS: file(rng, records)}

    def attempt(given: tuple[list[str], Files]) -> str:
        args, files = given
        return in_folder(files, lambda folder: command(*args, "--out", str(folder)))

    assert set(tries(hostile, attempt)) == {"GOOD"}
