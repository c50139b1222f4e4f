"""The `tests/conftest.py` of the scratch copy in which generic mutants run; it is copied there and never imported here.

Property tests try few examples, and none is made smaller: a failure is all that is asked for. For each mutant that a
test kills, a file of its name below `killed-by/` says which test, and whether by an assertion or by a crash.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

FOLDER = Path(__file__).resolve().parents[2] / "killed-by"
"""In the scratch copy: these tests run in a folder of it."""

settings.register_profile(
    "scratch", deadline=None, derandomize=True, database=None, max_examples=20, report_multiple_bugs=False,
    phases=[Phase.explicit, Phase.generate],
)  # fmt: skip
settings.load_profile("scratch")


def note(by: str, error: BaseException | None) -> None:
    """Keep what killed the mutant that runs: its first failure."""
    kind = "assertion" if isinstance(error, (AssertionError, pytest.fail.Exception)) else "crash"
    path = FOLDER / os.environ.get("MUTANT_UNDER_TEST", "none")
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        path.write_text(json.dumps({"kind": kind, "by": by}))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    report = yield
    if report.failed:
        note(item.nodeid, call.excinfo.value if call.excinfo else None)
    return report


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        note(report.nodeid, None)
