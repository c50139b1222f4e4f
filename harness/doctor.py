"""Doctor: which tools are found on this machine, in which version, and what is skipped without each.

Looking changes nothing, and no tool, however broken, makes it fail: what cannot be asked for its version is a finding.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

PATIENCE = 10.0
"""Seconds that a tool has to say its version."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that something is skipped without; `commands` are tried in order, `packages` are Debian's."""

    name: str
    commands: tuple[str, ...]
    packages: str
    skipped: str

    @property
    def fix(self) -> str:
        """The one command that installs it."""
        return f"{'' if os.geteuid() == 0 else 'sudo '}apt-get install -y {self.packages}"


@dataclass(frozen=True, slots=True)
class Tool:
    """What was found of one tool: its version, or None and the problem; what is skipped without it; the fix."""

    name: str
    version: str | None
    problem: str
    skipped: str
    fix: str


PROGRAMS = (
    Program("cc", ("cc", "gcc", "clang"), "gcc libc6-dev", "native programs and their instruction counts"),
    Program("musl-gcc", ("musl-gcc",), "musl-tools", "instruction counts against musl; `cc -static` is its own series"),
    Program("valgrind", ("valgrind",), "valgrind", "instruction counts"),
    Program("chromium", ("chromium", "chromium-browser", "google-chrome"), "chromium", "pictures of the report's page"),
    Program("node", ("node", "nodejs"), "nodejs", "nothing: type checks use the node that comes as a package"),
)  # fmt: skip

EXTRAS = {
    "mlir": "`adjudge mg ir` and programs in .mlir files",
    "mutmut": "`make mutmut`, which installs it",
    "dev": "`make test` and `make lint`",
}
"""What is skipped without the packages of each set of extras."""


def examine(path: str | None = None, patience: float = PATIENCE) -> list[Tool]:
    """Python, the programs and the packages, in a fixed order; programs are looked for on `path` (default: PATH)."""
    python = Tool("python", platform.python_version(), "", "everything", "make PYTHON=python3.11")
    return [python, *(_look_for(program, path, patience)[1] for program in PROGRAMS), *_packages()]


def look_for(name: str, path: str | None = None, patience: float = PATIENCE) -> tuple[str | None, Tool]:
    """The command of one of `PROGRAMS`, None where it is not found, and what was found of it."""
    return _look_for(next(program for program in PROGRAMS if program.name == name), path, patience)


def _look_for(program: Program, path: str | None, patience: float) -> tuple[str | None, Tool]:
    found = [command for name in program.commands if (command := shutil.which(name, path=path))]
    version, problem = _ask(found[0], patience) if found else (None, "not found")
    return next(iter(found), None), Tool(program.name, version, problem, program.skipped, program.fix)


def _ask(command: str, patience: float) -> tuple[str | None, str]:
    """The version that a program prints, or the problem with it."""
    # Into a file: a pipe held open by a child of the program would outlast the patience.
    with tempfile.TemporaryFile() as file:
        try:
            status = subprocess.run(
                [command, "--version"],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                timeout=patience,
            ).returncode
        except subprocess.TimeoutExpired:
            return None, f"{command} --version: no answer within {patience:g} s"
        except OSError as error:
            return None, f"{command}: {error.strerror}"
        file.seek(0)
        answer = file.read(4096).decode(errors="replace")
    number = re.search(r"\d+(\.\d+)+", answer)
    if status or number is None:
        return None, f"{command} --version: exit status {status}, {answer.strip()[:80]!r}"
    return number[0], ""


def _packages() -> Iterator[Tool]:
    """The Python packages that the installed adjudge asks for."""
    try:
        requirements = metadata.requires("adjudge") or []
    except metadata.PackageNotFoundError:
        fix = f"{sys.executable} -m pip install --editable ."
        yield Tool("adjudge", None, "not installed in this environment", "the packages it needs are not known", fix)
        return
    for requirement in requirements:
        specifier, _, condition = (part.strip() for part in requirement.partition(";"))
        name = re.split(r"[^\w.-]", specifier, maxsplit=1)[0]
        if name == "adjudge":  # one set of extras asks for another
            continue
        extra = re.search(r"extra == ['\"](.*?)['\"]", condition)
        skipped = EXTRAS.get(extra[1], EXTRAS["dev"]) if extra else "everything"
        fix = f"{sys.executable} -m pip install '{specifier}'"
        try:
            yield Tool(name, metadata.version(name), "", skipped, fix)
        except metadata.PackageNotFoundError:
            yield Tool(name, None, "not installed in this environment", skipped, fix)
