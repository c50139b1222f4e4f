"""What docs/ shows is what the program prints, what runs found, and what the tables hold."""

from __future__ import annotations

import pytest

from harness.suites import SUITES
from mutants import describe
from reports import published, reference
from tests import documents
from tests.test_readme import published_records

TUTORIAL = documents.text("docs/tutorial.md")
PAGES = sorted(f"docs/{path.name}" for path in (documents.ROOT / "docs").glob("*.md"))
SESSIONS = [session for page in PAGES for session in documents.sessions(page)]


@pytest.mark.parametrize("session", SESSIONS, ids=str)
def test_each_session_prints_what_it_shows(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert documents.run(session, tmp_path) == session.expected


@pytest.mark.parametrize(("page", "statements"), [("docs/tutorial.md", 30), ("docs/your-own.md", 3)])
def test_python_at_the_console_prints_what_it_shows(page, statements, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert documents.converse(page, tmp_path) >= statements


def test_every_example_of_the_tutorial_can_be_run_here():
    if missing := documents.counted():
        pytest.skip(f"the tutorial's counts of instructions are left out: {missing}")


def test_there_are_sessions():
    assert len(SESSIONS) == 10


def test_the_tutorials_growth_is_what_a_run_gives():
    records = [
        record
        for case in SUITES
        if case.suite in ("product", "square", "sigmoid-square", "doubling", "projection")
        for record in case.records(True, 0)
    ]
    assert published.filled(TUTORIAL, published.growth(records)) == TUTORIAL, "run make published"


def test_the_tutorials_instructions_are_those_of_the_published_run():
    made = published.code(published_records(published.BASELINE))
    assert published.filled(TUTORIAL, made) == TUTORIAL, "run make published"


def test_the_reference_is_what_the_tables_hold():
    for name, text in reference.pages(
        describe.records(), published_records(published.MUTANTS), published_records(published.ALARMS)
    ).items():
        assert documents.text(f"docs/{name}") == text, "run make published"
