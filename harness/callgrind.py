"""Exact instruction counts of compiled programs: those executed in `roi`, by valgrind's callgrind.

A count is of x86-64 instructions, and the same in every run. Nothing that looks like a count but may not be one is
returned: the program must end by itself with status 0 and say that it is complete, the profile must be whole, its parts
must add up to its total, and the total must not be 0 (a region that was inlined away, or has another name).
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path
from typing import Any

from harness import cache, doctor, native
from harness.errors import CountFailed, RunFailed, ToolMissing
from transforms.machines.c_text import source_name

REGION = "roi"
OPTIONS = (
    "-q", "--command-line-only=yes", "--vgdb=no", "--tool=callgrind", "--cache-sim=no", f"--toggle-collect={REGION}",
)  # fmt: skip
ENVIRONMENT = {"LC_ALL": "C"}
"""All that a program sees of it: a longer one moves the stack."""

COUNTING = 900.0
"""Seconds that a count may take; a program runs about fifty times slower than by itself."""

Place = tuple[str, int]
"""A file as the compiler knows it, and a line of it."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Instructions executed in all, and by line where the executable says its lines.

    The instructions of the functions that a line calls are those of the line too.
    """

    instructions: int
    by_line: Mapping[Place, int]


def count(executable: Path, arguments: Sequence[str] = ()) -> Profile:
    """The instructions that a program executes in `roi`, from the cache where they are there.

    Raises ToolMissing, CountFailed, and RunFailed for a program that does not end as it should.
    """
    valgrind, version = _valgrind()
    key = cache.key(executable.read_bytes(), *arguments, version, *OPTIONS)
    if known := cache.fetch("counts", key):
        if stored := _decoded(cache.content(known)):
            return stored
        cache.discard(known)
    with tempfile.TemporaryDirectory(prefix="adjudge-") as scratch:
        profile, log = Path(scratch) / "profile", Path(scratch) / "log"
        command = [
            *_fixed_addresses(), valgrind, *OPTIONS, f"--callgrind-out-file={profile}", f"--log-file={log}",
            str(executable), *arguments,
        ]  # fmt: skip
        try:
            native.finished(command, COUNTING, ENVIRONMENT)
        except RunFailed as error:
            said = log.read_text(errors="replace").strip()[-300:] if log.exists() else ""
            raise type(error)(f"{error}{' | valgrind: ' + said if said else ''}") from None
        if not profile.exists():
            raise CountFailed(f"{executable.name}: valgrind wrote no profile")
        found = parse(profile.read_text(errors="replace"))
    cache.store("counts", key, _encoded(found))
    return found


def count_many(sources: Iterable[str], level: str, lines: bool = False) -> list[Profile]:
    """The profiles of several C programs, in order, compiled and counted side by side: no count depends on the load.

    With `lines`, by line too. Raises as `native.build` and `count` do.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda source: count(native.build(source, level, lines=lines)), sources))


def series() -> str:
    """What counts depend on besides the program: the compiler and valgrind. Raises ToolMissing."""
    tools, (_, version) = native.toolchain(), _valgrind()
    return f"{tools} valgrind {version}"


def parse(text: str) -> Profile:
    """A callgrind profile. Raises CountFailed where it is cut off, does not add up, or counts nothing."""
    headers: dict[str, str] = {}
    files: dict[str, str] = {}
    by_line: Counter[Place] = Counter()
    width, column = 1, 0
    file, line, own, inclusive = "", 0, 0, False
    for row in text.splitlines():
        name, colon, value = row.partition(":")
        if row[:1].isdigit() or row[:1] in ("+", "-", "*"):
            words = row.split()
            try:
                line = _position(words[width - 1], line)
                cost = int(words[width + column]) if width + column < len(words) else 0
            except (ValueError, IndexError):
                raise CountFailed(f"the profile has a line that is no cost: {row[:60]!r}") from None
            by_line[file, line] += cost
            own += 0 if inclusive else cost
            inclusive = False
        elif row.startswith("calls="):
            inclusive = True  # the next line is what the callee cost, which stands with the callee too
        elif row[:3] in ("fl=", "fi=", "fe="):
            file = _named(files, row[3:])
        elif row[:4] in ("cfi=", "cfl="):
            _named(files, row[4:])
        elif colon and name.isalpha():
            headers[name] = value.strip()
            if name == "positions":
                width = len(value.split())
            elif name == "events":
                if "Ir" not in value.split():
                    raise CountFailed(f"the profile counts {value.strip()}, not Ir")
                column = value.split().index("Ir")
    return Profile(_total(headers, column, own), {place: n for place, n in by_line.items() if n})


def of_file(profile: Profile, file: str) -> dict[int, int]:
    """The instructions of each line of one file, named as in the C program's `#line`."""
    name = source_name(file)
    return {
        line: n for (found, line), n in sorted(profile.by_line.items()) if found == name or found.endswith(f"/{name}")
    }


def _total(headers: Mapping[str, str], column: int, counted: int) -> int:
    said = headers.get("totals", headers.get("summary", "")).split()
    if "events" not in headers or len(said) <= column or not said[column].isdecimal():
        raise CountFailed("the profile has no total: it is cut off, or is none")
    total = int(said[column])
    if total != counted:
        raise CountFailed(f"the profile does not add up: its total is {total:,}, its lines say {counted:,}")
    if total == 0:
        raise CountFailed(f"no instruction was counted: the program has no function {REGION}, or it did not run")
    return total


def _named(names: dict[str, str], text: str) -> str:
    """The name that `(id) name` introduces, or `(id)` stands for."""
    key, _, name = text.partition(" ")
    if not key.startswith("("):
        return text
    return names.setdefault(key, name) if name else names.get(key, "")


def _position(text: str, before: int) -> int:
    """A line number, perhaps relative to the one before."""
    if text == "*":
        return before
    return before + int(text) if text[0] in "+-" else int(text, 0)


def _valgrind() -> tuple[str, str]:
    return _valgrind_on(os.environ.get("PATH", os.defpath))


@once
def _valgrind_on(path: str) -> tuple[str, str]:
    command, tool = doctor.look_for("valgrind", path)
    if not command or not tool.version:
        raise ToolMissing(f"valgrind: {tool.problem}", tool.fix)
    return command, tool.version


@once
def _fixed_addresses() -> tuple[str, ...]:
    """What turns address randomisation off, where that is allowed; a static program's counts are the same without."""
    command = ("setarch", platform.machine(), "-R")
    try:
        allowed = subprocess.run((*command, "true"), check=False, capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        allowed = False
    return command if allowed else ()


def _encoded(profile: Profile) -> bytes:
    lines = [[*place, n] for place, n in profile.by_line.items()]
    return json.dumps({"instructions": profile.instructions, "by_line": lines}).encode()


def _decoded(data: bytes) -> Profile | None:
    """The profile in an entry of the cache; None where that is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    match found:
        case {"instructions": total, "by_line": list(lines)} if _is_count(total) and all(map(_is_cost, lines)):
            return Profile(total, {(file, line): n for file, line, n in lines})
    return None


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0


def _is_cost(entry: Any) -> bool:
    return isinstance(entry, list) and list(map(type, entry)) == [str, int, int] and entry[2] > 0
