"""Suites and runs: a claim that does not hold is a finding."""

from __future__ import annotations

import json

import pytest

from harness import bench, records, suites
from harness.select import BadExpression, selector
from harness.status import Status, worst
from harness.suites import SUITES, family
from harness.values import fit
from transforms.errors import WrongValue
from transforms.types import REAL, Array, Product


@pytest.mark.parametrize("case", SUITES, ids=lambda case: case.id)
def test_every_case_holds_in_a_quick_run(case):
    found = case.records(quick=True, seed=1)
    assert found
    assert bench.findings(found) == []


def test_a_wrong_expectation_or_closed_form_is_a_finding():
    found = family("product", "in-n", [8, 64, 512], "n", {"accumulator": 2, "pointwise": 2}, {"accumulator": "4n - 3"})
    broken = bench.findings(found)
    assert [(record["kind"], record["subject"]) for record in broken if record["kind"] == "fit"] == [
        ("fit", "accumulator")
    ]
    assert [record["claim"] for record in broken if record["kind"] == "bound"] == ["accumulator operations = 4n - 3"]


def test_a_count_that_differs_between_two_runs_is_a_finding():
    first = suites.jacobians("jacobian", "n-by-m", [(2, 2)])
    second = [{**record, "value": record["value"] + (k == 1)} for k, record in enumerate(first)]
    case = SUITES[-1]
    assert bench._repeated(case, first, first)["holds"]
    assert bench._repeated(case, first, second) | {"holds": False, "value": 1} == bench._repeated(case, first, second)
    assert not bench._repeated(case, first, first[:-1])["holds"]


def test_the_jacobian_takes_n_sweeps_or_m_runs():
    """A sweep performs 4 operations for each of the n - 1 + m multiplications."""
    found = suites.jacobians("jacobian", "n-by-m", [(5, 1), (2, 64)])
    value = {(r["sizes"]["n"], r["sizes"]["m"], r["subject"]): r["value"] for r in found}
    assert value[5, 1, "source"] == 4 + 1
    assert value[5, 1, "forward"] == 5 * 4 * (4 + 1)
    assert value[5, 1, "accumulator"] < value[5, 1, "forward"]
    assert value[2, 64, "accumulator"] > value[2, 64, "forward"]


def test_selection_is_pytest_s():
    chosen = selector("square and not (sigmoid or in-m or native)")
    assert [name for name in bench.names() if chosen(name)] == ["square/in-n"]
    assert all(map(selector(None), bench.names()))
    for bad in ("and", "a b", "(a", "not"):
        with pytest.raises(BadExpression):
            selector(bad)


def test_statuses_take_precedence():
    assert worst([]) == Status.GOOD
    assert worst([Status.FINDING, Status.TIMEOUT]) == Status.TIMEOUT
    assert worst([Status.TIMEOUT, Status.NOTHING_SELECTED, Status.BASELINE_FAILED]) == Status.BASELINE_FAILED
    assert worst([Status.USAGE, Status.INTERNAL]) == Status.INTERNAL


def test_json_floats_read_back_exactly_and_others_are_texts():
    values = [0.1, 1e300, float("nan"), float("inf"), -float("inf"), (1.0, [2.0])]
    assert json.loads(records.to_json(values)) == [0.1, 1e300, "nan", "inf", "-inf", [1.0, [2.0]]]


def test_records_are_a_line_each_and_know_no_other_values():
    assert records.lines([{"a": 1}, {"b": (2.0,)}]) == '{"a": 1}\n{"b": [2.0]}\n'
    with pytest.raises(TypeError):
        records.lines([{"a": object()}])


@pytest.mark.parametrize(
    ("given", "type_"),
    [
        ("x", REAL), (True, REAL), (None, REAL), ([1.0], REAL), (10**400, REAL), ((1.0,), Product((REAL, REAL))),
        ([[1.0, 2.0], [3.0]], Array((2, 2))), ([1.0], Array((2,))), (1.0, Array((1,))),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_are_refused(given, type_):
    with pytest.raises(WrongValue):
        fit(given, type_, "x")
