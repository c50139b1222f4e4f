"""What a run was a run of: its code, and what it ran on."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness import records
from harness.records import Record

ROOT = Path(__file__).parent.parent

JUDGED = ("harness", "mutants", "transforms")
"""The packages on which results depend."""


def provenance(seed: int, quick: bool) -> Record:
    """The first record of a run: what it was a run of, and on what."""
    return {
        "kind": "run",
        "schema": records.SCHEMA,
        "version": _version(),
        "commit": _commit(),
        "seed": seed,
        "quick": quick,
        "platform": f"{platform.system()}-{platform.machine()}",
        "toolchain": toolchain(),
    }


def toolchain() -> str:
    """The versions of what computes the results."""
    return f"python-{platform.python_version()} numpy-{version('numpy')}"


def sources() -> str:
    """A digest of the code on which results depend: a result of other code would be a lie."""
    digest = hashlib.sha256()
    for package in JUDGED:
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix in (".py", ".lark"):
                digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _version() -> str:
    try:
        return version("adjudge")
    except PackageNotFoundError:
        return "unknown"


def _commit() -> str | None:
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],
            cwd=ROOT, capture_output=True, text=True, timeout=5, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
