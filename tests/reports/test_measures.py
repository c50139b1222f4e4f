"""Measures side by side, and needs: what the tables say follows from the records."""

from __future__ import annotations

from typing import Any

from reports import measures, tables
from reports.sweeps import Record, sweeps


def measured(metric: str, subject: str, exponent: float, scale: int) -> list[Record]:
    sizes, key = (10, 100), {"suite": "theorem", "case": "product-in-n", "subject": subject, "metric": metric}
    counts: dict[int, int] = {n: round(scale * n**exponent) for n in sizes}
    records: list[dict[str, Any]] = [
        {"kind": "measurement", **key, "sizes": {"n": n}, "value": count, "unit": "", "source_value": n,
         "ratio": count / n}
        for n, count in counts.items()
    ]  # fmt: skip
    fit = {"against": "n", "exponent": exponent, "low": exponent, "high": exponent, "points": 2, "expected": None}
    return [*records, {"kind": "fit", **key, **fit, "holds": None, "polynomial": None}]


ALIKE = [
    *measured("operations", "source", 1.0, 1), *measured("operations", "accumulator", 1.0, 3),
    *measured("model_cost", "source", 1.0, 5), *measured("model_cost", "accumulator", 1.95, 7),
]  # fmt: skip


def test_each_case_has_one_table_of_all_its_measures():
    (table,) = measures.comparisons(sweeps(ALIKE))
    assert table.name == "theorem-product-in-n-measures"
    assert [row[:4] for row in table.rows] == [
        ("source", "operations", 100, None),
        ("source", "model cost", 500, None),
        ("accumulator", "operations", 300, 3.0),
        ("accumulator", "model cost", round(7 * 100**1.95), round(7 * 100**1.95) / 100),
    ]


def test_the_sentence_says_where_measures_agree_and_where_they_differ():
    (table,) = measures.comparisons(sweeps(ALIKE))
    assert "source: the measures agree in growth (operations 1.00, model cost 1.00)." in table.note
    assert "accumulator: the measures differ in growth (operations 1.00, model cost 1.95)." in table.note
    (table,) = measures.comparisons(sweeps([*ALIKE, *measured("instructions", "source", 1.02, 90)]))
    assert "source: the measures agree in growth (operations 1.00, model cost 1.00, instructions 1.02)." in table.note


def compiled(level: str, subject: str, sizes: tuple[int, ...], **fixed: int) -> list[Record]:
    """Instructions as the suite `native` records them."""
    records = measured("instructions", subject, 1.0, 90)
    key = {"suite": "native", "case": f"product-in-n-{level}", "level": level, "toolchain": "cc 12"}
    (*_, first, fit) = [{**record, **key} for record in records]
    return [*({**first, "sizes": {**fixed, "n": n}, "value": 90 * n, "ratio": 90.0} for n in sizes), fit]


def test_instructions_that_another_suite_counted_stand_beside_a_case_s_own_measures_at_the_largest_size_of_both():
    found = [*ALIKE, *(r for level in ("O0", "O2") for r in compiled(level, "source", (7, 10, 90)))]
    table, native = measures.comparisons(sweeps(found))
    assert (table.suite, native.suite) == ("theorem", "native")
    assert table.title == "theorem product in n: measures at n = 10"
    assert [row[:3] for row in table.rows if row[0] == "source"] == [
        ("source", "operations", 10),
        ("source", "model cost", 50),
        ("source", "instructions at -O0", 900),
        ("source", "instructions at -O2", 900),
    ]
    assert [row[1:3] for row in native.rows] == [("instructions at -O0", 8100), ("instructions at -O2", 8100)]
    assert "instructions at -O0 1.00, instructions at -O2 1.00" in table.note


def test_programs_of_other_sizes_are_not_compared():
    for other in (compiled("O0", "source", (7, 90)), compiled("O0", "source", (7, 10), m=8)):
        (table,) = measures.comparisons(sweeps([*ALIKE, *other]))
        assert {row[1] for row in table.rows} == {"operations", "model cost"}


def test_a_single_measure_is_compared_with_nothing():
    assert measures.comparisons(sweeps(ALIKE[:6])) == []


def test_needs_are_listed_from_the_largest_and_the_note_names_it(records: list[Record]):
    table = next(table for table in tables.bench(records) if table.name == "theorem-needs")
    assert [row[0] for row in table.rows] == ["pair", "mul"]
    assert table.note.endswith("Largest need: 33, of pair at absent cotangent.")
