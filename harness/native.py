"""Compiling and running C programs of the C machine, with the flags that make instruction counts comparable.

Compiled for plain x86-64, statically: with musl where there is `musl-gcc`, so that neither start-up nor mathematical
functions depend on the machine; else with what `cc -static` links, whose counts are a series of their own. Nothing is
vectorised, for that would change the unit, and copy and zero loops stay loops.
"""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

import numpy as np

from harness import cache, doctor
from harness.errors import CompileFailed, Incomplete, RunFailed, RunTimedOut, ToolMissing
from transforms.machines.c_text import COMPLETE, PEAK

FLAGS = (
    "-std=c11", "-fno-tree-vectorize", "-march=x86-64", "-mtune=generic", "-ffp-contract=off", "-fno-pie", "-no-pie",
    "-static", "-fcf-protection=none", "-mmemcpy-strategy=libcall:-1:noalign", "-mmemset-strategy=libcall:-1:noalign",
    "-fno-tree-loop-distribute-patterns", "-w",
)  # fmt: skip
LEVELS = ("O0", "O2")

SMALLEST = "int main(void) { return 0; }\n"
"""What a compiler must compile to be used: it may have no static library, or not know the flags."""

COMPILING = 600.0
"""Seconds that a compilation may take."""

RUNNING = 60.0
"""Seconds that a program may run, unless told otherwise."""

DOUBLE = 8
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A C compiler: its command, the name of the series of counts that it makes, and its version."""

    command: str
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def toolchain() -> Toolchain:
    """The compiler to use. Raises ToolMissing."""
    return _toolchain(os.environ.get("PATH", os.defpath))


@once
def _toolchain(path: str) -> Toolchain:
    if platform.machine() not in ("x86_64", "AMD64"):
        raise ToolMissing(f"native programs are for x86-64, found {platform.machine()}", "run on such a machine")
    problems = []
    for name, series in (("musl-gcc", "musl-gcc"), ("cc", "cc-static")):
        command, tool = doctor.look_for(name, path)
        problem = tool.problem
        if command and tool.version:
            found = Toolchain(command, series, tool.version)
            try:
                _compile(found, FLAGS, SMALLEST)
            except CompileFailed as error:  # no static library, or flags of another compiler
                problem = str(error)
            else:
                return found
        problems.append(f"{name}: {problem}")
    raise ToolMissing(f"no C compiler ({'; '.join(problems)})", tool.fix)


def build(source: str, level: str = "O0", lines: bool = False) -> Path:
    """The executable of a C program at one of `LEVELS`, from the cache where it is there.

    With `lines` it says where its instructions come from in the source. Raises ToolMissing, CompileFailed.
    """
    tools = toolchain()
    flags = (f"-{level}", *FLAGS, *(("-g",) if lines else ()))
    key = cache.key(source, *flags, str(tools))
    if (known := cache.fetch("programs", key)) and os.access(known, os.X_OK):
        return known
    return cache.store("programs", key, _compile(tools, flags, source), 0o755)


def _compile(tools: Toolchain, flags: Sequence[str], source: str) -> bytes:
    """The executable of a C program. Raises CompileFailed."""
    with tempfile.TemporaryDirectory(prefix="adjudge-") as scratch:
        executable = Path(scratch) / "program"
        # From standard input and at the root, so that no name of this run gets into the executable.
        command = [tools.command, *flags, "-x", "c", "-", "-o", str(executable), "-lm"]
        try:
            done = subprocess.run(
                command,
                input=source.encode(),
                cwd="/",
                env={**os.environ, "TMPDIR": scratch},  # a compiler that is killed leaves files behind
                check=False,
                capture_output=True,
                timeout=COMPILING,
            )
        except subprocess.TimeoutExpired:
            raise CompileFailed(f"{tools}: not done within {COMPILING:g} s") from None
        if done.returncode or not executable.exists():
            said = done.stderr.decode(errors="replace").strip().split("\n")
            raise CompileFailed(f"{tools}: exit status {done.returncode}: {' | '.join(said[:5])}")
        return executable.read_bytes()


def run(executable: Path, timeout: float = RUNNING, status: int = 0) -> list[np.ndarray]:
    """The results that a program prints, as arrays of doubles (NaN is one); reals as arrays of shape ().

    `status` is the exit status it should end with. Raises RunFailed, of which RunTimedOut and Incomplete are kinds.
    """
    lines = finished([str(executable)], timeout, status=status)
    return [_result(line) for line in lines if not line.startswith(PEAK)]


def peak_memory(executable: Path, timeout: float = RUNNING) -> int:
    """The most bytes of arrays alive at once, inputs and literals apart, as a memory build counts them."""
    *_, line = ["", *finished([str(executable)], timeout)]
    name, _, doubles = line.partition(" ")
    if name != PEAK or not doubles.isdecimal():
        raise Incomplete(f"the program: expected a line '{PEAK} N', found {line[:60]!r}")
    return int(doubles) * DOUBLE


def finished(
    command: Sequence[str], timeout: float, environment: dict[str, str] | None = None, status: int = 0
) -> list[str]:
    """The lines that a command prints before the line that says it is complete.

    Raises RunFailed where it ends otherwise than with `status`, RunTimedOut, and Incomplete where that line is missing.
    """
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, check=False, capture_output=True, timeout=timeout, env=environment
        )
    except subprocess.TimeoutExpired:
        raise RunTimedOut(f"the program was not done within {timeout:g} s") from None
    except OSError as error:
        raise RunFailed(f"the program cannot be run: {error.strerror}") from None
    said = done.stderr.decode(errors="replace").strip()[-200:]
    if done.returncode != status:
        raise RunFailed(f"the program: {_status(done.returncode)}{': ' + said if said else ''}")
    *lines, last, rest = ["", *done.stdout.decode(errors="replace").split("\n")]
    if last != COMPLETE or rest:
        found = f"{len(done.stdout)} bytes that end in {done.stdout[-40:]!r}"
        raise Incomplete(f"the program: expected a last line {COMPLETE!r}, found {found}")
    return lines[1:]


def _status(returncode: int) -> str:
    if returncode >= 0:
        return f"exit status {returncode}"
    known = {member.value: member for member in signal.Signals}
    number = known.get(-returncode)
    return f"killed by {number.name} ({signal.strsignal(number)})" if number else f"killed by signal {-returncode}"


def _result(line: str) -> np.ndarray:
    shape, _, entries = line.partition(":")
    try:
        sizes = () if shape == "real" else tuple([int(n) for n in shape.split("x")])
        return np.array([float(entry) for entry in entries.split()]).reshape(sizes)
    except ValueError:
        raise Incomplete(f"the program: expected a line of a shape and its numbers, found {line[:60]!r}") from None
