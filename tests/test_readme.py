"""README says what the program prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudge import main
from harness.checks.battery import BATTERY
from harness.suites import SUITES
from mutants.catalogue.all import CATALOGUE
from reports import published
from reports.published import readme, readme_mutants

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^`(\S+\.(?:mg|py))`:\n\n```(?:python)?\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
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
    assert done.exit_code == ("FAILS" in printed)
    assert rounded(done.output) == rounded(printed)


def rounded(text: str) -> list[str]:
    """Lines with long fractions at nine digits: the last ones are the C library's."""
    shorter = re.sub(r"\d+\.\d{8,}(e[-+]\d+)?", lambda found: f"{float(found[0]):.9g}", text)
    return [line.rstrip() for line in shorter.splitlines()]


def test_what_the_checks_notice_is_what_the_published_run_found():
    records = [json.loads(line) for line in published.MUTANTS.read_text(encoding="utf-8").splitlines()]
    assert readme_mutants(TEXT, records) == TEXT, "run make published"
    assert records[0]["mutants"] == [mutant.id for mutant in CATALOGUE], "run make published"
    assert records[0]["checks"] == [check.id for check in BATTERY], "run make published"


def test_there_are_sessions():
    assert len(SESSIONS) == 9
    assert list(PROGRAMS) == ["layer.mg", "mine.py"]
