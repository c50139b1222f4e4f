"""The table of the workloads says what their records say, and fits where it is read."""

from __future__ import annotations

from reports import workloads
from reports.layout import WIDTH
from reports.sweeps import Record, of_kind


def table(records: list[Record]) -> workloads.Table:
    (table,) = workloads.comparison([r for r in of_kind(records, "measurement") if r["suite"] == "workloads"])
    return table


def test_a_row_puts_a_generated_gradient_beside_a_hand_derived_one(records: list[Record]):
    rows = {row[:2]: row[2:] for row in table(records).rows}
    assert rows["transformer", "-O0"] == (6_828_405, 4 * 6_828_405, 4.0, 3 * 6_828_405, 3.0, 0.75)
    assert rows["attention", "lets"] == (60, 240, 4.0, 180, 3.0, 0.75)


def test_measures_are_in_one_order_whatever_that_of_the_records(records: list[Record]):
    measures = ["lets", "bytes", "-O0", "-O2", "memory"]
    assert [row[:2] for row in table(records).rows] == [(c, m) for c in ("attention", "transformer") for m in measures]


def test_the_table_is_one_within_the_terminal(records: list[Record]):
    lines = table(records).text().splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert sum(line.startswith("workload ") for line in lines) == 1


def test_what_was_skipped_is_a_gap(records: list[Record]):
    left = [r for r in records if r.get("metric") != "instructions" and r.get("subject") != "hand-derived"]
    assert {row[1] for row in table(left).rows} == {"lets", "bytes", "memory"}
    assert {cell for row in table(left).rows for cell in row[3:5]} == {None}
