"""The tables of the workloads say what their records say, and fit where they are read."""

from __future__ import annotations

from reports import workloads
from reports.layout import WIDTH
from reports.origins import origin, traced
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


def test_a_measure_that_has_no_name_here_is_shown_last(records: list[Record]):
    lets = next(r for r in records if r.get("metric") == "lets")
    rows = table([{**lets, "metric": "cache_misses", "level": "O3"}, *records]).rows
    assert rows[5][:3] == ("attention", "cache misses -O3", 60)


def counted(case: str, sizes: dict[str, int], subject: str, value: int, source: int) -> Record:
    return {
        "kind": "measurement", "suite": "workload-growth", "case": case, "sizes": sizes, "subject": subject,
        "metric": "instructions", "value": value, "unit": "instructions", "source_value": source,
        "ratio": value / source, "level": "O0",
    }  # fmt: skip


def test_a_row_says_what_is_left_with_one_rewrite_more():
    left = {"attention": {"plain": 400, "kernels": 100}, "layernorm": {"plain": 50, "kernels": 20}}
    records = [
        counted(f"{workload}: {step}", {}, "generated", value, steps["plain"])
        for workload, steps in left.items()
        for step, value in steps.items()
    ]
    (table,) = workloads.rewrites(records)
    assert [column.name for column in table.columns[1:]] == ["attention", "layernorm"]
    assert table.rows == (("plain", 1.0, 1.0), ("kernels", 0.25, 0.4))


def test_a_ratio_to_the_hand_derived_gradient_is_from_both_records():
    records = [
        counted("transformer-in-width-simplify-O0", {"width": 8}, subject, value, 4)
        for subject, value in (("source", 4), ("hand-derived", 8), ("generated", 10))
    ]
    (sizes,) = workloads.growing(traced(records, "bench.jsonl"))
    assert [origin(cell) for cell in sizes.rows[0][2:]] == [f"bench.jsonl:{line}" for line in (1, 2, 3, 3, "2-3")]


def test_growing_workloads_have_both_ratios_at_each_size_and_their_exponents():
    case = "transformer-in-sequences-reassociate-O0"
    records = [
        counted(case, {"width": 8, "sequences": n}, subject, value * n * 1_000_000, 4 * n * 1_000_000)
        for n in (2, 16)
        for subject, value in (("source", 4), ("hand-derived", 8), ("generated", 10))
    ]
    records += [
        {"kind": "fit", "case": case, "suite": "workload-growth", "subject": subject, "exponent": exponent}
        for subject, exponent in (("source", 1.0), ("generated", 1.25))
    ]
    sizes, exponents = workloads.growing(records)
    assert sizes.rows == tuple(
        ("reassociate -O0", n, 4_000_000 * n, 8_000_000 * n, 10_000_000 * n, 2.5, 1.25) for n in (2, 16)
    )
    assert exponents.rows == ((case, 1.0, 1.25),)
    assert max(map(len, sizes.text().splitlines())) <= WIDTH
    assert len(sizes.text().split("\n\n")) == 3, "title, table and note"
