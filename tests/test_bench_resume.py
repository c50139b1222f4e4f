"""A bench that is broken off loses nothing, and is continued to the files of an unbroken one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import adjudge
from harness import bench
from harness.status import Status
from reports import files
from tests.outputs import full_disk

ROOT = Path(__file__).parents[1]
SELECTED = ["bench", "--quick", "-k", "jacobian/n-by-m or square/in-m and not native or repeat", "--jobs", "1"]
PARTS = ["square/in-m", "jacobian/n-by-m", "repeat/whole-run: square/in-m", "repeat/whole-run: jacobian/n-by-m"]
SOURCES = "0123456789abcdef"
KILLED = f"""
import os, signal, sys
from adjudge import main
from harness import bench
def dying(kept, name, found, add=bench.Kept.add):
    add(kept, name, found)
    if len(kept.parts) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
bench.Kept.add, bench.sources = dying, lambda: "{SOURCES}"
main(sys.argv[1:])
"""


@pytest.fixture(autouse=True)
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The parts that are run, in the order in which they end."""
    done: list[str] = []

    def run(missing, *args, run=bench.run):
        for name, found in run(missing, *args):
            done.append(name)
            yield name, found

    monkeypatch.setattr(bench, "run", run)
    monkeypatch.setattr(bench, "sources", lambda: SOURCES)
    return done


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an unbroken run, by name."""
    out = tmp_path_factory.mktemp("unbroken")
    command(out)
    return left(out)


def command(out: Path, *args: str, status: Status = Status.GOOD) -> Result:
    """A run; without tables and plots where --json is among the arguments."""
    done = CliRunner().invoke(adjudge.main, [*SELECTED, "--out", str(out), *args])
    assert done.exit_code == status, done.output
    return done


def left(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


def ended_as(out: Path, unbroken: dict[str, bytes]) -> bool:
    """Whether a run ended, and its records are those of an unbroken one."""
    found = left(out)
    return bench.PARTIAL not in found and found["bench.jsonl"] == unbroken["bench.jsonl"]


def broken_off(out: Path, monkeypatch: pytest.MonkeyPatch, after: int = 2) -> Result:
    """A run that is interrupted when so many parts are kept."""

    @contextmanager
    def interrupting(total: int):
        names: list[str] = []

        def step(name: str) -> None:
            names.append(name)
            if len(names) == after:
                raise KeyboardInterrupt

        yield step

    with monkeypatch.context() as patch:
        patch.setattr(adjudge, "_progress", interrupting)
        return command(out, "--json", status=Status.INTERRUPTED)


def test_a_run_that_ends_leaves_no_partial_file(unbroken):
    assert "bench.jsonl" in unbroken and bench.PARTIAL not in unbroken
    assert b'"kind": "bound", "suite": "repeat"' in unbroken["bench.jsonl"]


def test_a_run_that_is_killed_is_resumed_to_the_files_of_an_unbroken_one(tmp_path, unbroken, ran):
    killed = [sys.executable, "-c", KILLED, *SELECTED, "--out", str(tmp_path)]
    assert subprocess.run(killed, cwd=ROOT, capture_output=True, check=False).returncode == -signal.SIGKILL
    kept = [json.loads(line) for line in (tmp_path / bench.PARTIAL).read_text().splitlines()]
    assert [record.get("case") for record in kept] == [None, *PARTS[:3]]
    assert "not resumed" not in command(tmp_path, "--resume").stderr
    assert ran == PARTS[3:]
    assert left(tmp_path) == unbroken


def test_an_interrupt_keeps_what_is_done_and_says_how_to_continue(tmp_path, unbroken, ran, monkeypatch):
    assert "interrupted" in (said := broken_off(tmp_path, monkeypatch).stderr) and "--resume continues" in said
    assert b'"suite": "repeat"' not in (tmp_path / "bench.jsonl").read_bytes()
    command(tmp_path, "--resume", "--json")
    assert ran == PARTS
    assert ended_as(tmp_path, unbroken)


def test_without_resume_a_run_begins_anew(tmp_path, unbroken, ran, monkeypatch):
    broken_off(tmp_path, monkeypatch)
    command(tmp_path, "--json")
    assert ran == PARTS[:2] + PARTS
    assert ended_as(tmp_path, unbroken)


def test_what_another_run_left_is_not_taken_over(tmp_path, ran, monkeypatch):
    broken_off(tmp_path, monkeypatch)
    said = command(tmp_path, "--resume", "--json", "--seed", "1").stderr
    assert "not resumed" in said and "its seed differ" in said
    assert ran == PARTS[:2] + PARTS
    assert "no earlier run left" in command(tmp_path, "--resume", "--json").stderr


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data[:-9], ""),
        (lambda data: data[:-9] + b"\n", "line 3: no record"),
        (lambda data: data.replace(b'"case": "jacobian/n-by-m", "records": [', b'"records": [3, '), ""),
    ],
    ids=["cut off in the last line", "no JSON", "no part"],
)
def test_a_damaged_file_is_read_up_to_the_damage(
    tmp_path, unbroken, ran, monkeypatch, damage: Callable[[bytes], bytes], said: str
):
    broken_off(tmp_path, monkeypatch)
    path = tmp_path / bench.PARTIAL
    path.write_bytes(damage(path.read_bytes()))
    assert said in command(tmp_path, "--resume", "--json").stderr
    assert ran == PARTS[:2] + PARTS[1:]
    assert ended_as(tmp_path, unbroken)


def test_a_disk_that_is_full_in_mid_run_or_at_its_end_costs_nothing(tmp_path, unbroken, ran, monkeypatch):
    first = bench.SUITES[[case.id for case in bench.SUITES].index(PARTS[0])].records(True, 0)
    with full_disk(1_000 + len(json.dumps(first))):
        full = command(tmp_path, "--json", status=Status.FINDING)
    assert ran == PARTS[:2]
    assert "File too large; --resume continues" in full.stderr and full.stdout
    with monkeypatch.context() as patch:
        patch.setattr(files, "write", lambda path, data: (_ for _ in ()).throw(OSError(28, "No space left", str(path))))
        full = command(tmp_path, "--resume", "--json", status=Status.FINDING)
    assert "bench.jsonl: No space left; --resume continues" in full.stderr and full.stdout
    assert ran == PARTS[:2] + PARTS[1:]
    command(tmp_path, "--resume", "--json")
    assert len(ran) == 5
    assert ended_as(tmp_path, unbroken)
