"""The suite `native`: instructions grow as operations do, and what is not so is a finding."""

from __future__ import annotations

import pytest

from harness import bench, callgrind, native_suite
from harness.errors import ToolMissing
from harness.native_suite import growing


def _counts() -> bool:
    try:
        return bool(callgrind.series())
    except ToolMissing:
        return False


counts = pytest.mark.skipif(not _counts(), reason="no valgrind or no C compiler")

SQUARES = "native", "square-in-n", "square", "n", [128, 256, 512]
EXPECTED = {"source": 0, "pointwise": 1, "accumulator": 0}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))


@counts
def test_instructions_grow_as_operations_do():
    found = growing(*SQUARES, EXPECTED, {"m": 4})
    assert bench.findings(found) == []
    fits = {(r["case"], r["subject"]): r["exponent"] for r in found if r["kind"] == "fit"}
    for level in ("O0", "O2"):
        for subject, expected in EXPECTED.items():
            assert fits[f"square-in-n-{level}", subject] == pytest.approx(expected, abs=0.05)
    measured = [r for r in found if r["kind"] == "measurement"]
    assert {r["metric"] for r in measured} == {"operations", "instructions"}
    assert all(r["toolchain"] and r["level"] for r in measured if r["metric"] == "instructions")
    assert all(r["ratio"] == 1.0 for r in measured if r["subject"] == "source")


@counts
def test_another_exponent_is_a_finding():
    found = growing(*SQUARES, EXPECTED | {"accumulator": 1}, {"m": 4})
    broken = bench.findings(found)
    assert {(r["kind"], r["subject"]) for r in broken} == {("fit", "accumulator")}


@counts
def test_a_compiled_program_that_computes_something_else_is_a_finding(monkeypatch):
    interpreted = native_suite._interpreted
    monkeypatch.setattr(native_suite, "_interpreted", lambda subject, program: (0.5, interpreted(subject, program)[1]))
    found = growing("native", "product-in-n", "product", "n", [2, 3], {"source": 1})
    assert [r["value"] for r in found if r["kind"] == "bound"] == [2, 2]
    assert len([r for r in bench.findings(found) if r["kind"] == "bound"]) == 2


def test_without_tools_the_case_is_skipped_with_the_command_that_installs_them(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    (skip,) = growing(*SQUARES, EXPECTED)
    assert (skip["kind"], skip["what"]) == ("skip", "instruction counts of square in n")
    assert "not found" in skip["reason"] and "apt-get install" in skip["fix"]
