"""`adjudge mutate` and `adjudge check`, as users and their scripts meet them, on a tiny catalogue and battery."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import adjudge
from harness.checks import battery
from harness.checks.check import Measured, Needs
from harness.status import Status
from mutants.catalogue import all as catalogue
from reports import files, schema
from tests.mutants import fakes
from tests.outputs import full_disk, read_only

FILES = {
    "mutants.jsonl", "timings.jsonl", "mutants.md", "kill-matrix.csv", "kill-matrix.svg",
    "junit.xml", "mutation-report.json",
}  # fmt: skip


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    monkeypatch.setattr(battery, "BATTERY", fakes.BATTERY)
    monkeypatch.setattr(battery, "NATIVE", (replace(fakes.GRADIENT, id="native-agrees"),))
    monkeypatch.setattr(catalogue, "CATALOGUE", fakes.CAUGHT)
    monkeypatch.setattr(catalogue, "NATIVE", (replace(fakes.OWN, id="mul.native", caught_by=()),))
    monkeypatch.setattr("mutants.campaign.sources", lambda: "0123456789abcdef")
    monkeypatch.setattr("mutants.show.sources", lambda: "0123456789abcdef")
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def run(*args: str) -> Result:
    return CliRunner().invoke(adjudge.main, list(args))


def mutate(*args: str, status: Status = Status.GOOD) -> Result:
    done = run("mutate", "--out", "out", *args)
    assert done.exit_code == status, done.output
    return done


def records(name: str = "verdict") -> list[dict]:
    return [record for record in schema.read("out/mutants.jsonl", schema.MUTANTS) if record["kind"] == name]


def test_all_as_expected():
    done = mutate()
    assert {path.name for path in Path("out").iterdir()} >= FILES
    assert len(records("cell")) == len(fakes.CAUGHT) * len(fakes.BATTERY)
    assert "NOT as expected" not in done.stdout and "seed 0" in done.stdout
    assert "unit has no unique kill" in " ".join(done.stdout.split())


def test_a_survivor_is_reported_first_with_a_program(tiny: pytest.MonkeyPatch):
    tiny.setattr(catalogue, "CATALOGUE", (*fakes.CAUGHT, fakes.SURVIVOR))
    done = mutate(status=Status.FINDING)
    assert done.stdout.startswith("NOT as expected")
    assert re.search(r"sin\.by-itself.*\bsin\(x0\) at\s+x0=", done.stdout, re.DOTALL)


def test_a_broken_baseline_gives_4_and_no_green_table(tiny: pytest.MonkeyPatch):
    mutate()
    wrong = replace(fakes.COST, measure=lambda subject, prepared: Measured(float("nan"), "nowhere"))
    tiny.setattr(battery, "BATTERY", (*fakes.BATTERY[:2], wrong))
    done = mutate(status=Status.BASELINE_FAILED)
    assert "no mutant was run" in done.stdout
    assert not {"kill-matrix.svg", "mutation-report.json", "kill-matrix.csv"} & {p.name for p in Path("out").iterdir()}
    assert records() == []


@pytest.mark.parametrize("args", [("-k", "nothing-like-it"), ("--checks", "nothing-like-it")])
def test_nothing_selected_gives_5(args: tuple[str, ...]):
    mutate(*args, status=Status.NOTHING_SELECTED)
    assert not Path("out").exists()


def test_a_bad_expression_gives_2():
    mutate("-k", "and and", status=Status.USAGE)


def test_a_hanging_mutant_gives_3_and_a_complete_matrix(tiny: pytest.MonkeyPatch):
    tiny.setattr("mutants.plan.TIMEOUT", 0.5)
    tiny.setattr(catalogue, "CATALOGUE", (fakes.HANG, *fakes.CAUGHT))
    mutate(status=Status.TIMEOUT)
    assert len(records("cell")) == 3 * (len(fakes.CAUGHT) + 1)
    assert [cell["outcome"] for cell in records("cell")][:3] == ["timeout"] * 3


def test_selection_by_id_and_target_and_by_check():
    mutate("-k", "seed or (rules and dear)", "--checks", "not unit")
    assert [v["mutant"] for v in records()] == ["seed.one", "mul.dear"]
    assert [c["check"] for c in records("check")] == ["gradient", "cost"]


def test_listing_shows_id_target_what_it_breaks_and_where_it_comes_from():
    lines = mutate("--list", "-k", "dear").stdout.splitlines()
    assert [line.split() for line in lines] == [["mul.dear", "rules.mul.pullback", "cost", "ours"]]
    assert not Path("out").exists()


def test_native_mutants_are_a_group_of_their_own():
    assert "mul.native" not in mutate("--list").stdout
    mutate("-k", "native")
    assert [(v["mutant"], v["by"]) for v in records()] == [("mul.native", ["native-agrees"])]


def test_a_quick_run_says_what_it_leaves_out():
    assert "every sixth mutant" in mutate("--quick").stdout
    assert [v["mutant"] for v in records()] == [mutant.id for mutant in fakes.CAUGHT[::6]]


def test_fail_under(tiny: pytest.MonkeyPatch):
    tiny.setattr(catalogue, "CATALOGUE", (fakes.OWN, fakes.SURVIVOR))
    mutate("--fail-under", "50")
    mutate("--fail-under", "51", status=Status.FINDING)
    mutate("--fail-under", "101", status=Status.USAGE)


def test_stop_at_the_first(tiny: pytest.MonkeyPatch):
    tiny.setattr(catalogue, "CATALOGUE", (fakes.OWN, fakes.SURVIVOR, *fakes.CAUGHT[1:]))
    mutate("-x", status=Status.FINDING)
    assert [v["mutant"] for v in records()] == ["mul.own-operand", "sin.by-itself"]


def test_last_failed(tiny: pytest.MonkeyPatch):
    tiny.setattr(catalogue, "CATALOGUE", (*fakes.CAUGHT, fakes.SURVIVOR))
    mutate(status=Status.FINDING)
    mutate("--lf", status=Status.FINDING)
    assert [v["mutant"] for v in records()] == ["sin.by-itself"]
    tiny.setattr(catalogue, "CATALOGUE", fakes.CAUGHT)
    mutate("--lf")  # what failed is gone: all
    assert len(records()) == len(fakes.CAUGHT)


def test_an_interrupt_keeps_what_is_done_and_resume_gives_the_same_files(tiny: pytest.MonkeyPatch):
    mutate()
    whole = {name: Path("out", name).read_bytes() for name in FILES - {"timings.jsonl"}}
    done = []

    @contextmanager
    def interrupting(total: int):
        def step(name: str) -> None:
            done.append(name)
            if len(done) == 7:
                raise KeyboardInterrupt

        yield step

    with tiny.context() as patch:
        patch.setattr(adjudge, "_progress", interrupting)
        assert "--resume" in mutate(status=Status.INTERRUPTED).stderr
        told = run("report", "--out", "out")
        assert told.exit_code == Status.FINDING
        assert "was broken off; `adjudge mutate --resume`, with the options" in told.stderr
    assert not Path("out/mutants.md").exists()
    with tiny.context() as patch:
        patch.setattr(adjudge, "_progress", interrupting)
        mutate("--resume")
    assert len(done) == len(fakes.CAUGHT) * len(fakes.BATTERY)
    assert {name: Path("out", name).read_bytes() for name in whole} == whole


def test_a_second_run_in_the_same_folder_is_refused_and_spoils_nothing():
    mutate()
    before = {path: path.read_bytes() for path in Path("out").iterdir()}
    with files.reserved(Path("out"), "mutate"):
        done = mutate(status=Status.FINDING)
    assert "out: another run of mutate is writing to this folder" in done.stderr
    assert {path: path.read_bytes() for path in Path("out").iterdir()} == before


def test_a_folder_that_is_read_only_is_refused_before_anything_is_run(tmp_path: Path):
    mutate()
    tmp_path.chmod(0o755)
    with read_only(tmp_path / "out"):
        done = mutate(status=Status.FINDING)
    assert "Permission denied" in done.stderr and "out" in done.stderr and "Traceback" not in done.stderr
    assert len(records("cell")) == len(fakes.CAUGHT) * len(fakes.BATTERY)


def test_what_was_never_begun_is_not_to_be_continued(tmp_path: Path):
    with read_only(tmp_path):
        done = mutate(status=Status.FINDING)
    assert "Permission denied" in done.stderr and "--resume" not in done.stderr


@pytest.mark.parametrize("size", [10, 3_000, 8_000])
def test_a_full_disk_is_told_and_what_was_done_is_kept(size: int):
    mutate()
    whole = {name: Path("out", name).read_bytes() for name in FILES - {"timings.jsonl"}}
    Path("out/mutants.jsonl").unlink()
    with full_disk(size):
        done = mutate(status=Status.FINDING)
    assert re.search(r"out/[a-z.]+: File too large", done.stderr)
    assert ("; --resume continues what was begun" in done.stderr) == Path("out/mutants.jsonl").exists() == (size > 100)
    assert "Traceback" not in done.stderr
    resumed = mutate("--resume")
    assert ("not resumed" in resumed.stderr) == (size < 100)
    assert {name: Path("out", name).read_bytes() for name in whole} == whole


def test_what_cannot_be_a_scheduler_gives_2_and_one_that_does_not_answer_1(tiny: pytest.MonkeyPatch):
    assert "expected an address" in mutate("--scheduler", "nonsense", status=Status.USAGE).stderr
    tiny.setattr("harness.executor.CONNECTING", 0.5)
    done = mutate("--scheduler", "127.0.0.1:1", status=Status.FINDING)
    assert "127.0.0.1:1: no Dask scheduler can be reached" in done.stderr
    tiny.setattr("harness.executor.find_spec", lambda name: None)
    assert "pip install -e '.[dask]'" in mutate("--scheduler", "127.0.0.1:1", status=Status.USAGE).stderr


def test_durations_are_shown_on_demand():
    shown = mutate("--durations", "2").stdout
    assert len(re.findall(r"^\d+\.\d{3} s", shown, re.MULTILINE)) == 2


def test_json_is_the_records_one_a_line():
    done = mutate("--json")
    assert [json.loads(line) for line in done.stdout.splitlines()] == schema.read("out/mutants.jsonl", schema.MUTANTS)


def test_under_github_actions_there_are_a_summary_and_warnings(tiny: pytest.MonkeyPatch):
    tiny.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    tiny.setattr(catalogue, "CATALOGUE", (*fakes.CAUGHT, fakes.SURVIVOR))
    done = mutate(status=Status.FINDING)
    assert "sin.by-itself" in Path("summary.md").read_text()
    assert "::warning file=transforms/rules.py" in done.stderr


def test_show_gives_the_leaf_before_and_after_the_kills_and_a_command():
    for _ in range(2):  # before there is a run, and from its records
        text = run("mutate", "show", "mul.own-operand", "--out", "out").stdout
        assert "rules.mul.pullback before, transforms/rules.py, line" in text
        assert "def mul_pullback" in text and "def own_operand" in text
        assert re.search(r"gradient: by value, \d", text) and "cost:" not in text
        assert "adjudge mutate -k mul.own-operand --checks gradient" in text
        mutate()


def test_the_command_that_show_gives_reproduces_a_kill():
    text = run("mutate", "show", "seed.one", "--out", "out").stdout
    command = text.rpartition("to reproduce: adjudge ")[2].split()
    assert run(*command).exit_code == Status.GOOD
    (found,) = schema.read("build/one/mutants.jsonl", schema.MUTANTS)[3:4]
    assert (found["kind"], found["mutant"], found["outcome"]) == ("cell", "seed.one", "killed-value")


def test_show_refuses_what_it_does_not_know():
    assert run("mutate", "show", "nobody").exit_code == Status.FINDING


def check(*args: str, status: Status = Status.GOOD) -> Result:
    done = run("check", *args)
    assert done.exit_code == status, done.output
    return done


def test_check_passes_the_unmutated_transformation_in_every_seed():
    found = [json.loads(line) for line in check("--seeds", "3", "--json").stdout.splitlines()]
    assert found[0]["kind"] == "run"
    assert [(r["seed"], r["check"]) for r in found[1:]] == [(s, c.id) for s in range(3) for c in fakes.BATTERY]
    assert {r["outcome"] for r in found[1:]} == {"pass"}
    assert len({r["error"] for r in found[1:] if r["check"] == "gradient"}) > 1


def test_check_lists_and_selects():
    assert check("--list", "-k", "unit or cost").stdout.split("\n")[0].startswith("unit  right")
    check("-k", "nothing-like-it", status=Status.NOTHING_SELECTED)


OWN = """
import os
from dataclasses import replace
from transforms.rules import RULES
from transforms.drivers import TRANSFORMATIONS, gradient

def own_operand(m, ct, r, a, b):
    return m.mul(ct, a), m.mul(ct, b)

wrong_rule = replace(RULES["mul"], pullback=own_operand)
right_rule = RULES["mul"]
judged = replace(TRANSFORMATIONS["accumulator"], rules={**RULES, "mul": wrong_rule})

def right(program, point, cotangent):
    return gradient(TRANSFORMATIONS["pointwise"], program, point, cotangent).cotangent

def wrong(program, point, cotangent):
    return {name: 2.0 * ct for name, ct in right(program, point, cotangent).items()}

def leaves(program, point, cotangent):
    raise SystemExit

def ends(program, point, cotangent):
    os._exit(0)

def hangs(program, point, cotangent):
    while True:
        pass

number = 3
"""


@pytest.fixture
def own(tiny: pytest.MonkeyPatch):
    Path("own_subject.py").write_text(OWN)
    gradients = tuple(replace(c, needs=Needs.GRADIENTS) for c in fakes.BATTERY[:2])
    tiny.setattr(battery, "BATTERY", (*gradients, fakes.COST))
    yield
    sys.modules.pop("own_subject", None)


@pytest.mark.parametrize("name", ["wrong_rule", "judged", "wrong"])
def test_a_wrong_subject_is_noticed_and_shown(own: None, name: str):
    done = check("--subject", f"own_subject:{name}", status=Status.FINDING)
    assert re.search(r"^gradient .*FAILS: value", done.stdout, re.MULTILINE)
    assert "gradient, seed 0: at {" in done.stdout


def test_a_right_rule_passes(own: None):
    check("--subject", "own_subject:right_rule")


def test_a_function_is_judged_by_the_checks_that_ask_for_gradients_alone(own: None):
    done = check("--subject", "own_subject:right")
    assert re.search(r"^gradient .*passes$", done.stdout, re.MULTILINE)
    assert re.search(r"^cost .*does not apply$", done.stdout, re.MULTILINE)
    assert "does not apply, needs a transformation: cost" in done.stdout
    check("--subject", "own_subject:right", "-k", "cost", status=Status.NOTHING_SELECTED)


@pytest.mark.parametrize(
    ("name", "verdict", "status"),
    [
        ("leaves", "crash", Status.FINDING),
        ("ends", "crash", Status.FINDING),
        ("hangs", "timeout", Status.TIMEOUT),
    ],
)
def test_a_subject_that_hangs_or_ends_its_process_is_a_row_of_the_table(
    own: None, tiny: pytest.MonkeyPatch, name: str, verdict: str, status: Status
):
    tiny.setattr("harness.checks.run.TIMEOUT", 0.3)
    done = check("--subject", f"own_subject:{name}", status=status)
    for row in ("gradient", "unit"):
        assert re.search(rf"^{row} .*FAILS: {verdict}$", done.stdout, re.MULTILINE)
        assert f"{row}, seed 0: " in done.stdout
    assert re.search(r"^cost .*does not apply$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", ["own_subject:number", "own_subject:absent", "no_such_module:x", "own_subject"])
def test_what_cannot_be_judged_is_refused(own: None, name: str):
    done = check("--subject", name, status=Status.FINDING)
    assert "Traceback" not in done.stderr and name.partition(":")[0] in done.stderr
