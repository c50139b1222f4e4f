"""Tables say what the records say, and fit where they are read."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reports import tables
from reports.tables import Table

Record = dict[str, Any]


def named(records: list[Record], name: str) -> Table:
    return next(table for table in tables.bench(records) if table.name == name)


def parsed(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.csv())))


def test_each_family_has_a_table_of_counts_and_one_of_growth(records: list[Record]) -> None:
    assert [table.name for table in tables.bench(records)] == [
        "product-in-n-operations",
        "product-in-n-growth",
        "product-bounds",
        "square-in-m-operations",
        "square-in-n-operations",
        "square-in-m-growth",
        "square-in-n-growth",
        "doubling-in-k-operations",
        "doubling-in-k-growth",
        "random-bounds",
        "jacobian-n-by-m-operations",
        "classifiers-operations",
        "workloads",
        "theorem-needs",
        "skipped",
    ]


def test_counts_are_plain_in_csv(records: list[Record]) -> None:
    for row in parsed(named(records, "product-in-n-operations")):
        n = int(row["n"])
        assert int(row["source"]) == n - 1
        assert int(row["pointwise"]) == 3 * n * n - 2 * n - 1
        assert int(row["accumulator"]) == 3 * n - 3
        assert float(row["accumulator ratio"]) == 3
        assert float(row["forward ratio"]) == 4 * n


def test_counts_have_separators_for_people(records: list[Record]) -> None:
    table = named(records, "product-in-n-operations")
    last = ["2,000", "1,999", "15,992,000", "8,000.0x", "11,995,999", "6,001.0x", "5,997", "3.0x"]
    assert table.text().splitlines()[-3].split() == last
    assert [cell.strip() for cell in table.markdown().splitlines()[-3].strip("|").split("|")] == last


def test_text_fits_the_terminal(records: list[Record]) -> None:
    for table in tables.bench(records):
        for width in (80, 60, 44):
            body = table.text(width).removesuffix(f"{table.note}\n").removeprefix(table.title)
            assert max(map(len, body.splitlines())) <= width, (table.name, width)


def test_a_wide_table_is_set_in_parts_that_repeat_the_size(records: list[Record]) -> None:
    text = named(records, "product-in-n-operations").text(40)
    heads = [line.split() for line in text.splitlines() if line.split()[:1] == ["n"]]
    assert heads == [["n", "source", "forward", "ratio"], ["n", "pointwise", "ratio"], ["n", "accumulator", "ratio"]]


def test_sizes_that_stay_are_in_the_title(records: list[Record]) -> None:
    table = named(records, "square-in-m-operations")
    assert table.title == "square in m (n = 2,048): operations"
    assert table.columns[0].name == "m"


def test_sizes_that_vary_together_are_all_columns(records: list[Record]) -> None:
    assert named(records, "jacobian-n-by-m-operations").headings()[:3] == ["n", "m", "source"]


def test_cases_of_one_size_share_a_table(records: list[Record]) -> None:
    rows = parsed(named(records, "classifiers-operations"))
    assert [row["case"] for row in rows] == ["one layer", "two layers"]


@pytest.mark.parametrize(("holds", "word"), [(True, "as expected"), (False, "NOT as expected"), (None, "no claim")])
def test_the_verdict_on_growth_is_a_word(records: list[Record], holds: bool | None, word: str) -> None:
    fit = next(r for r in records if r["kind"] == "fit" and r["subject"] == "pointwise")
    fit.update(holds=holds)
    row = parsed(named(records, "product-in-n-growth"))[2]
    assert row == {
        "subject": "pointwise",
        "exponent": "2.001",
        "low": "1.998",
        "high": "2.003",
        "expected": "2",
        "polynomial": "3n^2 - 2n - 1",
        "verdict": word,
    }
    assert f"3n^2 - 2n - 1  {word}\n" in named(records, "product-in-n-growth").text()


def test_what_was_not_measured_is_an_empty_cell(records: list[Record]) -> None:
    exact = 2**53 + 1  # no float
    first = next(r for r in records if r["kind"] == "measurement")
    first.update(value=exact)
    records.remove(next(r for r in records if r.get("subject") == "source" and r.get("sizes") == {"n": 6}))
    table = named(records, "product-in-n-operations")
    assert [row["source"] for row in parsed(table)][:3] == [str(exact), "", "15"]
    assert table.cells()[1][1] == "-"
    fit = next(r for r in records if r["kind"] == "fit")
    fit.update(exponent=None, low=None, high=None, polynomial=None)
    assert named(records, "product-in-n-growth").cells()[0][1:4] == ["-", "-", "-"]


def test_the_worst_of_a_bound_is_shown(records: list[Record]) -> None:
    assert named(records, "random-bounds").rows == (("one real", "operations <= 5 * source", 5, 4.2, "yes"),)
    at_least = {"kind": "bound", "suite": "random", "case": "share", "sizes": {}, "claim": "share >= 0.5", "limit": 0.5}
    records += [{**at_least, "value": value, "holds": True} for value in (0.9, 0.6, 0.7)]
    broken = next(r for r in records if r["kind"] == "bound" and r["value"] == 2)
    broken.update(holds=False)
    assert named(records, "random-bounds").rows == (
        ("one real", "operations <= 5 * source", 5, 2, "NO"),
        ("share", "share >= 0.5", 0.5, 0.6, "yes"),
    )


def test_a_skip_names_its_reason_and_fix(records: list[Record]) -> None:
    (row,) = parsed(named(records, "skipped"))
    assert row["reason"] == "valgrind is not installed"
    assert row["fix"] == "apt-get install --yes valgrind musl-tools"


def test_a_text_cannot_break_out_of_a_markdown_table(records: list[Record]) -> None:
    skip = next(r for r in records if r["kind"] == "skip")
    skip.update(reason="a | b\n\nc")
    row = named(records, "skipped").markdown().splitlines()[-1]
    assert "a \\| b c" in row
    assert row.replace("\\|", "").count("|") == 5


def test_files_have_stable_names_and_bytes(tmp_path: Path, records: list[Record]) -> None:
    names = [path.name for path in tables.write(records, tmp_path)]
    assert names == ["tables.txt", "tables.md", *(f"{table.name}.csv" for table in tables.bench(records))]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    tables.write(records, tmp_path)
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_cases_that_differ_in_punctuation_keep_both_their_files(tmp_path: Path, records: list[Record]) -> None:
    again = [{**r, "case": "in.n"} for r in records if r.get("case") == "in n"]
    names = {path.name for path in tables.write([*records, *again], tmp_path)}
    assert {"product-in-n-operations.csv", "product-in-n-operations-2.csv"} <= names


def test_no_records_give_no_tables(tmp_path: Path, records: list[Record]) -> None:
    assert tables.bench([]) == tables.bench(records[:1]) == []
    assert [path.read_text() for path in tables.write([], tmp_path)] == ["No records.\n", "No records.\n"]


def test_tables_are_imported_without_matplotlib_and_pandas() -> None:
    script = "import sys, reports.tables; sys.exit(bool({'matplotlib', 'pandas'} & sys.modules.keys()))"
    subprocess.run([sys.executable, "-c", script], cwd=Path(tables.__file__).parents[1], check=True)
