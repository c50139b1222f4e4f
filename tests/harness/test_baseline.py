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


def test_a_dearer_rule_is_caught():
    judged = TRANSFORMATIONS["accumulator"]

    def dearer(m, ct, r, a, b):
        return m.mul(ct, b), m.mul(m.mul(ct, m.constant(1.0)), a)

    wasteful = replace(judged, rules={**judged.rules, "mul": replace(judged.rules["mul"], pullback=dearer)})
    before, after = (
        [measurement("product", "one", {}, "accumulator", "operations", counts(j, parse("x * y")).operations, 1)]
        for j in (judged, wasteful)
    )
    assert not compare(after, before, 0.0)[0]["holds"]
