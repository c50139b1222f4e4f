"""The report is valid by the schema that viewers go by, and by what the schema cannot say."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from reports import mutation_schema
from tests.reports.mutation_records import records

VENDORED = Path(mutation_schema.__file__).parent / "vendored"
SCHEMA = json.loads((VENDORED / "mutation-testing-report-schema.json").read_text())


@pytest.fixture
def report():
    return mutation_schema.report(records())


def mutants(report):
    return {m["id"]: m for file in report["files"].values() for m in file["mutants"]}


def checks(report):
    return [test["id"] for file in report["testFiles"].values() for test in file["tests"]]


def test_the_vendored_schema_is_one_and_has_its_licence():
    Draft7Validator.check_schema(SCHEMA)
    assert "Apache License" in (VENDORED / "mutation-testing-report-schema.LICENSE").read_text()


def test_the_report_is_valid(report):
    assert list(Draft7Validator(SCHEMA).iter_errors(report)) == []


def test_ids_are_unique_and_every_reference_leads_to_a_test(report):
    ids = [m["id"] for file in report["files"].values() for m in file["mutants"]]
    assert len(set(ids)) == len(ids) == 6
    assert len(set(checks(report))) == len(checks(report)) == 2
    for mutant in mutants(report).values():
        assert set(mutant["killedBy"]) <= set(mutant["coveredBy"]) <= set(checks(report))


def test_each_outcome_has_its_status_and_reason(report):
    found = mutants(report)
    assert {id_: m["status"] for id_, m in found.items()} == {
        "mul.own-operand": "Killed",
        "mul.dear": "Killed",
        "mul.crash": "Killed",
        "mul.survivor": "Survived",
        "mul.same": "Ignored",
        "mul.endless": "Timeout",
    }
    assert "reference: killed by value, error 2.5e-05" in found["mul.own-operand"]["statusReason"]
    assert "cost: killed by crash, ZeroDivisionError: again" in found["mul.crash"]["statusReason"]
    assert found["mul.same"]["statusReason"] == "products <commute>"
    assert found["mul.endless"]["statusReason"] == "no end in reference"


def test_a_mutant_stands_at_the_text_of_its_leaf(report):
    file = report["files"]["transforms/rules.py"]
    (start, end), lines = mutants(report)["mul.dear"]["location"].values(), file["source"].split("\n")
    assert lines[start["line"] - 1][start["column"] - 1 :].startswith("def mul_pullback")
    assert lines[end["line"] - 1][: end["column"] - 1].endswith("m.mul(ct, a)")


def test_a_survivor_that_no_check_calls_is_told_from_one_that_is_called():
    found = records()
    next(r for r in found if r.get("mutant") == "mul.survivor" and r["kind"] == "verdict")["covered_by"] = []
    assert mutants(mutation_schema.report(found))["mul.survivor"]["status"] == "NoCoverage"


def test_the_file_holds_the_report(tmp_path, report):
    assert json.loads(mutation_schema.write(records(), tmp_path).read_text()) == report
