"""A campaign on a Dask cluster leaves what a campaign here leaves, though a worker is killed or it is broken off."""

from __future__ import annotations

import pytest

from harness import bench
from harness import executor as executors
from harness.checks.battery import BATTERY
from harness.errors import OtherCode
from harness.executor import executor
from harness.records import lines
from harness.select import selector
from mutants.campaign import conduct
from mutants.catalogue.all import CATALOGUE
from mutants.plan import Plan
from tests.harness.clusters import cluster

MUTANTS = (
    "mul.own-operand", "sub.second-sign", "div.denominator-sign", "neg.sign", "exp.by-the-input", "log.multiplies",
    "sqrt.without-the-2", "sin.at-the-result", "cos.sign", "add.first-only",
)  # fmt: skip
CHECKS = ("dot-product", "linearity", "sharing")
PLAN = Plan(
    tuple(mutant for mutant in CATALOGUE if mutant.id in MUTANTS),
    tuple(check for check in BATTERY if check.id in CHECKS),
    timeout=30.0,
)


pytestmark = pytest.mark.usefixtures("settled")


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    with executor(jobs=2) as pool:
        return conduct(PLAN, tmp_path_factory.mktemp("unbroken"), pool)


def test_an_interrupt_leaves_the_files_for_resume(dask, unbroken, tmp_path):
    done = []

    def interrupting(name):
        done.append(name)
        if len(done) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), executor(1, dask.address) as pool:
        conduct(PLAN, tmp_path, pool, on_done=interrupting)
    with executor(1, dask.address) as pool:
        resumed = conduct(PLAN, tmp_path, pool, resume=True, on_done=done.append)
    assert lines(resumed.records) == lines(unbroken.records)
    assert len(done) == len(set(done)) == len(MUTANTS) * len(CHECKS)


def test_a_bench_has_the_same_records(dask):
    found = []
    for address in (None, dask.address):
        with executor(2, address) as pool:
            found.append(sorted(bench.run(bench.parts(selector("jacobian or square/in-m")), True, 0, pool)))
    assert found[0] == found[1]


def test_a_worker_with_other_code_is_refused(dask, tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "_code", lambda: "sources fedcba9876543210")
    told = r"expected sources fedcba9876543210, found sources \w+ python-\S+ numpy-\S+; restart the workers"
    with pytest.raises(OtherCode, match=told), executor(1, dask.address) as pool:
        conduct(PLAN, tmp_path, pool)


def test_a_worker_that_is_killed_loses_nothing_and_nothing_comes_twice(dask, unbroken, tmp_path):
    done = []

    def on_done(name):
        if not done:
            dask.kill(0)
        done.append(name)

    with executor(1, dask.address) as pool:
        found = conduct(PLAN, tmp_path, pool, on_done=on_done)
    assert dask.workers[0].wait(10.0) == -9
    assert lines(found.records) == lines(unbroken.records)
    assert len(done) == len(set(done)) == len(MUTANTS) * len(CHECKS)
