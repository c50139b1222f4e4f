"""A campaign of a tiny catalogue against a tiny battery: every outcome, and the same files however it ran."""

import json
import os
import signal
import time
from dataclasses import replace

import pytest

from harness.checks.check import Measured
from harness.executor import executor
from harness.records import lines
from harness.status import Status
from mutants.campaign import conduct
from mutants.mutant import NothingChanged
from mutants.plan import Inconsistent, Plan
from tests.harness.clusters import children
from tests.mutants import fakes
from tests.mutants.fakes import BATTERY, CAUGHT, HANG, SAME, SLIGHT, STATE, SURVIVOR

pytestmark = pytest.mark.usefixtures("settled")


def campaign(folder, mutants=CAUGHT, *, jobs=2, checks=BATTERY, seed=0, timeout=5.0, **options):
    with executor(jobs) as pool:
        return conduct(Plan(tuple(mutants), tuple(checks), seed, timeout=timeout), folder, pool, **options)


def kind(finished, name):
    return [record for record in finished.records if record["kind"] == name]


def row(finished, mutant):
    return [cell["outcome"] for cell in kind(finished, "cell") if cell["mutant"] == mutant]


def summary(finished):
    (found,) = kind(finished, "summary")
    return found


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    return campaign(tmp_path_factory.mktemp("unbroken"))


def test_every_outcome_is_told_apart(unbroken):
    assert unbroken.status is Status.GOOD
    assert row(unbroken, "mul.own-operand") == ["killed-value", "killed-value", "pass"]
    assert row(unbroken, "seed.one") == ["killed-value", "pass", "pass"]
    assert row(unbroken, "mul.crash") == row(unbroken, "mul.death") == ["killed-crash"] * 3
    assert row(unbroken, "mul.refuses") == ["killed-refusal"] * 3
    assert row(unbroken, "mul.dear") == ["pass", "pass", "killed-value"]
    assert row(unbroken, "mul.swapped") == ["pass"] * 3


def test_a_cell_keeps_error_tolerance_and_margin(unbroken):
    found = next(cell for cell in kind(unbroken, "cell") if cell["mutant"] == "mul.slightly")
    assert found["tolerance"] == 1e-10
    assert found["margin"] == found["error"] / 1e-10
    assert 1.0 < found["margin"] < 1e6


def test_no_cell_is_skipped(unbroken):
    cells = [(cell["mutant"], cell["check"]) for cell in kind(unbroken, "cell")]
    assert cells == [(mutant.id, check.id) for mutant in CAUGHT for check in BATTERY]


def test_the_records_do_not_depend_on_how_many_run_at_a_time(unbroken, tmp_path):
    assert lines(campaign(tmp_path, jobs=1).records) == lines(unbroken.records)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_a_run_that_was_killed_and_resumed_gives_the_same_records(unbroken, tmp_path, share):
    campaign(tmp_path)
    whole = (tmp_path / "mutants.jsonl").read_bytes()
    first = whole.index(b"\n") + 1
    (tmp_path / "mutants.jsonl").write_bytes(whole[: first + int(share * (len(whole) - first))])  # mid-line, mostly
    done = []
    resumed = campaign(tmp_path, resume=True, on_done=done.append)
    assert lines(resumed.records) == lines(unbroken.records)
    assert len(done) < len(CAUGHT) * len(BATTERY) or share == 0.0
    assert share < 1.0 or not done


def test_a_process_that_is_killed_loses_nothing_and_nothing_comes_twice(tmp_path):
    def slowly(subject, prepared):
        time.sleep(0.1)
        return fakes.measure(subject, prepared)

    checks = (replace(fakes.GRADIENT, measure=slowly), fakes.COST)
    mutants = (fakes.OWN, SLIGHT, fakes.SEED, fakes.DEAR)
    done, killed = [], []

    def on_done(name):
        done.append(name)
        if not killed:
            killed.extend(children(os.getpid()))
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    found = campaign(tmp_path / "killed", mutants, checks=checks, on_done=on_done)
    assert killed
    assert lines(found.records) == lines(campaign(tmp_path / "unbroken", mutants, checks=checks).records)
    assert len(done) == len(set(done)) == len(mutants) * len(checks)


def test_what_another_run_left_is_not_taken_over(unbroken, tmp_path):
    campaign(tmp_path, seed=1)
    said, done = [], []
    resumed = campaign(tmp_path, resume=True, say=said.append, on_done=done.append)
    assert "seed" in said[0]
    assert len(done) == len(CAUGHT) * len(BATTERY)
    assert lines(resumed.records) == lines(unbroken.records)


def test_two_seeds_give_different_inputs_and_the_same_verdicts(unbroken, tmp_path):
    other = campaign(tmp_path, seed=1)
    assert other.status is Status.GOOD
    assert [v["by"] for v in kind(other, "verdict")] == [v["by"] for v in kind(unbroken, "verdict")]
    errors = [[c["error"] for c in kind(f, "cell") if c["mutant"] == "mul.own-operand"] for f in (unbroken, other)]
    assert errors[0] != errors[1]


def test_a_mutant_that_hangs_gives_a_timeout_and_the_rest_is_complete(tmp_path):
    found = campaign(tmp_path, [*CAUGHT[:2], HANG, *CAUGHT[2:]], timeout=0.7)
    assert found.status is Status.TIMEOUT
    assert row(found, "mul.endless") == ["timeout"] * 3
    assert len(kind(found, "cell")) == 3 * (len(CAUGHT) + 1)
    assert summary(found)["survived"] == ["mul.endless"]


def test_a_mutant_that_declares_that_it_hangs_may(tmp_path):
    found = campaign(tmp_path, [replace(HANG, hangs=True)], timeout=0.3)
    assert found.status is Status.GOOD
    (summary,) = kind(found, "summary")
    assert (summary["caught"], summary["survived"], summary["score"]) == (1, [], 1.0)


def test_where_the_baseline_fails_no_mutant_runs(tmp_path):
    wrong = replace(fakes.UNIT, measure=lambda subject, prepared: Measured(1.0, "here"))
    done = []
    found = campaign(tmp_path, checks=(fakes.GRADIENT, wrong), on_done=done.append)
    assert found.status is Status.BASELINE_FAILED
    assert not done and not kind(found, "cell") and not kind(found, "summary")
    assert [(cell["check"], cell["outcome"]) for cell in kind(found, "baseline")] == [
        ("gradient", "pass"),
        ("unit", "killed-value"),
    ]


def test_a_baseline_that_hangs_fails(tmp_path):
    endless = replace(fakes.UNIT, measure=lambda subject, prepared: fakes.endless(*[None] * 5))
    assert campaign(tmp_path, checks=(endless,), timeout=0.3).status is Status.BASELINE_FAILED


def test_a_planted_survivor_is_reported_with_a_program(tmp_path):
    found = campaign(tmp_path, [*CAUGHT, SURVIVOR])
    assert found.status is Status.FINDING
    assert summary(found)["survived"] == ["sin.by-itself"]
    difference = kind(found, "verdict")[-1]["difference"]
    assert difference["program"].endswith("sin(x0)") and set(difference["point"]) == {"x0"}
    assert kind(found, "verdict")[-1]["covered_by"] == []


def test_stopping_at_the_first_that_is_not_as_expected(tmp_path):
    done = []
    mutants = [CAUGHT[0], SURVIVOR, *CAUGHT[1:]]
    found = campaign(tmp_path, mutants, stop_first=True, on_done=done.append)
    assert [v["mutant"] for v in kind(found, "verdict")] == ["mul.own-operand", "sin.by-itself"]
    assert found.status is Status.FINDING
    assert len(done) < len(mutants) * len(BATTERY)
    assert lines(campaign(tmp_path / "alone", mutants, jobs=1, stop_first=True).records) == lines(found.records)


def test_each_cell_begins_with_a_mutant_that_has_no_past(tmp_path):
    assert row(campaign(tmp_path, [STATE]), "mul.once") == ["pass"] * 3


def test_a_mutant_that_changes_nothing_is_an_error(tmp_path):
    idle = replace(SAME, id="idle", change=lambda judged: judged)
    with pytest.raises(NothingChanged, match="idle"):
        campaign(tmp_path, [*CAUGHT, idle])


def test_ids_are_unique():
    with pytest.raises(Inconsistent, match=r"mul\.slightly"):
        Plan((SLIGHT, SLIGHT), BATTERY)


def test_what_is_read_off(unbroken):
    found = summary(unbroken)
    assert (found["mutants"], found["caught"], found["score"]) == (8, 7, 1.0)
    assert found["equivalent"] == ["mul.swapped"]
    assert found["rows"] == 4
    assert found["groups"] == [["mul.slightly", "mul.crash", "mul.death", "mul.refuses"]]
    assert found["minimal_checks"] == ["gradient", "cost"]
    assert found["subsuming"] == ["seed.one", "mul.dear"]
    assert found["crash_only"] == ["mul.crash", "mul.death"]
    checks = {record["check"]: record for record in kind(unbroken, "check")}
    assert checks["gradient"]["unique"] == ["seed.one"]
    assert checks["unit"]["unique"] == [] and checks["unit"]["without"] == 1.0
    assert checks["cost"]["without"] == 6 / 7
    assert all(v["covered_by"] for v in kind(unbroken, "verdict"))


def test_a_margin_below_a_million_is_narrow(tmp_path):
    found = summary(campaign(tmp_path, [fakes.OWN, SLIGHT], checks=(fakes.GRADIENT,)))
    assert found["narrow"] == ["mul.slightly"]


def test_the_score_falls_as_tolerances_grow(unbroken, tmp_path):
    found = campaign(tmp_path, [fakes.OWN, SLIGHT], checks=(fakes.GRADIENT,))
    scores = {t["factor"]: t["score"] for t in summary(found)["tolerances"]}
    assert scores[1.0] == 1.0 and scores[1e6] == 0.5 and scores[1e12] == 0.0
    assert all(t["false_alarms"] == [] for t in summary(found)["tolerances"] if t["factor"] >= 1.0)


def test_kills_across_the_separation_are_listed(tmp_path):
    wrong = replace(fakes.OWN, breaks="cost")
    found = summary(campaign(tmp_path, [wrong, fakes.DEAR]))
    assert [(e["mutant"], e["check"], e["allowed"]) for e in found["separation"]] == [
        ("mul.own-operand", "gradient", None),
        ("mul.own-operand", "unit", None),
    ]
    assert found["threats"] == [{"breaks": "cost", "mutants": 2, "right": 1, "cost": 1, "accurate": 0, "nobody": 0}]


def test_times_are_apart_from_results(unbroken):
    assert not any("seconds" in key for record in unbroken.records for key in record)
    cells = [(t["mutant"], t["check"]) for t in unbroken.timings if t["kind"] == "timing"]
    assert len(cells) == (len(CAUGHT) + 1) * len(BATTERY)  # and the baseline
    assert {t["phase"] for t in unbroken.timings if t["kind"] == "phase"} == {"prepare", "baseline", "cells", "summary"}


def test_the_records_are_as_they_will_be_read(unbroken):
    assert [json.loads(line) for line in lines(unbroken.records).splitlines()] == unbroken.records
    dear = next(c for c in kind(unbroken, "cell") if c["mutant"] == "mul.dear" and c["check"] == "cost")
    assert dear["margin"] == "inf"
