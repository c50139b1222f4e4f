"""Cells run in a process that is forked from this one, and end with what they leave behind.

The process starts from what this one has prepared and warmed. It does the cells of one batch, one after the other, and
sends each outcome as it comes, so that nothing that is under judgement needs to be picklable. The clock that stops a
cell is the parent's, for a loop in C would not notice a signal handler of Python's: the process is killed, and another
does the rest of its batch.

Any thread may fork. What the other threads of this process are in the middle of is nothing to the forked one: it keeps
no file or connection of theirs, and runs with the recursion limit that was there before any of them raised it.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import select
import signal
import struct
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from harness.errors import ProcessLost

MEMORY = 4 * 2**30
"""Bytes of address space that a process may add to what its parent had, where its cells have a timeout, for they may
run away: beyond them comes a MemoryError instead of a machine without memory."""

RECURSION = sys.getrecursionlimit()

Key = TypeVar("Key", bound=Hashable)
Cell = tuple[Key, Callable[[], Any]]
HEADER = struct.Struct("!I")

_thread = threading.local()


class Stopped(BaseException):
    """Nobody waits any more for what this thread does. No fault: nothing but the end of the thread should catch it."""


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


def stop_with(pipe: int) -> None:
    """From now on, whatever this thread has running is killed when the other end of a pipe is closed."""
    _thread.stop = pipe


def run(batch: Iterable[Cell[Key]], timeout: float | None = None) -> Generator[Done[Key], None, None]:
    """Do the cells of a batch in a process of its own; each is yielded when it has ended.

    A cell that takes longer than `timeout` seconds, or takes its process with it, ends alone: what is left of the batch
    is done in a new process. Where a process dies its cell is tried once more, for it may have been killed from
    outside; what dies twice is lost. Ending the iteration early kills what is running. Raises Stopped, see `stop_with`.
    """
    left, again = deque(batch), False
    while left:
        began, late = time.perf_counter(), False
        pid, pipe = _start(left, timeout)
        try:
            for value, seconds in _sent(pipe, timeout):
                yield Done(left.popleft()[0], value, seconds)
                began, again = time.perf_counter(), False
        except TimeoutError:
            late = True
        finally:
            how = _end(pid, pipe)
        if left and (late or again):
            yield Done(left.popleft()[0], None, time.perf_counter() - began, "" if late else how)
        again = not (late or again)


def alone(work: Callable[[], Any]) -> Any:
    """What some work returns that is done in a process of its own. Raises what it raises, and ProcessLost."""
    done = next(run([((), partial(caught, work))]))
    if done.lost is not None:
        raise ProcessLost(f"a process that did a part of the work was lost twice: {done.lost}")
    return given(done.value)


def caught(work: Callable[[], Any]) -> tuple[Any, Exception | None]:
    """What some work returns or raises, as it can be sent; `given` is the other end."""
    try:
        return work(), None
    except Exception as error:
        error.add_note(f"in a forked process:\n{traceback.format_exc()}")
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return None, RuntimeError("".join(traceback.format_exception(error)))
        return None, error


def given(sent: tuple[Any, Exception | None]) -> Any:
    """What work that was `caught` returned. Raises what it raised."""
    value, error = sent
    if error is not None:
        raise error
    return value


def _start(batch: Iterable[Cell[Any]], timeout: float | None) -> tuple[int, int]:
    """A new process, and the pipe from it."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _work(writing, batch, timeout)
    os.close(writing)
    return pid, reading


def _work(pipe: int, batch: Iterable[Cell[Any]], timeout: float | None) -> NoReturn:
    """The life of a process. It ends without cleaning up: files and locks are its parent's."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.setrecursionlimit(RECURSION)
        os.closerange(3, pipe)
        os.closerange(max(3, pipe + 1), os.sysconf("SC_OPEN_MAX"))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if timeout is not None:
            gc.disable()  # the process is short-lived, and what it shares must not be written to
            most = _held() + MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        for _, work in batch:
            if timeout is not None:
                _end_by_itself(2.0 * timeout)
            began = time.perf_counter()
            value = work()
            data = pickle.dumps((value, time.perf_counter() - began))
            data = HEADER.pack(len(data)) + data
            while data:
                data = data[os.write(pipe, data) :]
        status = 0
    finally:
        os._exit(status)


def _held() -> int:
    """Bytes of address space that this process has, of which some libraries reserve many; 0 where no kernel says it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _end_by_itself(seconds: float) -> None:
    """Let the system end this process after so much work: if its parent was killed, nobody else does."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def _sent(pipe: int, timeout: float | None) -> Iterator[tuple[Any, float]]:
    """What a process sends, until it ends. Raises TimeoutError where it sends nothing for longer than it may."""
    stop, data, since = getattr(_thread, "stop", None), bytearray(), time.perf_counter()
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    if stop is not None:
        poll.register(stop, 0)  # the other end's closing is always told
    while True:
        left = None if timeout is None else max(0.0, since + timeout - time.perf_counter()) * 1000 + 1
        ready = [descriptor for descriptor, _ in poll.poll(left)]
        if stop in ready:
            raise Stopped
        if pipe not in ready:
            raise TimeoutError
        received = os.read(pipe, 1 << 20)
        if not received:
            return
        data += received
        while len(data) >= HEADER.size:
            (length,) = HEADER.unpack_from(data)
            if len(data) < HEADER.size + length:
                break
            message = bytes(data[HEADER.size : HEADER.size + length])
            del data[: HEADER.size + length]
            since = time.perf_counter()
            yield pickle.loads(message)


def _end(pid: int, pipe: int) -> str:
    """End a process, if it has not; how it ended."""
    os.close(pipe)
    os.kill(pid, signal.SIGKILL)  # nothing to one that has ended
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
