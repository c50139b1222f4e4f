"""Hostile entries of the cache."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from random import Random

import pytest

from harness import cache, callgrind, native
from harness.errors import CacheDamaged
from tests.fuzz.mutations import damaged, edited, spelt
from tests.fuzz.trial import limits, tries

COUNTS = {"instructions": 143, "by_line": [["a file.mg", 3, 10], ["", 5, 120], ["???", 0, 13]]}
PROFILE = "events: Ir\nfn=(1) roi\n3 7\n\ntotals: 7\n"
MADE = callgrind.parse(PROFILE)


@limits
def test_an_entry_that_is_not_what_was_stored_is_a_miss():
    content = json.dumps(COUNTS).encode()

    def entry(rng: Random) -> tuple[str, bytes]:
        """What to do to the entry, and bytes."""
        return rng.choice(("bytes", "bytes", "bytes", "another", "folder", "gone")), rng.randbytes(8)

    def attempt(given: tuple[str, bytes]) -> str:
        what, seed = given
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
            patched.setenv("ADJUDGE_CACHE", folder)
            path, other = cache.store("counts", "k", content), cache.store("counts", "other", content)
            whole = path.read_bytes()
            if what == "bytes":
                path.write_bytes(damaged(Random(seed), whole))
            elif what == "another":
                path.write_bytes(other.read_bytes())
            else:
                path.unlink()
            if what == "folder":
                path.mkdir()
            same = path.is_file() and path.read_bytes() == whole
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CacheDamaged)
                found = cache.fetch("counts", "k")
            assert (found is not None) == same
            assert cache.content(cache.store("counts", "k", content)) == content
            return "hit" if found else "miss"

    assert tries(entry, attempt)["miss"]


@limits
def test_a_forged_count_is_made_again():
    def forged(rng: Random) -> bytes:
        return spelt(rng, edited(rng, COUNTS)) if rng.random() < 0.9 else damaged(rng, json.dumps(COUNTS).encode())

    def attempt(content: bytes) -> str:
        """Count a program whose entry has this content and the right checksum, with a profiler that is played."""
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
            patched.setenv("ADJUDGE_CACHE", folder)
            patched.setattr(callgrind, "_valgrind", lambda: ("valgrind", "3"))
            patched.setattr(native, "finished", _profiler)
            program = Path(folder) / "program"
            program.write_bytes(b"")
            key = cache.key(b"", "3", *callgrind.OPTIONS)
            cache.store("counts", key, content)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CacheDamaged)
                found = callgrind.count(program)
            assert type(found.instructions) is int and found.instructions > 0
            assert callgrind.count(program) == found
            return "miss" if found == MADE else "hit"

    outcomes = tries(forged, attempt)
    assert outcomes["miss"] and outcomes["hit"]


def _profiler(command: list[str], *_: object) -> None:
    (profile,) = (Path(arg.partition("=")[2]) for arg in command if arg.startswith("--callgrind-out-file="))
    profile.write_text(PROFILE)
