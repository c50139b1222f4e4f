"""A regression in any exact count is a finding."""

from __future__ import annotations

from dataclasses import replace

from harness.baseline import compare
from harness.suites import family, measurement
from transforms.drivers import TRANSFORMATIONS, counts
from transforms.parse import parse

RUN = family("product", "in-n", [4, 8, 16], "n", {"accumulator": 1}, {})


def test_the_same_run_is_no_worse():
    (total,) = compare(RUN, RUN, 0.0)
    assert total["holds"]
    assert total["sizes"]["compared"] > 10
    assert total["sizes"]["different"] == 0


def test_one_count_that_is_worse_is_named_unless_it_is_allowed():
    chosen = ("accumulator", "operations", {"n": 8})
    worse = [
        {**r, "value": r["value"] + 1} if (r["subject"], r["metric"], r.get("sizes")) == chosen else r for r in RUN
    ]
    assert worse != RUN
    total, named = compare(worse, RUN, 0.0)
    assert (total["holds"], total["value"], named["holds"]) == (False, 1, False)
    assert named["claim"].startswith("accumulator")
    assert compare(worse, RUN, 100.0)[0]["holds"]
    assert compare(RUN, worse, 0.0)[0]["holds"], "a better count is no finding"


def test_instructions_of_different_toolchains_are_not_compared():
    counted = {**measurement("native", "n", {}, "source", "instructions", 9, 9), "toolchain": "musl-gcc 12"}
    fewer = {**counted, "value": 8}
    assert not compare([counted], [fewer], 0.0)[0]["holds"]
    assert compare([counted], [{**fewer, "toolchain": "cc-static 12"}], 0.0)[0]["sizes"]["compared"] == 0


def test_a_steeper_exponent_is_a_finding():
    steeper = [{**r, "exponent": r["exponent"] + 1} if r["kind"] == "fit" else r for r in RUN]
    assert [r["claim"] for r in compare(steeper, RUN, 50.0)[1:]] == ["accumulator exponent <= the baseline's"]


def test_a_dearer_rule_is_caught_and_what_it_costs_is_named():
    judged = TRANSFORMATIONS["accumulator"]

    def dearer(m, ct, r, a, b):
        return m.mul(ct, b), m.mul(m.mul(ct, m.constant(1.0)), a)

    wasteful = replace(judged, rules={**judged.rules, "mul": replace(judged.rules["mul"], pullback=dearer)})

    def run(j):
        found = counts(j, parse("x * y"))
        return [
            {**measurement("f", "g", {}, "accumulator", "operations", found.operations, 1), "by_kind": found.by_kind}
        ]

    total, worse = compare(run(wasteful), run(judged), 0.0)
    assert not total["holds"]
    assert worse["culprits"] == ["mul, 3 -> 4"]


def test_lines_that_grew_are_named_the_most_grown_first():
    before = {**measurement("w", "c", {}, "generated", "instructions", 30, 9), "by_line": {"1: a": 10, "2: b": 20}}
    after = {**before, "value": 47, "by_line": {"3: b": 19, "2: c": 12, "1: a": 16}}  # c moved b on
    (_, worse) = compare([after], [before], 0.0)
    assert worse["culprits"] == ["c, 0 -> 12", "a, 10 -> 16"]


def test_operations_are_recorded_by_kind_and_their_kinds_add_up():
    operations = [r for r in RUN if r["kind"] == "measurement" and r["metric"] == "operations"]
    assert operations
    assert all(sum(r["by_kind"].values()) == r["value"] for r in operations)
