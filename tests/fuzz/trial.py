"""Trying hostile inputs, each with little time and memory, in a process of their own.

The limits are the kernel's, so that neither a loop in C nor recursion gets around them. Inputs follow from the test
alone. There are `INPUTS` of each kind, some two thousand in all; ADJUDGE_FUZZ=7000 in the environment makes them a
hundred thousand.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from adjudge import main
from harness.status import Status

INPUTS = int(os.environ.get("ADJUDGE_FUZZ", "150"))
"""How many inputs of each kind."""
BLOCK = 25
"""How many inputs one process tries."""
SECONDS = 5.0
"""Of the processor, for one input."""
WAITING = 60.0
"""Seconds in all for one input: a process that waits uses no processor."""
MEMORY = 2**30
"""Bytes that an input may take beyond what the process has."""

Answering = Callable[[Any], tuple[str, str]]
"""To an input, its outcome and what is wrong with that."""


def tries(
    kind: Callable[[Random], Any],
    attempt: Callable[[Any], str],
    refusal: tuple[type[Exception], ...] = (),
    says: str = ".",
) -> Counter[str]:
    """Try inputs that `kind` draws; how often each outcome came.

    `attempt` returns the outcome of one input, or raises a `refusal` whose message begins with the pattern `says`: that
    is the outcome "refused". Raises AssertionError where it raises anything else, takes too long or too much memory.
    """
    outcomes: Counter[str] = Counter()

    @settings(max_examples=max(1, INPUTS // BLOCK), phases=[Phase.generate])  # a smaller seed makes no smaller input
    @given(st.randoms(use_true_random=True))
    def holds(rng: Random) -> None:
        inputs = [kind(rng) for _ in range(BLOCK)]
        answers = list(_answers(inputs, lambda value: _answer(value, attempt, refusal, says)))
        outcomes.update(outcome for outcome, problem in answers if not problem)
        wrong = [f"{shown(given)}\n{problem}" for given, (_, problem) in zip(inputs, answers, strict=True) if problem]
        assert not wrong, "\n".join([f"{len(wrong)} of {len(inputs)} inputs", *wrong])

    holds()
    return outcomes


def command(*args: str, stdin: bytes = b"", allowed: Sequence[int] = ()) -> str:
    """What a command ends with. Raises AssertionError where that is no diagnosis: none of 0, 1, 2 and `allowed`.

    To run out of memory is none, though the commands have a message for it.
    """
    done = CliRunner().invoke(main, list(args), input=stdin)
    assert done.exit_code in (Status.GOOD, Status.FINDING, Status.USAGE, *allowed), done.output[-2000:]
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    assert done.exit_code == Status.GOOD or done.stderr, "a failure without a word"
    assert "out of memory" not in done.stderr
    return Status(done.exit_code).name


def shown(value: Any) -> str:
    """An input as a failure shows it."""
    text = repr(value)
    return text if len(text) <= 2000 else f"{text[:1500]} ... {len(text)} characters ... {text[-300:]}"


def _answers(inputs: Sequence[Any], answer: Answering) -> Iterator[tuple[str, str]]:
    """For each input its outcome and what is wrong; what kills the process is the fault of the input it is at."""
    left = list(inputs)
    while left:
        lines, status = _apart(left, answer)
        yield from map(tuple, map(json.loads, lines))
        left = left[len(lines) :]
        if left:
            died = signal.Signals(-status).name if status < 0 else f"status {status}"
            yield "", f"the process died of it: {died} (SIGPROF: it took more than {SECONDS:g} s)"
            left = left[1:]


def _apart(inputs: Sequence[Any], answer: Answering) -> tuple[list[str], int]:
    """The answers of a forked process, a line each, and what it ended with."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            _limit()
            with open(writing, "w") as answers:
                for value in inputs:
                    signal.setitimer(signal.ITIMER_PROF, SECONDS)
                    signal.setitimer(signal.ITIMER_REAL, WAITING)
                    answers.write(json.dumps(answer(value)) + "\n")
                    answers.flush()
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading) as answers:
        lines = answers.read().splitlines()
    return lines, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _limit() -> None:
    """Bound the memory of this process, and let a timer's signal end it at once."""
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    for what, most in ((resource.RLIMIT_AS, used + MEMORY), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (most, resource.getrlimit(what)[1]))
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)


def _answer(
    value: Any, attempt: Callable[[Any], str], refusal: tuple[type[Exception], ...], says: str
) -> tuple[str, str]:
    try:
        return attempt(value), ""
    except refusal as error:
        return "refused", "" if re.match(says, str(error)) else f"it says: {str(error)[:500]}"
    except BaseException:
        return "", traceback.format_exc()[-3000:]


limits = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs Linux")
"""A trial needs the kernel's limits."""
