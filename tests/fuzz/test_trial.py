"""A trial catches what no exception tells of."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from itertools import cycle

import pytest

from tests.fuzz import trial
from tests.fuzz.trial import limits, tries

FAULTS: dict[str, tuple[Callable[[], object], str]] = {
    "a loop in C": (lambda: 3**10**9, "SIGPROF"),
    "a wait": (signal.pause, "SIGALRM"),
    "memory": (lambda: bytes(2**31), "MemoryError"),
    "a crash": (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
    "an exit": (lambda: sys.exit(0), "SystemExit"),
    "an end": (lambda: os._exit(3), "status 3"),
    "another error": (lambda: {}["key"], "KeyError"),
    "an error without a word": (lambda: 0, "it says: $"),
}


@limits
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_the_other_inputs_are_tried(fault: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trial, "INPUTS", 1)
    monkeypatch.setattr(trial, "BLOCK", 3)
    monkeypatch.setattr(trial, "SECONDS", 0.3)
    monkeypatch.setattr(trial, "WAITING", 1.0)
    go, says = FAULTS[fault]
    drawn = cycle((1, 2, 3))

    def attempt(number: int) -> str:
        if number == 2:
            go()
            raise ValueError
        return "fine"

    with pytest.raises(AssertionError, match=rf"(?ms)1 of 3 inputs\n2\n.*({says})"):
        tries(lambda rng: next(drawn), attempt, (ValueError,))
