"""Native code computes what the machines compute; what goes wrong is said, and leaves nothing wrong behind."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from dataclasses import replace
from math import inf, isnan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from harness import cache, compiled, families, native
from harness.errors import (
    CacheDamaged,
    CacheUnusable,
    CompileFailed,
    Incomplete,
    RunFailed,
    RunTimedOut,
    ToolMissing,
)
from harness.random_terms import random_program
from transforms.drivers import TRANSFORMATIONS, gradient, value
from transforms.errors import AdjudgeError
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.judged import MATRICES
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.run import run
from transforms.parse import parse

BOTH = pytest.mark.parametrize("name", TRANSFORMATIONS)
ROUNDED = ("add", "sub", "mul", "div", "neg", "sqrt", "abs", "max", "min", "relu")
"""Primitives whose results IEEE arithmetic fixes to the last bit."""


def _compiler() -> str:
    try:
        return native.toolchain().command
    except AdjudgeError:
        return ""


pytestmark = pytest.mark.skipif(not _compiler(), reason="no C compiler")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def flat(value: Any) -> list[float]:
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]


@BOTH
def test_the_first_example(name: str):
    program, point = parse("<x1*x2, x1+x2>"), {"x1": 3.0, "x2": 5.0}
    for cotangent, expected in (((1.0, 0.0), (5.0, 3.0)), ((0.0, 1.0), (1.0, 1.0))):
        emitted = compiled.gradient(TRANSFORMATIONS[name], program, point, cotangent)
        assert emitted.run() == emitted.run("O2") == ((15.0, 8.0), expected)


@BOTH
@pytest.mark.parametrize("level", native.LEVELS)
def test_arithmetic_gradients_of_random_programs_are_those_of_the_counting_machine_to_the_bit(name: str, level: str):
    for seed in range(4):
        sample = random_program(Random(seed), size=60, result=None, smooth=False, primitives=ROUNDED)
        found = gradient(TRANSFORMATIONS[name], sample.program, sample.point, sample.cotangent)
        emitted = compiled.gradient(TRANSFORMATIONS[name], sample.program, sample.point, sample.cotangent)
        assert flat(emitted.run(level)) == flat((found.primal, tuple(found.cotangent.values())))


@BOTH
def test_gradients_of_random_programs_are_those_of_the_counting_machine_to_a_few_units(name: str):
    """Exponentials and their like may round differently, and a program magnifies that."""
    for seed in range(10, 18):
        sample = random_program(Random(seed), size=40, result=None)
        found = gradient(TRANSFORMATIONS[name], sample.program, sample.point, sample.cotangent)
        emitted = compiled.gradient(TRANSFORMATIONS[name], sample.program, sample.point, sample.cotangent)
        expected = flat((found.primal, tuple(found.cotangent.values())))
        assert flat(emitted.run()) == pytest.approx(expected, rel=1e-12, abs=1e-12 * max(map(abs, expected)))


@pytest.mark.parametrize(
    ("program", "point"),
    [
        (families.product(40), {f"x{k}": 1.0 + k / 64 for k in range(1, 41)}),
        (families.square(8, 64), {f"x{k}": 1.0 + k / 1024 for k in range(1, 65)}),
        (families.doubling(30), {"x": 0.75}),
        (families.projection(12), {f"x{k}": float(k) for k in range(1, 13)}),
    ],
    ids=["product", "square", "doubling", "projection"],
)
def test_families_are_those_of_the_counting_machine_to_the_bit(program, point):
    assert compiled.value(program, point).run() == value(program, point)[0]
    for judged in TRANSFORMATIONS.values():
        found = gradient(judged, program, point, 3.0)
        emitted = compiled.gradient(judged, program, point, 3.0)
        assert emitted.run() == (found.primal, tuple(found.cotangent.values()))


GOAT = """\
let x = [[0.5, -1.0], [2.0, 1.0]]
let double = [[1.0, 2.0], [3.0, 4.0]]
let int = relu(x @ double)
print col_sum(row_sum(int * 2.0))
print row_max(exp(x)) / col_mean(double)
"""


def test_a_mountain_goat_program_prints_what_it_prints_on_the_numpy_machine():
    """Names that are keywords of C among its own, and a file with a space and a quote."""
    line = inline(lower(GOAT, 'my "file".mg'), GOAT)
    found = compiled.straight(line).run()
    assert found[0].tolist() == [[26.0]]
    for array, expected in zip(found, run(line), strict=True):
        assert np.allclose(array, expected, rtol=1e-14, atol=0)


def test_a_program_is_simplified_and_emitted_by_what_is_judged():
    line = inline(lower(GOAT), GOAT)
    asked = []

    def simplify(straight, level):
        asked.append(level)
        return straight

    def kernels(machine, straight, limits):
        asked.append(limits.zero)
        return MATRICES.drivers.kernels(machine, straight, limits)[:1]

    judged = replace(MATRICES, drivers=replace(MATRICES.drivers, simplify=simplify, kernels=kernels))
    for level in ("exact", "reassociate"):
        assert [array.tolist() for array in compiled.straight(line, level, judged).run()] == [[[26.0]]]
    assert asked == ["exact", True, "reassociate", False]


def test_a_program_that_stops_at_run_time_results_in_what_it_printed_before():
    text = "def f(a: tensor[?x2]) = a + a\nlet x = [[1.0, 2.0]]\nprint f(x)\n"
    text += "def g(a: tensor[?x?], b: tensor[?x?]) = a @ b\nprint g(x, x)\n"
    line = inline(lower(text, "p.mg"), text)
    assert line.stop
    emitted = compiled.straight(line)
    assert [array.tolist() for array in emitted.run()] == [[[2.0, 4.0]]]
    with pytest.raises(RunFailed, match=r"exit status 134: .*p\.mg:"):
        native.run(native.build(emitted.source()))


# What can go wrong with a program.


def c(body: str) -> str:
    return f"#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\nint main(void) {{ {body} }}\n"


@pytest.mark.parametrize(
    ("body", "error", "says"),
    [
        ("abort();", RunFailed, "killed by SIGABRT"),
        ("*(volatile int *)0 = 1; return 0;", RunFailed, "killed by SIGSEGV"),
        ('fputs("out of luck", stderr); return 3;', RunFailed, "exit status 3: out of luck"),
        ("for (;;);", RunTimedOut, "not done within 0.5 s"),
        ('puts("real: 1"); return 0;', Incomplete, "expected a last line 'complete'"),
        ('puts("complete"); puts("more"); return 0;', Incomplete, "expected a last line 'complete'"),
        ('printf("complete"); return 0;', Incomplete, "expected a last line 'complete'"),
        ("return 0;", Incomplete, "found 0 bytes"),
        ('puts("2x2: 1 2 3\\ncomplete"); return 0;', Incomplete, "a shape and its numbers, found '2x2: 1 2 3'"),
        ('puts("real: one\\ncomplete"); return 0;', Incomplete, "a shape and its numbers"),
    ],
)
def test_what_a_program_does_wrong_is_named(body: str, error: type[Exception], says: str):
    with pytest.raises(error, match=says):
        native.run(native.build(c(body)), timeout=0.5)


def test_nan_and_infinities_are_results():
    program = parse("<log(x), x / y, -x / y>")
    found = compiled.value(program, {"x": -1.0, "y": 0.0}).run()
    assert isnan(found[0]) and found[1:] == (-inf, inf)


def test_what_the_compiler_refuses_is_said_and_not_kept(folder):
    for _ in range(2):
        with pytest.raises(CompileFailed, match=r"exit status 1: .*undeclared"):
            native.build(c("return nonsense;"))
    assert not folder.exists()


def test_without_a_compiler_the_reason_and_the_command_are_given(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing) as caught:
        native.build(c("return 0;"))
    assert caught.value.reason == "no C compiler (musl-gcc: not found; cc: not found)"
    assert "apt-get install -y gcc libc6-dev" in caught.value.fix


def test_cc_with_glibc_stands_in_as_a_series_of_its_own(monkeypatch, tmp_path):
    cc = shutil.which("cc")
    if not cc or native.toolchain().name != "musl-gcc":
        pytest.skip("not both cc and musl-gcc")
    for tool in ("as", "ld", "cc"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    emitted = compiled.value(parse("exp(x)"), {"x": 1.0})
    first = native.build(emitted.source())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert native.toolchain().name == "cc-static"
    assert native.build(emitted.source()) != first
    assert emitted.run() == pytest.approx(np.e, rel=1e-15)


def test_a_compiler_that_cannot_link_statically_is_none(monkeypatch, tmp_path):
    command = tmp_path / "cc"
    command.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo cc 12.2.0 && exit\necho "cannot find -lc" >&2\nexit 1\n'
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match=r"cc: cc-static 12\.2\.0: exit status 1: cannot find -lc") as caught:
        native.toolchain()
    assert "apt-get install -y gcc libc6-dev" in caught.value.fix


# The cache.


def test_a_second_build_is_the_first_one_s_file_and_runs_no_compiler(monkeypatch):
    source = compiled.value(parse("x * y"), {"x": 3.0, "y": 5.0}).source()
    first = native.build(source)
    monkeypatch.setattr(subprocess, "run", None)
    assert native.build(source) == first
    assert os.access(first, os.X_OK)


def test_source_level_and_lines_make_other_entries():
    source = c('puts("complete"); return 0;')
    built = {
        native.build(source),
        native.build(source, "O2"),
        native.build(source, lines=True),
        native.build(source + " "),
    }
    assert len(built) == 4


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b[:100] + b"?" + b[101:], lambda b: b"", lambda b: b[:50]]
)
def test_a_damaged_entry_is_reported_and_made_again(damage):
    source = c('puts("real: 2\\ncomplete"); return 0;')
    built = native.build(source)
    whole = built.read_bytes()
    built.chmod(stat.S_IRWXU)
    built.write_bytes(damage(whole))
    with pytest.warns(CacheDamaged, match="damaged and is made again"):
        again = native.build(source)
    assert again.read_bytes() == whole
    assert native.run(again) == [2.0]


def test_an_entry_of_another_key_or_kind_is_made_again(folder):
    store = {(kind, key): cache.store(kind, key, b"content") for kind in ("a", "b") for key in ("k", "l")}
    for other in (("a", "l"), ("b", "k")):
        store["a", "k"].write_bytes(store[other].read_bytes())
        with pytest.warns(CacheDamaged):
            assert cache.fetch("a", "k") is None
    assert cache.fetch("b", "k") == store["b", "k"]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()])
def test_what_is_no_file_is_no_entry_and_is_replaced(make):
    path = cache.store("counts", "k", b"content")
    path.unlink()
    make(path)
    assert cache.fetch("counts", "k") is None
    assert cache.content(cache.store("counts", "k", b"content")) == b"content"
    assert cache.fetch("counts", "k") == path


def test_a_program_that_may_not_be_run_any_more_is_made_again():
    source = c('puts("real: 2\\ncomplete"); return 0;')
    native.build(source).chmod(stat.S_IRUSR)
    assert native.run(native.build(source)) == [2.0]


def test_an_interrupt_leaves_no_entry_and_no_partial_file(monkeypatch, folder):
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.store("counts", "k", b"content")
    assert list((folder / "counts").iterdir()) == []
    assert cache.fetch("counts", "k") is None


def test_the_key_depends_on_each_part_and_on_where_one_ends():
    assert len({cache.key("ab", "c"), cache.key("a", "bc"), cache.key("abc"), cache.key("c", "ab")}) == 4


def test_where_the_cache_cannot_be_written_the_error_names_it(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "file"))
    with pytest.raises(CacheUnusable, match=r"file/programs.*ADJUDGE_CACHE"):
        native.build(c("return 0;"))


def test_the_cache_lies_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.delenv("ADJUDGE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == tmp_path / "xdg" / "adjudge"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "adjudge"


@pytest.mark.slow
def test_tens_of_thousands_of_statements_compile_in_seconds():
    """A chain of 20,000 lets, with its gradient in one variable: 100,000 statements."""
    program = parse("let y = x * x in " + "let y = y * x in " * 20_000 + "y")
    emitted = compiled.gradient(TRANSFORMATIONS["accumulator"], program, {"x": 1.0}, 1.0)
    assert emitted.run() == (1.0, (20_002.0,))
