"""A run over seeds: what it counts, and what it shows."""

from __future__ import annotations

from harness.checks.battery import BATTERY
from harness.checks.false_alarms import run, table

KINKS = next(check for check in BATTERY if check.id == "ties-and-kinks")


def test_no_alarm_on_a_cheap_check():
    (found,) = run(range(3), 1, [KINKS])
    assert (found.seeds, found.alarms) == (3, {})
    assert 0.0 <= found.nearest < 1.0 and found.measure > 0.0
    assert [line.split()[0] for line in table([found])] == ["check", "ties-and-kinks"]
