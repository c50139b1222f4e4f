"""README says what the program prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudge import main
from harness.suites import SUITES
from reports.published import readme

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^`(\S+\.mg)`:\n\n```\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
"""The files that sessions read."""
SESSIONS = re.findall(r"^\$ (adjudge .*)\n((?:.*\n)*?)```", TEXT, re.MULTILINE)


def test_the_table_is_what_a_run_gives():
    records = [
        record
        for case in SUITES
        if case.suite not in ("random", "jacobian", "theorem")
        for record in case.records(True, 0)
    ]
    assert readme(TEXT, records) == TEXT, "run make published"


@pytest.mark.parametrize(("command", "printed"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_each_session_prints_what_it_shows(command: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text)
    done = CliRunner().invoke(main, shlex.split(command)[1:])
    assert done.exit_code == 0
    assert [line.rstrip() for line in done.output.splitlines()] == printed.splitlines()


def test_there_are_sessions():
    assert len(SESSIONS) == 6
    assert list(PROGRAMS) == ["layer.mg"]
