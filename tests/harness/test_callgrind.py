"""Counts of instructions are exact and repeatable, or they are errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from harness import cache, callgrind, compiled, families, native
from harness.errors import CacheDamaged, CountFailed, Incomplete, RunFailed, RunTimedOut, ToolMissing
from transforms.drivers import TRANSFORMATIONS
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.parse import parse


def _counts() -> bool:
    try:
        return bool(callgrind.series())
    except ToolMissing:
        return False


counts = pytest.mark.skipif(not _counts(), reason="no valgrind or no C compiler")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


# Reading a profile.

PROFILE = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 7
cmd:  ./p
part: 1


desc: I1 cache: 
desc: Trigger: Program termination

positions: line
events: Ir
summary: 143

ob=(1) p
fl=(1) a file.mg
fn=(1) part0
3 10
+2 20
fi=(2) other.h
9 5
fe=(1)
* 3
calls=2 12
-4 100
fn=(2) exp
fl=(3) ???
0 100
fl=(1)
fn=(3) roi
7 5
cfi=(1)
cfn=(1)
calls=1 3
+1 138

totals: 143
"""  # noqa: W291


def test_a_profile_is_read_by_its_names_and_relative_lines():
    """Line 3: 10; 5: 20; 9 of the header: 5, and of the file 3; line 5 again: a call that costs 100; roi 5 and 138."""
    found = callgrind.parse(PROFILE.replace("summary: 143", "summary: 9"))
    assert found.instructions == 143
    assert found.by_line == {
        ("a file.mg", 3): 10, ("a file.mg", 5): 120, ("other.h", 9): 5, ("a file.mg", 9): 3, ("???", 0): 100,
        ("a file.mg", 7): 5, ("a file.mg", 8): 138,
    }  # fmt: skip
    assert callgrind.of_file(found, "a file.mg") == {3: 10, 5: 120, 7: 5, 8: 138, 9: 3}
    assert callgrind.of_file(callgrind.parse(PROFILE.replace(") a file", ") //dir/a file")), "a file.mg")[5] == 120


def test_columns_are_found_by_the_events_and_positions_they_are_of():
    text = "positions: instr line\nevents: Dr Ir\nfn=(1) roi\n0x10 3 7 20\n+4 +1 1 22\n+4 * 5\n\ntotals: 13 42\n"
    assert callgrind.parse(text).instructions == 42
    assert callgrind.parse(text).by_line == {("", 3): 20, ("", 4): 22}


def test_without_totals_the_summary_counts():
    assert callgrind.parse(PROFILE.replace("totals: 143\n", "")).instructions == 143


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        ("", "no total"),
        (PROFILE.replace("totals: 143\n", "").replace("summary: 143\n", ""), "no total"),
        (PROFILE.replace("events: Ir\n", ""), "no total"),
        (PROFILE.replace("events: Ir", "events: Dr"), "counts Dr, not Ir"),
        (PROFILE.replace("totals: 143", "totals: many"), "no total"),
        (PROFILE.replace("totals: 143", "totals: 142"), "does not add up: its total is 142, its lines say 143"),
        (PROFILE[: PROFILE.index("fn=(3)")], "does not add up"),
        (PROFILE.replace("9 5", "9 five"), "a line that is no cost: '9 five'"),
        ("positions: line\nevents: Ir\n\ntotals: 0\n", "no instruction was counted"),
    ],
    ids=["empty", "total", "events", "other", "words", "sum", "cut", "cost", "zero"],
)
def test_a_profile_that_is_cut_off_or_counts_nothing_is_an_error(damaged: str, says: str):
    with pytest.raises(CountFailed, match=says):
        callgrind.parse(damaged)


# Counting.


def c(roi: str, main: str = 'roi(); puts("complete"); return 0;') -> str:
    head = "#include <stdio.h>\n#include <stdlib.h>\n__attribute__((noinline, noclone)) void roi(void) {\n"
    return f'{head}{roi}\n__asm__ volatile("" ::: "memory");\n}}\nint main(void) {{ {main} }}\n'


@counts
def test_the_region_alone_is_counted():
    """At -O2 an empty region is one instruction, its return; what surrounds it does not matter."""
    assert callgrind.count(native.build(c(""), "O2")).instructions == 1
    busy = 'for (volatile int i = 0; i < 9; i++); roi(); puts("complete"); return 0;'
    assert callgrind.count(native.build(c("", busy), "O2")).instructions == 1
    assert callgrind.count(native.build(c('__asm__ volatile("nop; nop; nop");'), "O2")).instructions == 4


@counts
@pytest.mark.parametrize(
    ("source", "error", "says"),
    [
        (c("").replace("roi", "region"), CountFailed, "has no function roi"),
        (c("", 'puts("complete"); return 0;'), CountFailed, "it did not run"),
        (c("", "roi(); return 0;"), Incomplete, "expected a last line 'complete'"),
        (c("", 'roi(); puts("complete"); fflush(stdout); return 3;'), RunFailed, "exit status 3"),
        (c("", 'roi(); puts("complete"); fflush(stdout); abort();'), RunFailed, "SIGABRT"),
        (c('__asm__ volatile("ud2");'), RunFailed, "SIGILL"),
        (c("exit(0);"), Incomplete, "expected a last line 'complete'"),
    ],
    ids=["name", "skipped", "incomplete", "status", "crash", "illegal", "exit"],
)
def test_a_plausible_profile_of_a_run_that_went_wrong_is_no_count(source, error, says, folder):
    with pytest.raises(error, match=says):
        callgrind.count(native.build(source))
    assert not (folder / "counts").exists()


@counts
def test_a_program_that_loops_is_stopped(monkeypatch):
    monkeypatch.setattr(callgrind, "COUNTING", 1.0)
    with pytest.raises(RunTimedOut):
        callgrind.count(native.build(c('for (;;) __asm__ volatile("");')))


def test_without_valgrind_the_reason_and_the_command_are_given(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match=r"valgrind: not found; to install: .*apt-get install -y valgrind"):
        callgrind.count(tmp_path / "program")


@counts
def test_a_count_comes_from_the_cache_and_a_damaged_one_is_made_again(folder, monkeypatch):
    built = native.build(compiled.value(parse("x * y"), {"x": 3.0, "y": 5.0}).source())
    first = callgrind.count(built)
    (entry,) = (folder / "counts").iterdir()
    assert json.loads(cache.content(entry))["instructions"] == first.instructions
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", None)
        assert callgrind.count(built) == first
    entry.write_bytes(entry.read_bytes().replace(b'"instructions": ', b'"instructions": 1'))
    with pytest.warns(CacheDamaged):
        assert callgrind.count(built) == first


@counts
def test_other_programs_and_arguments_have_other_entries(folder):
    for body in ("", '__asm__ volatile("nop");'):
        callgrind.count(native.build(c(body)))
    callgrind.count(native.build(c("")), ["7"])
    assert len(list((folder / "counts").iterdir())) == 3


@counts
def test_several_programs_are_counted_side_by_side_in_order():
    sources = [c('__asm__ volatile("nop");' * k) for k in range(6)]
    found = [profile.instructions for profile in callgrind.count_many(sources, "O2")]
    assert found == [1 + k for k in range(6)]


@counts
def test_costs_stand_at_the_lines_of_the_source_with_the_functions_they_call():
    text = "let x = [[1.0, 2.0, 3.0]]\n\nlet y = exp(x)\nlet z = y * 2.0\nprint z\n"
    file = 'a "b" c.mg'
    source = compiled.straight(inline(lower(text, file), text)).source()
    found = callgrind.count(native.build(source, lines=True))
    lines = callgrind.of_file(found, file)
    assert list(lines) == [3, 4]
    assert lines[3] > 3 * 20 + lines[4]
    assert 0 < found.instructions - sum(lines.values()) < 30
    assert callgrind.count(native.build(source)).instructions == found.instructions


@counts
def test_nothing_is_copied_or_cleared_by_instructions_that_repeat():
    """A copy of n doubles costs in proportion to n at both levels, and is no call of memcpy or memset."""
    for level in native.LEVELS:
        costs = []
        for n in (1000, 2000):
            roi = f"extern double a[], b[]; for (long i = 0; i < {n}; i++) {{ a[i] = b[i]; b[i] = 0.0; }}"
            costs.append(callgrind.count(native.build(f"double a[{n}], b[{n}];\n{c(roi)}", level)).instructions)
        per_double = (costs[1] - costs[0]) / 1000
        assert 4 <= per_double <= 20 and costs[0] < 1000 * per_double + 20


@counts
def test_inputs_are_not_folded_at_o2():
    """A product of two known matrices is computed all the same: 2 x 8 x 8 x 8 operations or more."""
    rng = np.random.default_rng(3)
    text = "".join(f"let {name} = {rng.random((8, 8)).tolist()}\n" for name in "ab") + "print a @ b\n"
    emitted = compiled.straight(inline(lower(text), text))
    assert callgrind.count(native.build(emitted.source(), "O2")).instructions > 2 * 8**3


@counts
@pytest.mark.slow
def test_counts_are_the_same_in_ten_runs_in_another_environment_and_under_load(monkeypatch, tmp_path):
    program = families.sigmoid_square(64)
    sources = [
        compiled.gradient(judged, program, families.at_ones(program), 1.0).source()
        for judged in TRANSFORMATIONS.values()
    ]  # fmt: skip

    def fresh(k: int) -> list[int]:
        monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / f"cache{k}"))
        return [p.instructions for level in native.LEVELS for p in callgrind.count_many(sources, level)]

    found = [fresh(k) for k in range(10)]
    monkeypatch.setattr(callgrind, "ENVIRONMENT", {"LC_ALL": "C.UTF-8", "HOME": "/nowhere", "LONG": "x" * 10_000})
    found.append(fresh(10))
    monkeypatch.setattr(callgrind, "_fixed_addresses", lambda: ())
    found.append(fresh(11))
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        found.append(fresh(12))
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert len({tuple(counts) for counts in found}) == 1


@counts
@pytest.mark.parametrize(
    "forged",
    [b"", b"\xff", b"[" * 100_000, b"[]", b'{"instructions": 7}', b'{"instructions": 7, "by_line": [[1, 2]]}',
     b'{"instructions": true, "by_line": []}', b'{"instructions": 7, "by_line": [["a", 1, 1e999]]}'],
)  # fmt: skip
def test_an_entry_that_is_no_profile_is_made_again_though_its_checksum_fits(forged: bytes, folder):
    built = native.build(c(""), "O2")
    first = callgrind.count(built)
    (entry,) = (folder / "counts").iterdir()
    cache.store("counts", entry.name, forged)
    with pytest.warns(CacheDamaged):
        assert callgrind.count(built) == first
    assert callgrind.count(built) == first
