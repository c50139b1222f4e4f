"""A Dask cluster of processes of this machine, over loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LOCAL = ("--host", "127.0.0.1", "--no-dashboard")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A scheduler, its address, and its workers."""

    scheduler: subprocess.Popen[bytes]
    address: str
    workers: list[subprocess.Popen[bytes]]

    def kill(self, worker: int) -> None:
        """Kill a worker that is in the middle of something: it has a child, which does what it was given."""
        pid, until = self.workers[worker].pid, time.perf_counter() + 60.0
        while not children(pid):
            assert time.perf_counter() < until, "the worker was given nothing to do"
            time.sleep(0.002)
        os.kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]


@contextmanager
def cluster(folder: Path, workers: int, environment: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """A scheduler and so many workers with a thread each, started in a folder that is not that of the code."""

    def start(what: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *LOCAL, *options]
        variables = {**os.environ, **(environment or {})}
        with (folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(command, cwd=folder, env=variables, stdout=log, stderr=log, start_new_session=True)

    told = folder / "scheduler.json"
    processes = [start("scheduler", "--port", "0", "--scheduler-file", str(told))]
    try:
        # They wait for the file.
        more = ("--nthreads", "1", "--no-nanny", "--scheduler-file", str(told))
        processes += [start("worker", *more) for _ in range(workers)]
        until = time.perf_counter() + 60.0
        while not told.exists() or not told.read_text().endswith("}"):
            assert time.perf_counter() < until, "the scheduler did not start"
            time.sleep(0.05)
        yield Cluster(processes[0], json.loads(told.read_text())["address"], processes[1:])
    finally:
        for process in processes:
            process.kill()
            process.wait()
