"""Where the parts of a run are done: on this machine, or by the workers of a Dask cluster.

A part, a *unit*, is a call of a function at the top level of a module with names, numbers and seeds: pure, so that it
may be done anywhere, and again where a worker died. It does its work in processes that it forks (`harness.forked`), so
that all that an executor has to offer is a thread that waits for them. Whoever has many units to do knows nothing but
`concurrent.futures`: `executor` gives the executor, and ends what is not done when it is left.

No other module knows of Dask.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

from harness import forked
from harness.errors import OtherCode, ProcessLost, ToolMissing, Unreachable, WrongAddress
from harness.provenance import JUDGED, sources, toolchain

CONNECTING = 5.0
"""Seconds within which a scheduler must answer, and have a worker."""


@contextmanager
def executor(jobs: int, scheduler: str | None = None) -> Iterator[Executor]:
    """An executor of units: processes of this machine, at most `jobs` at a time, or the cluster of a Dask scheduler.

    Leaving it ends what is not done. Raises ToolMissing, WrongAddress and Unreachable; later ProcessLost, where the
    cluster is lost that a result was waited for from.
    """
    with _here(jobs) if scheduler is None else _cluster(scheduler) as pool:
        yield pool


@contextmanager
def _here(jobs: int) -> Iterator[Executor]:
    stop, held = os.pipe()
    pool = ThreadPoolExecutor(jobs, initializer=forked.stop_with, initargs=(stop,))
    try:
        yield pool
    finally:
        os.close(held)
        pool.shutdown(cancel_futures=True)
        os.close(stop)


def check(address: str) -> None:
    """Raises ToolMissing where Dask is not installed, and WrongAddress where an address cannot be one."""
    if find_spec("distributed") is None:
        raise ToolMissing("a scheduler needs dask.distributed", "pip install -e '.[dask]'")
    from distributed.comm.addressing import get_address_host_port

    try:
        get_address_host_port(address)
    except ValueError as error:
        raise WrongAddress(f"expected an address such as tcp://host:8786, found {address!r}: {error}") from None


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    check(address)
    from distributed import Client, KilledWorker

    asyncio.run(_await_workers(address))
    with _silent():
        client = Client(address, timeout=CONNECTING, set_as_default=False)
        pool = client.get_executor(pure=False)
        try:
            yield _Pickled(pool, _code())
        except CancelledError:
            raise ProcessLost(f"{address}: the connection to the scheduler was lost") from None
        except KilledWorker:
            raise ProcessLost(f"{address}: every worker that tried a part of the work died; see their logs") from None
        except (ModuleNotFoundError, RuntimeError) as error:
            if not _lacks_this(error):
                raise
            raise Unreachable(f"{address}: the scheduler or a worker runs where adjudge is not installed") from None
        finally:
            pool.shutdown(wait=False)
            client.close(timeout=CONNECTING)


def _lacks_this(error: ModuleNotFoundError | RuntimeError) -> bool:
    """Whether an error is that another process cannot import what it is sent; a scheduler says no more than that."""
    if isinstance(error, ModuleNotFoundError):
        return (error.name or "").partition(".")[0] in JUDGED
    return "deserialization of the task graph" in str(error)


@contextmanager
def _silent() -> Iterator[None]:
    """Without what Dask logs, with tracebacks, of a connection that is lost."""
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


async def _await_workers(address: str) -> None:
    """Return when a scheduler says that it has a worker. Raises Unreachable."""
    from distributed.core import rpc

    found: Any = None
    try:
        async with asyncio.timeout(CONNECTING), rpc(address, timeout=CONNECTING) as remote:
            while not (found and found.get("n_workers", True)):  # none but a scheduler says how many it has
                found = await remote.identity()
                await asyncio.sleep(0.1)
    except Exception as error:  # whatever answers there may be no scheduler, and answer anything
        if found:
            raise Unreachable(f"{address}: the scheduler has no worker; to start one: dask worker {address}") from None
        why = str(error) or f"no answer within {CONNECTING:g} seconds"
        raise Unreachable(f"{address}: no Dask scheduler can be reached: {why}") from None
    if found["type"] != "Scheduler":
        raise Unreachable(f"{address}: expected a scheduler of Dask, found a {found['type'].lower()}")


class _Pickled(Executor):
    """Sends each unit pickled and with what it is a unit of, so that a worker with other code does not even read it."""

    def __init__(self, pool: Executor, code: str) -> None:
        self._pool, self._code = pool, code

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        return self._pool.submit(_unpickled, self._code, pickle.dumps((work, args, named)))


def _unpickled(code: str, unit: bytes) -> Any:
    """Do a unit on a worker. Raises OtherCode."""
    if code != _code():
        raise OtherCode(f"a worker has other code than this run: expected {code}, found {_code()}; restart the workers")
    work, args, named = pickle.loads(unit)
    return work(*args, **named)


@cache
def _code() -> str:
    """What a result depends on besides its unit, as it was when this process began to work."""
    return f"sources {sources()} {toolchain()}"
