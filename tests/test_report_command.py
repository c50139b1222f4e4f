"""`adjudge report`, as users and their scripts meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adjudge import main
from harness.status import Status
from tests.reports.conftest import BOUNDS, RUN

OUT = Path("reports/out")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def report(*args: str) -> Result:
    return CliRunner().invoke(main, ["report", *args])


def put(folder: Path, text: str) -> None:
    folder.mkdir(parents=True)
    (folder / "bench.jsonl").write_text(text)


def test_it_writes_a_page_and_says_where() -> None:
    put(OUT, f"{json.dumps(RUN)}\n{json.dumps(BOUNDS[1])}\n")
    done = report()
    assert (done.exit_code, done.stdout, done.stderr) == (Status.GOOD, "reports/out/report.html\n", "")
    assert "operations &lt;= 5 * source" in (OUT / "report.html").read_text()


def test_no_records_are_a_finding() -> None:
    done = report("--out", "nowhere")
    assert (done.exit_code, done.stdout) == (Status.FINDING, "")
    assert "nowhere: no bench.jsonl and no mutants.jsonl; `adjudge bench` and `adjudge mutate` write" in done.stderr
    assert not Path("nowhere").exists()


def test_records_that_cannot_be_trusted_are_refused_with_their_line() -> None:
    put(Path("out"), f"{json.dumps(RUN)}\nnonsense\n")
    done = report("--out", "out")
    assert done.exit_code == Status.FINDING
    assert "out/bench.jsonl, line 2: expected a JSON object; found nonsense" in done.stderr
    assert not Path("out/report.html").exists()


def test_help_begins_with_an_example() -> None:
    lines = report("--help").output.split("\n")
    assert [line.strip() for line in lines[2:4]] == ["Example:", "adjudge report"]
