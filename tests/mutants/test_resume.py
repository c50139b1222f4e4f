"""The files of a run that is not finished."""

import json

from mutants.resume import Journal, sources

RUN = {"kind": "run", "seed": 0, "commit": "one", "mutants": ["m"], "checks": ["c", "d"]}
CELL = {"kind": "cell", "mutant": "m", "check": "c", "outcome": "pass", "error": 0.0, "margin": 0.0}


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
        assert not journal.fresh
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
        assert not journal.cells and "its seed differ" in journal.fresh
    with Journal(tmp_path / "empty", RUN, True) as journal:
        assert not journal.cells and "no earlier run" in journal.fresh


def test_without_resume_a_run_begins_anew(tmp_path):
    with Journal(tmp_path, RUN, False) as journal:
        journal.add(CELL, 0.25)
    with Journal(tmp_path, RUN, False) as journal:
        assert not journal.cells


def test_the_digest_of_the_sources_changes_with_them(tmp_path, monkeypatch):
    monkeypatch.setattr("mutants.resume.ROOT", tmp_path)
    (tmp_path / "transforms").mkdir()
    (tmp_path / "transforms" / "rules.py").write_text("a = 1\n")
    before = sources()
    (tmp_path / "transforms" / "rules.py").write_text("a = 2\n")
    assert sources() != before
