"""The file of a run that has not ended, whatever the run is of."""

from __future__ import annotations

import pytest

from harness.journal import Appended, earlier

RUN = {"kind": "run", "seed": 0, "commit": "one", "sizes": (1, 2)}
FIRST, SECOND = {"kind": "case", "case": "a"}, {"kind": "case", "case": "b"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "journal.jsonl"
    file = Appended(path, [RUN])
    for record in (FIRST, SECOND):
        file.append(record)
    file.close()
    return path


def test_what_the_same_run_left_is_all_that_stands_behind_its_first_line(path):
    assert earlier(path, RUN) == ([FIRST, SECOND], "")


def test_what_differs_in_another_run_is_named_but_for_the_commit(path):
    assert earlier(path, {**RUN, "commit": "two"})[0] == [FIRST, SECOND]
    found, remark = earlier(path, {**RUN, "seed": 1, "quick": True})
    assert found == [] and remark.endswith("was another: its seed, quick differ")


def test_a_file_is_read_up_to_the_damage(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    assert earlier(path, RUN) == ([FIRST], "")
    path.write_bytes(whole.replace(b'{"kind": "case", "case": "a"}', b"[]"))
    found, remark = earlier(path, RUN)
    assert found == [] and f"{path}, line 2: no record" in remark


def test_a_file_that_is_missing_or_damaged_from_the_start_is_no_earlier_run(path):
    path.write_bytes(b"\0" + path.read_bytes())
    assert earlier(path, RUN) == ([], f"not resumed: no earlier run left {path}")
    path.unlink()
    assert earlier(path, RUN) == ([], f"not resumed: no earlier run left {path}")
