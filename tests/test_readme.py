"""README says what the program prints, and shows what the published runs found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.checks.battery import BATTERY
from mutants.catalogue.all import CATALOGUE
from reports import published
from tests import documents

TEXT = documents.text("README.md")
SESSIONS = documents.sessions("README.md")


def published_records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("session", SESSIONS, ids=str)
def test_each_session_prints_what_it_shows(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert documents.run(session, tmp_path) == session.expected


def test_there_are_sessions():
    assert len(SESSIONS) == 2
    assert list(documents.files("README.md")) == ["mine.py"]


def test_its_figures_are_those_of_the_published_runs():
    mutation = published_records(published.MUTANTS)
    made = published.figures(published_records(published.BASELINE), mutation)
    assert published.filled(TEXT, made) == TEXT, "run make published"
    assert mutation[0]["mutants"] == [mutant.id for mutant in CATALOGUE], "run make published"
    assert mutation[0]["checks"] == [check.id for check in BATTERY], "run make published"


def test_the_make_targets_that_it_names_exist():
    makefile = documents.text("Makefile")
    code = "\n".join(re.findall(r"`make [^`]*`|^make .*$", TEXT, re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", code))
    assert named >= {"bench", "mutate", "report", "test"}
    assert [target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
