"""Reading records: a whole file is read back, any other is refused with its place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reports import schema
from reports.errors import Contradiction, MissingFile, NotARecord, RecordsError, Truncated, WrongField, WrongSchema
from tests.reports import mutation_records

Record = dict[str, Any]


def write(folder: Path, records: list[Record]) -> Path:
    path = folder / "bench.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def first(records: list[Record], kind: str) -> Record:
    return next(record for record in records if record["kind"] == kind)


def test_a_whole_file_is_read_back(tmp_path: Path, records: list[Record]) -> None:
    assert schema.read(write(tmp_path, records)) == records


def test_extra_keys_are_kept(tmp_path: Path, records: list[Record]) -> None:
    records[1]["note"] = {"any": [1, None]}
    assert schema.read(write(tmp_path, records))[1]["note"] == {"any": [1, None]}


def test_every_kind_of_record_is_sampled(records: list[Record]) -> None:
    assert {record["kind"] for record in records} == set(schema.BENCH)


def test_any_part_of_a_counted_file_is_refused(tmp_path: Path, records: list[Record]) -> None:
    run = {**records[0], "records": 2}
    path = write(tmp_path, [run, *records[1:3]])
    whole = path.read_bytes()
    assert len(schema.read(path)) == 3
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(RecordsError):
            schema.read(path)


def test_a_cut_last_line_is_named(tmp_path: Path, records: list[Record]) -> None:
    path = write(tmp_path, records[:3])
    path.write_bytes(path.read_bytes()[:-1])  # valid JSON still, but a writer ends its lines
    with pytest.raises(Truncated) as error:
        schema.read(path)
    assert f"{path}, line 3: expected a line that ends in a newline" in str(error.value)


def test_a_field_absent_or_of_another_type_is_named(tmp_path: Path, records: list[Record]) -> None:
    for kind, fields in schema.BENCH.items():
        record = first(records, kind)
        for name, words in fields.items():
            absent = {key: value for key, value in record.items() if key != name}
            wrong = [
                *([] if "nothing" in words else [absent]),
                *([] if words == "any value" else [{**record, name: [0]}]),
            ]
            for edited in wrong if name != "schema" else []:
                lines = [edited] if kind == "run" else [records[0], edited]
                with pytest.raises(WrongField) as error:
                    schema.read(write(tmp_path, lines))
                assert f'line {len(lines)}: expected "{name}" of a {kind} to be {words}; found ' in str(error.value)


@pytest.mark.parametrize("value", ["12", True, -1, None])
def test_a_count_is_a_number_of_at_least_0(tmp_path: Path, records: list[Record], value: object) -> None:
    with pytest.raises(WrongField, match="at least 0; found"):
        schema.read(write(tmp_path, [records[0], {**records[1], "value": value, "ratio": None}]))


def test_an_edited_value_contradicts_its_ratio(tmp_path: Path, records: list[Record]) -> None:
    edited = {**records[3], "value": records[3]["value"] + 1}
    with pytest.raises(Contradiction, match=r'line 2: expected "ratio" to be 8 / 1; found 7\.0'):
        schema.read(write(tmp_path, [records[0], edited]))


def test_an_exponent_lies_within_its_interval(tmp_path: Path, records: list[Record]) -> None:
    fit = first(records, "fit")
    for edit in ({"exponent": 3.0}, {"low": None}):
        with pytest.raises(Contradiction, match='line 2: expected "exponent" between'):
            schema.read(write(tmp_path, [records[0], {**fit, **edit}]))
    schema.read(write(tmp_path, [records[0], {**fit, "exponent": None, "low": None, "high": None}]))


@pytest.mark.parametrize(
    "head", [{"kind": "run", "schema": 2}, {"kind": "cell"}, {"schema": 1}, {"kind": "run", "schema": "1"}]
)
def test_a_file_of_another_schema_is_refused(tmp_path: Path, head: Record) -> None:
    with pytest.raises(WrongSchema, match='line 1: expected a first record with "kind": "run", "schema": 1; found'):
        schema.read(write(tmp_path, [head]))


@pytest.mark.parametrize("kind", ["verdict", "run", None, ["fit"]])
def test_only_known_kinds_follow_the_run(tmp_path: Path, records: list[Record], kind: object) -> None:
    with pytest.raises(WrongSchema, match='line 2: expected "kind" to be one of measurement, fit'):
        schema.read(write(tmp_path, [records[0], {**records[0], "kind": kind}]))


@pytest.mark.parametrize("line", [b"", b"[1]", b"{", b"\xff", b'{"value": NaN}', b"[" * 100_000, b"9" * 5000])
def test_a_line_that_is_no_json_object_is_refused(tmp_path: Path, records: list[Record], line: bytes) -> None:
    path = write(tmp_path, records[:1])
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(NotARecord, match=r"line 2: expected a JSON object; found .{1,60}$"):
        schema.read(path)


def test_an_empty_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Truncated, match="line 1: expected a run record; found an empty file"):
        schema.read(write(tmp_path, []))
    with pytest.raises(MissingFile, match="no such file"):
        schema.read(tmp_path / "nothing.jsonl")
    with pytest.raises(MissingFile, match="is a directory"):
        schema.read(tmp_path)


@pytest.mark.parametrize(
    ("kind", "edit", "expected"),
    [
        ("cell", {"check": "taylor"}, '"check" to be of the run: reference, cost; found "taylor"'),
        ("cell", {"mutant": "mul.dear"}, "one cell of mul.dear and reference; found a second one"),
        ("cell", {"mutant": "mul.x"}, "cells of mul.own-operand before its verdict; found none of reference"),
        ("verdict", {"mutant": "mul.x"}, "cells of mul.x before its verdict; found none of reference"),
        ("verdict", {"breaks": "v"}, '"breaks" of a verdict to be "value" or "cost" or "accuracy"; found "v"'),
        ("verdict", {"by": ["cost"]}, '"by" to be ["reference"]; found ["cost"]'),
        ("verdict", {"timeouts": ["cost"]}, '"timeouts" to be []; found ["cost"]'),
        ("verdict", {"caught": False}, '"caught" to be true; found false'),
        ("verdict", {"expected": "x"}, '"expected" of a verdict to be "caught" or "equivalent"; found "x"'),
        ("verdict", {"expected": "equivalent"}, '"caught" to be 2; found 3'),
        ("summary", {"mutants": 7}, '"mutants" to be 6; found 7'),
        ("summary", {"caught": 4}, '"caught" to be 3; found 4'),
        ("summary", {"survived": []}, '"survived" to be ["mul.survivor", "mul.endless"]; found []'),
        ("summary", {"score": 1.7}, '"score" to be 0.6; found 1.7'),
        ("summary", {"equivalent": []}, '"equivalent" to be ["mul.same"]; found []'),
        ("cell", {"margin": 0.0}, '"margin" above 0, as "outcome" is killed-value; found 0.0'),
        ("cell", {"margin": None}, '"margin" above 0, as "outcome" is killed-value; found null'),
        *(
            ("cell", {"margin": margin}, '"margin" of a cell to be a number of at least 0 or "inf" or "nan" or null')
            for margin in (-1.0, "-inf")
        ),
    ],
)
def test_records_of_a_mutation_run_fit_together(tmp_path: Path, kind: str, edit: Record, expected: str) -> None:
    records = mutation_records.records()
    assert schema.read(write(tmp_path, records), schema.MUTANTS) == records
    first(records, kind).update(edit)
    with pytest.raises(RecordsError, match=re.escape(f": expected {expected}")):
        schema.read(write(tmp_path, records), schema.MUTANTS)


def test_a_timeout_alone_is_no_catch_unless_it_is_no_surprise(tmp_path: Path) -> None:
    records = mutation_records.records()
    endless = next(r for r in records if r["kind"] == "verdict" and r["timeouts"])
    summary = first(records, "summary")
    endless["caught"] = True
    with pytest.raises(Contradiction, match='"caught" to be false; found true'):
        schema.read(write(tmp_path, records), schema.MUTANTS)
    endless["surprises"] = []
    summary.update(caught=4, survived=["mul.survivor"], score=0.8)
    assert schema.read(write(tmp_path, records), schema.MUTANTS) == records


def test_a_run_that_was_broken_off_is_told_how_to_finish_it(tmp_path: Path) -> None:
    run, *records = mutation_records.records()
    del run["records"]
    with pytest.raises(Truncated, match=r"line 1: expected a run that was finished; found .*broken off.*--resume"):
        schema.read(write(tmp_path, [run, *records[:5]]), schema.MUTANTS)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_number_is_within_the_range_of_doubles(tmp_path: Path, records: list[Record], value: int) -> None:
    for edit in ({"value": value, "ratio": None}, {"sizes": {"n": value}}):
        with pytest.raises(WrongField, match="line 2"):
            schema.read(write(tmp_path, [records[0], {**records[1], **edit}]))


def test_half_of_a_surrogate_pair_is_no_text(tmp_path: Path, records: list[Record]) -> None:
    with pytest.raises(NotARecord, match="line 2"):
        schema.read(write(tmp_path, [records[0], {**records[1], "note": ["\ud800"]}]))


@pytest.mark.parametrize(
    ("kind", "edit"),
    [
        ("summary", {"threats": [{"breaks": "value", "mutants": 4, "nobody": 2, "right": "two"}]}),
        ("summary", {"threats": ["value"]}),
        ("summary", {"tolerances": [{"factor": 1.0, "score": 0.5}]}),
        ("summary", {"separation": [{"mutant": "mul.dear"}]}),
        ("summary", {"groups": ["a"]}),
        ("verdict", {"leaf": {}}),
        ("verdict", {"difference": {"program": "x"}}),
        ("cell", {"error": None}),
    ],
)
def test_whatever_a_page_shows_has_its_shape(tmp_path: Path, kind: str, edit: Record) -> None:
    records = mutation_records.records()
    first(records, kind).update(edit)
    with pytest.raises(RecordsError, match=next(iter(edit))):
        schema.read(write(tmp_path, records), schema.MUTANTS)


def test_a_run_has_one_summary(tmp_path: Path) -> None:
    run, *records = mutation_records.records()
    with pytest.raises(Contradiction, match="one summary"):
        schema.read(write(tmp_path, [{**run, "records": len(records) + 1}, *records, records[-1]]), schema.MUTANTS)
