"""The files of a run that is not finished."""

import errno
import json
import os

import pytest

from mutants.resume import Journal
from tests.outputs import full_disk

RUN = {"kind": "run", "seed": 0, "commit": "one", "mutants": ["m"], "checks": ["c", "d"]}
CELL = {
    "kind": "cell", "mutant": "m", "check": "c", "outcome": "pass", "error": 0.0, "tolerance": 0.0, "margin": 0.0,
    "where": "",
}  # fmt: skip


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_result_is_in_the_file_as_soon_as_it_is_added(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
        assert lines(tmp_path / "mutants.jsonl") == [RUN, CELL]
        assert lines(tmp_path / "timings.jsonl") == [{"kind": "timing", "mutant": "m", "check": "c", "seconds": 0.25}]


def test_what_a_broken_run_left_is_taken_over_whole_lines_only(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
        journal.add({**CELL, "check": "d"}, 0.5)
    path = tmp_path / "mutants.jsonl"
    path.write_text(path.read_text()[:-5])
    with Journal(tmp_path, RUN, True) as journal:
        assert journal.cells == {("m", "c"): CELL}
        assert journal.seconds == {("m", "c"): 0.25}
        assert not journal.remark
    assert lines(path) == [RUN, CELL]


def test_another_commit_of_the_same_sources_is_the_same_run(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
    with Journal(tmp_path, {**RUN, "commit": "two"}, True) as journal:
        assert journal.cells


def test_what_another_run_left_is_not_taken_over(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
    with Journal(tmp_path, {**RUN, "seed": 1}, True) as journal:
        assert not journal.cells and "its seed differ" in journal.remark
    with Journal(tmp_path / "empty", RUN, True) as journal:
        assert not journal.cells and "no earlier run" in journal.remark


def test_without_resume_a_run_begins_anew(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
    with Journal(tmp_path, RUN, False) as journal:
        assert not journal.cells


def test_damage_is_told_and_what_stands_before_it_is_taken_over(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
        journal.add({**CELL, "check": "d"}, 0.5)
    path = tmp_path / "mutants.jsonl"
    run, first, second = path.read_bytes().splitlines(keepends=True)
    for damaged in (run + first + b"\0" * 20 + b"\n" + second, run + first + second[:20] + b"\n", run + first + b"3\n"):
        path.write_bytes(damaged)
        with Journal(tmp_path, RUN, True) as journal:
            assert journal.cells == {("m", "c"): CELL}
            assert "line 3" in journal.remark


def test_a_cell_that_was_edited_until_it_is_none_is_done_again(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add({"kind": "cell", "mutant": "m", "check": "c"}, 0.25)
    with Journal(tmp_path, RUN, True) as journal:
        assert not journal.cells


@pytest.mark.parametrize(
    "edit", [{"mutant": ["m"]}, {"check": "e"}, {"outcome": "fine"}, {"margin": "?"}, {"where": 3}]
)
def test_a_cell_that_no_run_writes_is_done_again(tmp_path, edit):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
    path = tmp_path / "mutants.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in (RUN, {**CELL, **edit})))
    with Journal(tmp_path, RUN, True) as journal:
        assert not journal.cells


def test_where_nothing_more_can_be_written_what_was_done_is_kept(tmp_path):
    """A limit to the size of files stands for a disk that is full."""
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
        with full_disk(300), pytest.raises(OSError, match=r"mutants\.jsonl") as caught:
            journal.add({**CELL, "check": "d", "where": "x" * 300}, 0.5)
    assert caught.value.errno == errno.EFBIG
    before = (tmp_path / "mutants.jsonl").read_bytes()
    with full_disk(10), pytest.raises(OSError, match=r"timings|mutants"):
        Journal(tmp_path, RUN, True)
    assert (tmp_path / "mutants.jsonl").read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["mutants.jsonl", "timings.jsonl"]
    with Journal(tmp_path, RUN, True) as journal:
        assert journal.cells == {("m", "c"): CELL}
