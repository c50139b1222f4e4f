"""What is kept of a run over many seeds."""

from __future__ import annotations

import json

from harness.checks.battery import BATTERY
from reports.alarms import PUBLISHED, alarms


def record(check: str, seed: int, outcome: str, margin: float | None, tolerance: float = 2.0) -> dict:
    return {
        "kind": "check", "check": check, "seed": seed, "outcome": outcome, "margin": margin, "tolerance": tolerance,
    }  # fmt: skip


def test_each_check_has_its_seeds_its_alarms_and_its_nearest_pass():
    records = [
        {"kind": "run"}, record("a", 0, "pass", 0.25), record("b", 0, "pass", 0.0, tolerance=0.0),
        record("a", 1, "killed-value", 3.0), record("b", 1, "pass", 0.0, tolerance=0.0), record("a", 2, "pass", 0.5),
    ]  # fmt: skip
    assert alarms(records) == [
        {"kind": "alarms", "check": "a", "seeds": 3, "alarms": 1, "nearest": 0.5},
        {"kind": "alarms", "check": "b", "seeds": 2, "alarms": 0, "nearest": None},
    ]


def test_a_thousand_seeds_of_every_check_gave_no_alarm():
    published = {found["check"]: found for found in map(json.loads, PUBLISHED.read_text().splitlines())}
    assert published.keys() == {check.id for check in BATTERY}
    assert all(found["seeds"] >= 1000 and found["alarms"] == 0 for found in published.values())
