"""False alarms: what the battery finds on the transformation as it should be, over many seeds, and what it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from time import process_time

from harness.checks.battery import BATTERY
from harness.checks.check import Check, Outcome, Result, judge
from harness.checks.subject import UNMUTATED


@dataclass(frozen=True, slots=True)
class Found:
    """A check's part in a run: how many seeds, the false alarms by seed, and seconds of processor time per seed.

    `nearest` is the largest error over the tolerance, or the largest error where the tolerance is 0.
    """

    check: Check
    seeds: int
    alarms: dict[int, Result]
    nearest: float
    prepare: float
    measure: float


def run(seeds: Sequence[int], jobs: int, checks: Sequence[Check] = BATTERY) -> list[Found]:
    """Every check on every seed, in `jobs` processes."""
    with get_context("fork").Pool(jobs) as pool:
        return [_summary(check, list(pool.imap(_one, [(check.id, seed) for seed in seeds], 1))) for check in checks]


def table(found: Sequence[Found]) -> Iterator[str]:
    """One line for each check."""
    yield f"{'check':20} {'alarms':>6} {'nearest':>9} {'prepare':>9} {'measure':>9}"
    for each in found:
        times = f"{1e3 * each.prepare:6.0f} ms {1e3 * each.measure:6.1f} ms"
        yield f"{each.check.id:20} {len(each.alarms):3}/{each.seeds:<4} {each.nearest:8.1e} {times}"


_BY_ID = {check.id: check for check in BATTERY}


def _one(asked: tuple[str, int]) -> tuple[int, Result, float, float]:
    """The seed, what came of the check, and the times of preparing and of measuring."""
    check, seed = _BY_ID[asked[0]], asked[1]
    start = process_time()
    prepared = check.prepare(seed)
    ready = process_time()
    result = judge(check, UNMUTATED, prepared)
    return seed, result, ready - start, process_time() - ready


def _summary(check: Check, each: list[tuple[int, Result, float, float]]) -> Found:
    alarms = {seed: result for seed, result, _, _ in each if result.outcome is not Outcome.PASS}
    errors = [result.error for _, result, _, _ in each if result.error is not None]
    nearest = max(errors, default=0.0) / (check.tolerance or 1.0)
    prepare, measure = (sum(times) / len(each) for times in zip(*[(p, m) for _, _, p, m in each], strict=True))
    return Found(check, len(each), alarms, nearest, prepare, measure)
