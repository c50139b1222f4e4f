"""Documents whose examples are run, and must print what they show.

A document shows files, each below a line with its name; sessions of the command line, which begin with `$ adjudge`; and
Python as at a console, with `>>>`, all of which shares its names from top to bottom. Where counts of instructions are
needed, `<!-- needs valgrind -->` stands above the Python.
"""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from adjudge import main
from harness import callgrind
from harness.errors import ToolMissing

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^(<!-- needs valgrind -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^`(\S+\.\w+)`:\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Session:
    """One command and what it prints, of a document that shows these files."""

    document: str
    command: str
    printed: str
    files: dict[str, str]

    @property
    def expected(self) -> tuple[int, list[str]]:
        """The status, which is 1 where a check says that it fails, and the lines."""
        return int("FAILS" in self.printed), rounded(self.printed)

    def __str__(self) -> str:
        return f"{self.document}: {self.command}"


def text(name: str) -> str:
    """A document, named from the root."""
    return (ROOT / name).read_text(encoding="utf-8")


def files(name: str) -> dict[str, str]:
    """The files that a document shows, by their names."""
    return dict(NAMED.findall(text(name)))


def sessions(name: str) -> list[Session]:
    """The commands that a document shows."""
    shown = files(name)
    found = [body for _, _, body in FENCE.findall(text(name)) if body.startswith("$ adjudge ")]
    split = [body[2:].partition("\n") for body in found]
    return [Session(name, command, printed, shown) for command, _, printed in split]


def run(session: Session, folder: Path) -> tuple[int, list[str]]:
    """The status and the lines of a command, run in a folder, the current one, that has the document's files."""
    for name, content in session.files.items():
        (folder / name).write_text(content)
        sys.modules.pop(Path(name).stem, None)
    done = CliRunner().invoke(main, shlex.split(session.command)[1:])
    return done.exit_code, rounded(done.output)


def rounded(printed: str) -> list[str]:
    """Lines with long fractions at nine digits: the last ones are the C library's."""
    shorter = re.sub(r"\d+\.\d{8,}(e[-+]\d+)?", lambda found: f"{float(found[0]):.9g}", printed)
    return [line.rstrip() for line in shorter.splitlines()]


def counted() -> str | None:
    """Why instructions cannot be counted here; None where they can."""
    try:
        callgrind.series()
    except ToolMissing as missing:
        return str(missing)
    return None


def converse(name: str, folder: Path) -> int:
    """Run a document's Python from top to bottom, but what needs a tool that is missing; how many statements ran.

    Fails with what was printed instead.
    """
    for file, content in files(name).items():
        (folder / file).write_text(content)
    able = counted() is None
    body = "\n".join(
        code for needs, _, code in FENCE.findall(text(name)) if code.startswith(">>> ") and (able or not needs)
    )
    test = doctest.DocTestParser().get_doctest(body, {}, name, name, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
    return result.attempted
