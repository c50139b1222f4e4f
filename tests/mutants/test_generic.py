"""Generic mutants: what mutmut leaves is read right, and a survivor needs a reason as a reason needs a survivor."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path

import pytest

from harness.records import lines
from harness.status import Status
from mutants import scratch
from mutants.generic import ACCEPTED, Accepted, BadEntry, conduct, judge, read_accepted, rule_counts, unseen
from mutants.scratch import FILES, ROOT, Fate, Generic, MutmutBroke, prepare, read
from reports import generic, html, schema
from transforms.array_rules import TABLE

PATH = "transforms/small.py"
SOURCE = "def half(x): return  x / 2\n\n\ndef same(x):\n    return x\n"
MUTATED = """\
def _wrapped(x): return x
def half(x): return _wrapped(x)

def x_half__mutmut_orig(x): return  x / 2

def x_half__mutmut_1(x): return  x * 2

def x_half__mutmut_2(x): return  x / 3
"""
RUN = {"kind": "run", "schema": 1}


def left(folder: Path, *codes: int | None, **notes: str) -> Path:
    """What mutmut leaves of two mutants that ended with these codes, and what the tests noted of them."""
    (folder / "mutants" / "transforms").mkdir(parents=True)
    (folder / "transforms").mkdir()
    (folder / "killed-by").mkdir()
    names = [f"transforms.small.x_half__mutmut_{k + 1}" for k in range(len(codes))]
    (folder / PATH).write_text(SOURCE)
    (folder / "mutants" / PATH).write_text(MUTATED)
    (folder / "mutants" / f"{PATH}.meta").write_text(
        json.dumps({"exit_code_by_key": dict(zip(names, codes, strict=True))})
    )
    for number, kind in notes.items():
        text = json.dumps({"kind": kind, "by": "tests/test_small.py::test_half"})
        (folder / "killed-by" / f"transforms.small.x_half__mutmut_{number[1:]}").write_text(text)
    return folder


def mutant(fate: Fate, added: str = "def half(x): return x * 2", function: str = "half") -> Generic:
    name = f"transforms.small.x_{function}__mutmut_1"
    return Generic(name, PATH, function, 1, "def half(x): return x / 2", added, fate, "")


def entry(added: str = "def half(x): return x * 2") -> Accepted:
    return Accepted(PATH, "half", "def half(x): return x / 2", added, "a reason")


def test_a_mutant_is_the_lines_that_differ(tmp_path: Path):
    first, second = read(left(tmp_path, 0, 1, _2="assertion"), [PATH])
    assert (first.function, first.line, first.fate) == ("half", 1, Fate.SURVIVED)
    assert (first.removed, first.added) == ("def half(x): return x / 2", "def half(x): return x * 2")
    assert (second.added, second.by) == ("def half(x): return x / 3", "tests/test_small.py::test_half")


@pytest.mark.parametrize(
    ("code", "noted", "fate"),
    [
        (0, {}, Fate.SURVIVED),
        (1, {"_1": "assertion"}, Fate.ASSERTION),
        (1, {"_1": "crash"}, Fate.CRASH),
        (3, {}, Fate.CRASH),
        (2, {"_1": "crash"}, Fate.CRASH),
        (-11, {}, Fate.CRASH),
        (33, {}, Fate.UNREACHED),
        (-24, {}, Fate.TIMEOUT),
    ],
)
def test_an_exit_code_says_what_became_of_a_mutant(tmp_path: Path, code: int, noted: dict[str, str], fate: Fate):
    assert read(left(tmp_path, code, 0, **noted), [PATH])[0].fate is fate


def test_a_mutant_that_was_not_run_is_no_result(tmp_path: Path):
    with pytest.raises(MutmutBroke, match="x_half__mutmut_2 was not run"):
        read(left(tmp_path, 0, None), [PATH])


@pytest.mark.parametrize(
    ("fates", "accepted", "status"),
    [
        ([Fate.ASSERTION], [], Status.GOOD),
        ([Fate.CRASH], [], Status.GOOD),
        ([Fate.SURVIVED], [], Status.FINDING),
        ([Fate.UNREACHED], [], Status.FINDING),
        ([Fate.SURVIVED], [entry()], Status.GOOD),
        ([Fate.SURVIVED], [entry("def half(x): return x / 4")], Status.FINDING),
        ([Fate.ASSERTION], [entry()], Status.FINDING),
        ([Fate.TIMEOUT], [], Status.TIMEOUT),
        ([Fate.TIMEOUT, Fate.SURVIVED], [], Status.TIMEOUT),
        ([Fate.TIMEOUT], [entry()], Status.GOOD),
        ([], [], Status.NOTHING_SELECTED),
    ],
)
def test_new_survivors_and_stale_entries_are_findings(fates: list[Fate], accepted: list[Accepted], status: Status):
    done = judge(RUN, [mutant(fate) for fate in fates], accepted, {PATH: SOURCE})
    assert done.status is status
    assert done.records[0]["records"] == len(done.records) - 1


def test_tables_name_new_survivors_and_stale_entries_first():
    records = judge(RUN, [mutant(Fate.SURVIVED)], [entry("def half(x): return x / 4")], {PATH: SOURCE}).records
    new, stale, *_ = generic.tables(records)
    assert new.rows == ((f"{PATH}:1", "half", "survived", "- def half(x): return x / 2\n+ def half(x): return x * 2"),)
    assert stale.rows[0][1:] == ("half", "- def half(x): return x / 2\n+ def half(x): return x / 4", "a reason")


def test_the_records_are_those_of_the_schema_and_fill_a_section_of_the_page(tmp_path: Path):
    run = {**RUN, "version": "1", "commit": None, "files": [PATH]}
    found = [mutant(Fate.SURVIVED), mutant(Fate.CRASH)]
    stale = entry("def half(x): return x / 4")
    records = judge(run, found, [stale], {PATH: SOURCE, "transforms/rules.py": ""}).records
    (tmp_path / "mutmut.jsonl").write_text(lines(records))
    read_back = schema.read(tmp_path / "mutmut.jsonl", schema.GENERIC)
    page = html.page((), (), (), read_back)
    assert "Of 2 generic mutants 1 survive that are not accepted, and 0 that are" in page
    assert "Survivors that are not accepted" in page and "Accepted survivors that are none" in page


def test_all_tables_can_be_written(tmp_path: Path):
    records = judge(RUN, [mutant(Fate.CRASH)], [], {PATH: SOURCE, "transforms/rules.py": ""}).records
    paths = generic.write(records, tmp_path)
    assert {path.name for path in paths} == {
        "mutmut.md", *(f"mutmut-{name}.csv" for name in ("files", "accepted", "rules", "unseen")),
    }  # fmt: skip


def test_a_rule_without_a_mutant_of_its_own_is_told_from_one_with():
    own = Generic("", "transforms/rules.py", "mul_pullback", 1, "", "", Fate.CRASH, "")
    shared = Generic("", "transforms/rules.py", "elementwise", 1, "", "", Fate.CRASH, "")
    counts = {record["rule"]: record for record in rule_counts([own, shared], TABLE)}
    assert (counts["mul"]["own"], counts["add"]["own"]) == (1, 0)
    assert counts["add"]["fields"] == {"shape": 1, "pullback": 0, "tangent": 0, "cost": 0}


def test_what_mutmut_does_not_see_is_listed_with_the_reason():
    functions = "@cache\ndef kept(x): return x + 1\n\ndef empty(x): return x\n\ndef half(x): return x / 2\n\n"
    text = functions + "TABLE = {1: half}\n"
    found = unseen(PATH, text, [mutant(Fate.CRASH)])
    assert [(record["what"], record["line"]) for record in found] == [("kept", 2), ("empty", 4), ("TABLE", 8)]
    assert "decorated" in found[0]["why"] and "nothing" in found[1]["why"] and "table" in found[2]["why"]


def test_the_rules_are_plain_functions():
    """mutmut changes neither what is decorated nor lambdas outside functions, so that rules have to be without."""
    for path in FILES:
        for node in ast.parse((ROOT / path).read_text()).body:
            if isinstance(node, ast.FunctionDef):
                assert [ast.unparse(d) for d in node.decorator_list] == (["cache"] if node.name == "arity" else [])
            else:
                assert not any(isinstance(part, ast.Lambda) for part in ast.walk(node)), path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[[accepted]]\npath = "a.py"\nfunction = "f"\nremoved = "1"\nadded = "2"\n', "entry 1: expected path"),
        (
            '[[accepted]]\npath = "a.py"\nfunction = "f"\nremoved = "1"\nadded = "2"\nreason = " "\n',
            "entry 1: expected",
        ),
        (2 * '[[accepted]]\npath = "a.py"\nfunction = "f"\nremoved = "1"\nadded = "2"\nreason = "r"\n', "entry 2: "),
    ],
)
def test_an_entry_needs_a_reason_and_a_change_of_its_own(tmp_path: Path, text: str, found: str):
    (tmp_path / "accepted.toml").write_text(text)
    with pytest.raises(BadEntry, match=found):
        read_accepted(tmp_path / "accepted.toml")


def test_every_accepted_change_is_one_of_a_line_that_still_stands():
    for accepted in read_accepted(ACCEPTED):
        assert accepted.path in FILES
        lines = [" ".join(line.split()) for line in (ROOT / accepted.path).read_text().splitlines()]
        assert set(accepted.removed.splitlines()) <= set(lines), accepted


def test_a_scratch_copy_is_made_anew_and_has_no_folder_mutants(tmp_path: Path):
    folder = tmp_path / "scratch"
    (folder / "mutants").mkdir(parents=True)
    (folder / "mutants" / "old").write_text("an old result")
    prepare(folder)
    assert not (folder / "mutants").exists()
    assert {path.name for path in folder.iterdir()} == {"transforms", "harness", "tests", "pyproject.toml"}
    assert "scratch" in (folder / "tests" / "conftest.py").read_text()


def test_the_tests_that_run_in_the_scratch_copy_are_there():
    assert all((ROOT / name).is_file() for name in scratch.TESTS)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mutmut") is None, reason="no mutmut: `make mutmut` installs it")
def test_the_representation_of_full_tuples_stands_its_generic_mutants(tmp_path: Path):
    done = conduct(tmp_path / "scratch", 2, ["transforms/cotangents/pointwise.py"])
    assert done.status is Status.GOOD
    assert len([record for record in done.records if record["kind"] == "generic"]) > 20
