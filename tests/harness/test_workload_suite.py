from math import inf, isnan, nan
from types import SimpleNamespace

import numpy as np
import pytest

from harness import callgrind, native, workload_suite
from harness.errors import ToolMissing
from harness.workload_suite import compared, distance
from harness.workloads import layernorm


def entries(*values):
    return [np.array([values])]


def of_kind(records, kind):
    return [record for record in records if record["kind"] == kind]


def test_distance_is_relative_to_the_hand_derived_entry():
    assert distance(entries(1.0, 200.0), entries(1.0, 201.0)) == 0.005
    assert distance(entries(0.0, inf, 1.0), entries(0.0, inf, 1.0)) == 0.0


def test_no_difference_is_overlooked():
    assert distance(entries(0.0), entries(1e-300)) == inf
    assert isnan(distance(entries(1.0, 2.0), entries(nan, 2.0)))
    with pytest.raises(ValueError, match="longer"):
        distance(entries(1.0), entries(1.0) * 2)


def test_a_generated_gradient_has_its_ratio_to_the_loss_and_to_the_hand_derived_one():
    lets = {
        r["subject"]: r
        for r in of_kind(compared("workloads", "layernorm", {}), "measurement")
        if (r["metric"], r["case"]) == ("lets", "layernorm")
    }
    # The loss: 2 means of two operations, 2 stretched operands, sub, mul, add_k, sqrt, div, mul and a sum.
    assert lets["source"]["value"] == 13
    for subject, record in lets.items():
        assert record["ratio"] == record["value"] / 13, subject
    assert lets["generated"]["hand_ratio"] == lets["generated"]["value"] / lets["hand-derived"]["value"]


def test_a_wrong_gradient_breaks_the_bound(monkeypatch):
    wrong = SimpleNamespace(
        PARAMETERS=layernorm.PARAMETERS,
        value=layernorm.value,
        hand_derived=lambda: layernorm.hand_derived().replace("- y * row_mean(d * y)", "- y * row_mean(y)"),
    )
    monkeypatch.setattr(workload_suite, "WORKLOADS", {"layernorm": wrong})
    bounds = of_kind(compared("workloads", "layernorm", {}), "bound")
    assert bounds and not any(bound["holds"] for bound in bounds)


def test_without_tools_the_rest_is_measured_and_the_gap_is_shown(monkeypatch):
    def missing():
        raise ToolMissing("no C compiler", "apt-get install -y musl-tools")

    monkeypatch.setattr(native, "toolchain", missing)
    monkeypatch.setattr(callgrind, "series", missing)
    records = compared("workloads", "layernorm", {})
    assert {record["metric"] for record in of_kind(records, "measurement")} == {"lets", "source_bytes"}
    assert [skip["what"] for skip in of_kind(records, "skip")] == [
        f"{what} of layernorm{level}"
        for level in ("", "-exact", "-reassociate")
        for what in ("peak memory", "instruction counts")
    ]
    assert all(skip["fix"] for skip in of_kind(records, "skip"))


def test_instructions_are_counted_at_each_level_and_name_their_toolchain():
    try:
        series = callgrind.series()
    except ToolMissing as missing:
        pytest.skip(str(missing))
    records = [r for r in compared("workloads", "layernorm", {}) if r.get("metric") == "instructions"]
    assert {record["toolchain"] for record in records} == {series}
    assert {(record["case"], record["level"]) for record in records} == {
        (f"layernorm{simplified}-{level}", level)
        for simplified in ("", "-exact", "-reassociate")
        for level in native.LEVELS
    }
    assert {record["subject"] for record in records} == {"source", "hand-derived", "generated"}


def test_simplified_gradients_are_no_longer_than_those_by_hand_when_reassociated():
    """Layer norm's textbook pullback is the formula by hand: the same operations."""
    records = compared("workloads", "layernorm", {})
    ratios = {r["case"]: r["hand_ratio"] for r in records if r.get("metric") == "lets" and r["subject"] == "generated"}
    assert ratios["layernorm-reassociate"] == 1.0 < ratios["layernorm-exact"] < ratios["layernorm"]
