"""Cells: one piece of work each, in a process of its own that is forked from this one.

A cell starts from what this process has prepared and warmed, and what it leaves behind ends with it: no cell can see
another. The clock that stops a cell is the parent's, for a loop in C would not notice a signal handler of Python's.
Only the outcome comes back, so nothing that is under judgement needs to be picklable.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import select
import signal
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

MEMORY = 4 * 2**30
"""Bytes of address space that a cell may take; beyond it comes a MemoryError instead of a machine without memory."""

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Done(Generic[Key]):
    """A cell that has ended, after so many seconds.

    `value` is what its work returned. Where it returned nothing, `lost` says why: "" for the timeout, else what ended
    the process.
    """

    key: Key
    value: Any
    seconds: float
    lost: str | None = None

    @property
    def timed_out(self) -> bool:
        return self.lost == ""


@dataclass(slots=True)
class _Running(Generic[Key]):
    key: Key
    pid: int
    pipe: int
    began: float


def run(work: Iterable[tuple[Key, Callable[[], Any]]], jobs: int, timeout: float) -> Iterator[Done[Key]]:
    """Do each piece of work in a process of its own, at most `jobs` at a time; each is yielded when it has ended.

    A piece that takes longer than `timeout` seconds is killed. `work` is asked for a piece when there is room for it.
    Ending the iteration early kills what is running.
    """
    pending, running, exhausted = iter(work), dict[int, _Running[Key]](), False
    poll = select.poll()
    gc.collect()
    gc.freeze()  # a collection in a cell would write to, and so copy, all that it shares with this process
    try:
        while running or not exhausted:
            while len(running) < jobs and not exhausted:
                piece = next(pending, None)
                if piece is None:
                    exhausted = True
                else:
                    cell = _start(*piece)
                    running[cell.pipe] = cell
                    poll.register(cell.pipe, select.POLLIN | select.POLLHUP)
            if not running:
                return
            left = min(cell.began for cell in running.values()) + timeout - time.perf_counter()
            for pipe, _ in poll.poll(max(0.0, left) * 1000 + 1):
                poll.unregister(pipe)
                yield _end(running.pop(pipe))
            now = time.perf_counter()
            for cell in [cell for cell in running.values() if now - cell.began >= timeout]:
                poll.unregister(cell.pipe)
                yield _kill(running.pop(cell.pipe))
    finally:
        for cell in running.values():
            _kill(cell)
        gc.unfreeze()


def _start(key: Key, work: Callable[[], Any]) -> _Running[Key]:
    reading, writing = os.pipe()
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        _cell(writing, work)
    os.close(writing)
    return _Running(key, pid, reading, began)


def _cell(pipe: int, work: Callable[[], Any]) -> None:
    """The life of a cell. It ends without cleaning up: files and locks are its parent's."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        began = time.perf_counter()
        value = work()
        data = pickle.dumps((value, time.perf_counter() - began))
        while data:
            data = data[os.write(pipe, data) :]
        status = 0
    finally:
        os._exit(status)


def _end(cell: _Running[Key]) -> Done[Key]:
    """Read what a cell has to say; it has begun to say it, or is dead."""
    with os.fdopen(cell.pipe, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(cell.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        value, seconds = pickle.loads(data)
        return Done(cell.key, value, seconds)
    lost = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
    return Done(cell.key, None, time.perf_counter() - cell.began, lost)


def _kill(cell: _Running[Key]) -> Done[Key]:
    os.kill(cell.pid, signal.SIGKILL)
    os.waitpid(cell.pid, 0)
    os.close(cell.pipe)
    return Done(cell.key, None, time.perf_counter() - cell.began, "")
