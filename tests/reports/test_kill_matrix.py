"""The tables of a mutation run."""

import csv

from reports import kill_matrix
from tests.reports.mutation_records import failed_baseline, records


def by_name(found):
    return {table.name: table for table in kill_matrix.tables(found)}


def test_what_is_not_as_expected_comes_first_with_its_program():
    first = kill_matrix.tables(records())[0]
    assert first.title == "NOT as expected"
    assert [row[0] for row in first.rows] == ["mul.survivor", "mul.endless"]
    assert "x * y at x=3, y=5, cotangent 2: differs in its value" in first.rows[0][1]


def test_of_a_run_that_is_as_expected_nothing_comes_first():
    found = records()
    for record in found:
        if record["kind"] == "verdict":
            record["surprises"] = []
    assert kill_matrix.tables(found)[0].title == "The whole"


def test_the_matrix_has_a_symbol_for_every_outcome():
    table = by_name(records())["kill-matrix"]
    assert {row[0]: "".join(row[1:]) for row in table.rows} == {
        "mul.own-operand": "v.",
        "mul.dear": ".v",
        "mul.crash": "CC",
        "mul.survivor": "..",
        "mul.same": "..",
        "mul.endless": "T.",
    }


def test_a_check_without_a_unique_kill_is_named_with_the_reason_why_it_stays():
    assert "cost has no unique kill: it is the claim itself." in by_name(records())["checks"].note
    assert "reference has no unique kill" not in by_name(records())["checks"].note


def test_a_kill_across_the_separation_is_marked_unless_allowed():
    assert by_name(records())["separation"].rows == (("mul.dear", "cost", "reference", "NO"),)


def test_rules_and_the_fields_that_no_mutant_replaces():
    assert by_name(records())["rules"].rows == (("mul", 6, 0, "tangent"),)


def test_false_alarms_stand_beside_the_score():
    assert by_name(records())["tolerances"].rows == ((1e-4, 0.6, 1, "reference"), (1.0, 0.6, 0, ""))


def test_of_a_failed_baseline_there_is_no_green_table():
    (table,) = kill_matrix.tables(failed_baseline())
    assert table.rows == (("reference", "value", 1.0, 1e-10, "x is 3, expected 2"),)


def test_markdown_and_csv(tmp_path):
    names = {path.name for path in kill_matrix.write(records(), tmp_path)}
    assert {"mutants.md", "kill-matrix.csv", "mutants-checks.csv"} <= names
    text = (tmp_path / "mutants.md").read_text()
    assert text.startswith("# Kill matrix\n\n**NOT as expected**")
    with (tmp_path / "kill-matrix.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"mutant": "mul.own-operand", "reference": "v", "cost": "."}
