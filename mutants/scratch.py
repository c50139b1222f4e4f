"""The scratch copy in which mutmut changes sources and runs tests, and what it leaves there.

mutmut writes a folder `mutants/` where it runs, so that it runs in a copy of what it needs, which is wiped first: a
result of an earlier run would be taken over. It sees plain functions alone, and none of their `@`, `.T` and names.
"""

from __future__ import annotations

import ast
import difflib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from mutants.leaves import ROOT
from transforms.errors import AdjudgeError

FILES = (
    "transforms/rules.py",
    "transforms/array_rules.py",
    "transforms/derivative_rules.py",
    "transforms/reverse.py",
    "transforms/cotangents/accumulator.py",
    "transforms/cotangents/interface.py",
    "transforms/cotangents/pointwise.py",
)
"""What is mutated: the rule table, the macro and the representations."""

TESTS = (
    "tests/transforms/test_rules.py",
    "tests/transforms/test_array_rules.py",
    "tests/transforms/test_derivative_rules.py",
    "tests/transforms/test_reverse.py",
    "tests/transforms/test_sums.py",
    "tests/transforms/test_counting.py",
)
"""What runs against each mutant, as far as it reaches the changed function: the tests of these files that are quick."""

LEFT_OUT = ("c_templates", "deep", "core_language")
"""Of their tests, those that compile or take long, by parts of their names."""

COPIED = ("transforms", "harness", "tests/__init__.py", "tests/transforms")

SETTINGS = """\
[tool.mutmut]
source_paths = ["transforms"]
only_mutate = {files}
also_copy = ["harness"]
pytest_add_cli_args = ["-m", "not slow", "-k", "{selected}"]
pytest_add_cli_args_test_selection = {tests}
timeout_constant = 3.0
timeout_multiplier = 5.0
track_dependencies = false
use_git_change_detection = false

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "--strict-config", "--strict-markers", "-p", "no:cacheprovider"]
markers = ["slow: takes more than a few seconds"]
"""


class Fate(StrEnum):
    """What became of a generic mutant."""

    ASSERTION = "killed-assertion"
    CRASH = "killed-crash"
    TIMEOUT = "timeout"
    SURVIVED = "survived"
    UNREACHED = "unreached"
    """No test calls the function."""


TIMEOUTS = (24, -24, 36, 152, 255)
"""Exit codes of a run of tests that mutmut has stopped for the time it took."""


@dataclass(frozen=True, slots=True)
class Generic:
    """A generic mutant: the function it changes, the lines of it that differ, and what became of it."""

    name: str
    path: str
    function: str
    line: int
    removed: str
    added: str
    fate: Fate
    by: str
    """The first test that failed, if one did."""


class MutmutMissing(AdjudgeError):
    """mutmut is not installed in this environment."""


class ScratchFailed(AdjudgeError):
    """The tests fail in the scratch copy with nothing changed, or reach nothing that is mutated."""


class MutmutBroke(Exception):
    """mutmut stopped before it was through, or left something that cannot be read."""


def prepare(folder: Path, files: Sequence[str] = FILES) -> None:
    """Wipe the scratch copy and make it again."""
    shutil.rmtree(folder, ignore_errors=True)
    skip = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=skip)
        else:
            shutil.copy2(source, target)
    shutil.copy2(Path(__file__).with_name("scratch_conftest.py"), folder / "tests" / "conftest.py")
    selected = " and ".join(f"not {part}" for part in LEFT_OUT)
    text = SETTINGS.format(files=json.dumps(files), tests=json.dumps(TESTS), selected=selected)
    (folder / "pyproject.toml").write_text(text)


def run(folder: Path, jobs: int) -> None:
    """Let mutmut run in a scratch copy. Raises MutmutMissing, ScratchFailed and MutmutBroke."""
    program = Path(sys.executable).with_name("mutmut")
    if not program.is_file():
        raise MutmutMissing("mutmut is not installed in this environment: `make mutmut` installs it")
    command = [str(program), "run", "--max-children", str(jobs)]
    with (folder / "mutmut.log").open("w") as log:
        code = subprocess.run(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    if code:
        text = (folder / "mutmut.log").read_text(errors="replace")
        about_tests = any(sign in text for sign in ("failed to collect stats", "Failed to run clean test"))
        raise (ScratchFailed if about_tests else MutmutBroke)(f"mutmut ended with {code}:\n{text[-3000:]}")


def read(folder: Path, files: Sequence[str] = FILES) -> list[Generic]:
    """What mutmut has found, file by file, in its order. Raises MutmutBroke where a mutant was not run."""
    return [mutant for path in files for mutant in _read(folder, path)]


def _read(folder: Path, path: str) -> list[Generic]:
    meta = json.loads((folder / "mutants" / f"{path}.meta").read_text())
    text = (folder / "mutants" / path).read_text()
    defined, original = _functions(text), _functions((folder / path).read_text())
    found = []
    for name, code in meta["exit_code_by_key"].items():
        mangled = name.rpartition(".")[2]
        of, _, _ = mangled.partition("__mutmut_")
        function = of.removeprefix("x_")
        offset, removed, added = _change(original[function].lines, defined[mangled].lines)
        killer = folder / "killed-by" / name
        note = json.loads(killer.read_text()) if killer.exists() else {}
        line = original[function].line + offset
        fate = _fate(name, code, note)
        found.append(Generic(name, path, function, line, removed, added, fate, note.get("by", "")))
    return found


def _fate(name: str, code: int | None, note: Mapping[str, Any]) -> Fate:
    match code:
        case None:
            raise MutmutBroke(f"{name} was not run")
        case 0:
            return Fate.SURVIVED
        case 5 | 33:
            return Fate.UNREACHED
        case _ if code in TIMEOUTS:
            return Fate.TIMEOUT
        case _:
            return Fate.ASSERTION if note.get("kind") == "assertion" else Fate.CRASH


@dataclass(frozen=True, slots=True)
class _Function:
    line: int
    lines: list[str]


def _functions(text: str) -> dict[str, _Function]:
    """The top-level functions of a module; the first line of a mutant's is that of the function it changes."""
    lines, found = text.splitlines(), {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            own = lines[node.lineno - 1 : node.end_lineno]
            plain = node.name.partition("__mutmut_")[0].removeprefix("x_")
            own[0] = own[0].replace(node.name, plain, 1)
            found[node.name] = _Function(node.lineno, own)
    return found


def _change(before: Sequence[str], after: Sequence[str]) -> tuple[int, str, str]:
    """Where two versions of a function first differ, and the lines that only the one and only the other has.

    Blanks are set to one: an accepted change stays the same where columns are moved.
    """
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changed = [block for block in blocks if block[0] != "equal"]
    removed = [" ".join(line.split()) for _, start, end, _, _ in changed for line in before[start:end]]
    added = [" ".join(line.split()) for _, _, _, start, end in changed for line in after[start:end]]
    return changed[0][1], "\n".join(removed), "\n".join(added)
