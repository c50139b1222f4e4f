"""Cells run in processes that are forked from this one, and end with what they leave behind.

A process starts from what this one has prepared and warmed. It does the cells of one batch, one after the other, and
sends each outcome as it comes, so that nothing that is under judgement needs to be picklable. The clock that stops a
cell is the parent's, for a loop in C would not notice a signal handler of Python's: the process is killed, and another
does the rest of its batch.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import select
import signal
import struct
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, TypeVar

MEMORY = 4 * 2**30
"""Bytes of address space that a process may take; beyond it comes a MemoryError instead of a machine without memory."""

Key = TypeVar("Key", bound=Hashable)
Cell = tuple[Key, Callable[[], Any]]
HEADER = struct.Struct("!I")


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
class _Process(Generic[Key]):
    """A process at work: the cells that it has still to do, since when it is at the first of them, what it has sent."""

    pid: int
    pipe: int
    left: deque[Cell[Key]]
    since: float
    sent: bytearray = field(default_factory=bytearray)


def run(batches: Iterable[Sequence[Cell[Key]]], jobs: int, timeout: float) -> Generator[Done[Key], None, None]:
    """Do each batch in a process of its own, at most `jobs` at a time; each cell is yielded when it has ended.

    A cell that takes longer than `timeout` seconds, or takes its process with it, ends alone: what is left of its batch
    is done in a new process. `batches` is asked for one when there is room for it. Ending the iteration early kills
    what is running.
    """
    pending, again, exhausted = iter(batches), deque[Sequence[Cell[Key]]](), False
    running: dict[int, _Process[Key]] = {}
    poll = select.poll()
    gc.collect()
    gc.freeze()  # a collection in a forked process would write to, and so copy, all that it shares with this one
    try:
        while True:
            while len(running) < jobs and (again or not exhausted):
                batch = again.popleft() if again else next(pending, None)
                if batch is None:
                    exhausted = True
                elif batch:
                    process = _start(batch)
                    running[process.pipe] = process
                    poll.register(process.pipe, select.POLLIN | select.POLLHUP)
            if not running:
                return
            wait = min(process.since for process in running.values()) + timeout - time.perf_counter()
            for pipe, _ in poll.poll(max(0.0, wait) * 1000 + 1):
                process = running[pipe]
                alive = _receive(process)
                yield from _outcomes(process)
                if not alive:
                    poll.unregister(pipe)
                    del running[pipe]
                    status = _reap(process)
                    if process.left:
                        yield _lost(process, status)
                        again.append(process.left)
            now, heard = time.perf_counter(), {pipe for pipe, _ in poll.poll(0)}
            for process in [p for p in running.values() if now - p.since >= timeout and p.pipe not in heard]:
                poll.unregister(process.pipe)
                del running[process.pipe]
                _kill(process)
                yield _lost(process, "")
                again.append(process.left)
    finally:
        for process in running.values():
            _kill(process)
        gc.unfreeze()


def _start(batch: Sequence[Cell[Key]]) -> _Process[Key]:
    reading, writing = os.pipe()
    since = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        _work(writing, batch)
    os.close(writing)
    return _Process(pid, reading, deque(batch), since)


def _work(pipe: int, batch: Sequence[Cell[Any]]) -> NoReturn:
    """The life of a process. It ends without cleaning up: files and locks are its parent's."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
        gc.disable()  # the process is short-lived, and what it shares must not be written to
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for _, work in batch:
            began = time.perf_counter()
            value = work()
            data = pickle.dumps((value, time.perf_counter() - began))
            data = HEADER.pack(len(data)) + data
            while data:
                data = data[os.write(pipe, data) :]
        status = 0
    finally:
        os._exit(status)


def _receive(process: _Process[Any]) -> bool:
    """Read what a process has sent; whether it is still alive."""
    data = os.read(process.pipe, 1 << 20)
    process.sent += data
    return bool(data)


def _outcomes(process: _Process[Key]) -> Iterator[Done[Key]]:
    """The cells whose outcomes have arrived whole."""
    while len(process.sent) >= HEADER.size:
        (length,) = HEADER.unpack_from(process.sent)
        if len(process.sent) < HEADER.size + length:
            return
        value, seconds = pickle.loads(process.sent[HEADER.size : HEADER.size + length])
        del process.sent[: HEADER.size + length]
        process.since = time.perf_counter()
        yield Done(process.left.popleft()[0], value, seconds)


def _lost(process: _Process[Key], why: str) -> Done[Key]:
    return Done(process.left.popleft()[0], None, time.perf_counter() - process.since, why)


def _reap(process: _Process[Any]) -> str:
    """How a process that sends no more has ended."""
    os.close(process.pipe)
    _, status = os.waitpid(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"


def _kill(process: _Process[Any]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    _reap(process)
