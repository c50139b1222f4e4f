"""Units of work are done here or on a cluster, and what cannot be is refused in a few seconds."""

from __future__ import annotations

import os
import socket
import time
from functools import partial
from itertools import repeat

import pytest

from harness import executor as executors
from harness import forked
from harness.errors import ProcessLost, ToolMissing, Unreachable, WrongAddress
from harness.executor import executor
from tests.harness.clusters import children, cluster


def process(_):
    return forked.alone(os.getpid)


def endless():
    return forked.alone(partial(sum, repeat(0)))


def test_each_unit_has_a_process_of_its_own():
    with executor(jobs=2) as pool:
        assert len({os.getpid(), *pool.map(process, range(5))}) == 6


def test_at_most_as_many_run_at_a_time_as_there_are_jobs(tmp_path):
    def work():
        (tmp_path / f"{os.getpid()}.running").touch()
        time.sleep(0.05)
        running = len(list(tmp_path.glob("*.running")))
        (tmp_path / f"{os.getpid()}.running").unlink()
        return running

    with executor(jobs=2) as pool:
        assert max(future.result() for future in [pool.submit(forked.alone, work) for _ in range(8)]) <= 2


def test_leaving_early_ends_what_runs_and_begins_nothing_more():
    with executor(jobs=2) as pool:
        first = pool.submit(process, 0)
        rest = [pool.submit(endless) for _ in range(4)]
        first.result()
        while not children(os.getpid()):
            time.sleep(0.01)
    assert [future.cancelled() for future in rest[2:]] == [True, True]
    assert all(future.done() for future in rest)
    assert not children(os.getpid())


@pytest.mark.parametrize("address", ["nonsense", "", "tcp://127.0.0.1", "carrier-pigeon://roof:1"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(WrongAddress, match="expected an address such as tcp://host:8786"):
        executors.check(address)


def test_without_dask_the_command_that_installs_it_is_told(monkeypatch):
    monkeypatch.setattr(executors, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing, match=r"pip install -e '\.\[dask\]'"):
        executors.check("tcp://127.0.0.1:8786")


def test_where_nothing_or_something_else_answers_it_is_told_soon(monkeypatch):
    monkeypatch.setattr(executors, "CONNECTING", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for each in (address, "tcp://127.0.0.1:1"):
            began = time.perf_counter()
            with pytest.raises(Unreachable, match=f"{each}: no Dask scheduler can be reached"), executor(1, each):
                pass
            assert time.perf_counter() - began < 5.0


def test_a_scheduler_without_workers_says_how_to_start_one(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "CONNECTING", 1.5)
    with cluster(tmp_path, workers=0) as dask:
        told = f"has no worker; to start one: dask worker {dask.address}"
        with pytest.raises(Unreachable, match=told), executor(1, dask.address):
            pass


def test_where_a_unit_kills_every_worker_or_the_scheduler_dies_it_is_told(tmp_path):
    def ask(*unit):
        with executor(1, dask.address) as pool:
            future = pool.submit(*unit)
            if unit[0] is time.sleep:
                dask.scheduler.kill()
            future.result()

    with cluster(tmp_path, 2, {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}) as dask:
        with pytest.raises(ProcessLost, match="every worker that tried a part of the work died"):
            ask(os._exit, 1)
        with pytest.raises(ProcessLost, match="the connection to the scheduler was lost"):
            ask(time.sleep, 60.0)


def test_where_adjudge_is_not_installed_it_is_told(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    told = pytest.raises(Unreachable, match="runs where adjudge is not installed")
    with cluster(tmp_path, 1, {"PYTHONPATH": str(tmp_path)}) as dask, told, executor(1, dask.address) as pool:
        pool.submit(process, 0).result()


WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("harness", "mutants", "transforms"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
"""
