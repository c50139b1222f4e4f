from __future__ import annotations

import json

import pytest

from harness.status import Status
from mutants import describe
from reports import reference, schema
from transforms.array_rules import TABLE
from transforms.composed_rules import COMPOSED
from transforms.derivative_rules import DERIVATIVE_RULES

RECORDS = describe.records()
PRIMITIVES = {record["name"]: record for record in RECORDS if record["kind"] == "primitive"}


def test_every_row_of_the_table_is_described_once():
    named = [record["name"] for record in RECORDS if record["kind"] == "primitive"]
    assert sorted(named) == sorted({**TABLE, **DERIVATIVE_RULES, **COMPOSED})


@pytest.mark.parametrize(
    ("name", "receives"),
    [
        ("mul", {"a": "ct * b", "b": "ct * a"}),
        ("sub", {"a": "ct", "b": "-ct"}),
        ("div", {"a": "ct / b", "b": "-(ct / b * r)"}),
        ("sin", {"a": "ct * cos(a)"}),
        ("matmul", {"a": "matmul(ct, transpose(b))", "b": "matmul(transpose(a), ct)"}),
        ("permute", {"a": "permute(ct, permutation=(1, 2, 0))"}),
        ("ge", {"a": None, "b": None}),
    ],
)
def test_what_arguments_receive_is_the_derivative_times_the_cotangent(name, receives):
    assert PRIMITIVES[name]["examples"][0]["receives"] == receives


def test_a_sum_along_an_axis_and_a_maximum_are_shown_apart():
    values = [example["value"] for example in PRIMITIVES["reduce"]["examples"]]
    assert values == ["reduce(a, axis=1, kind=sum)", "reduce(a, axis=1, kind=max)"]


def test_every_exit_status_has_a_meaning():
    assert describe.MEANING.keys() == set(Status)


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "described.jsonl"
    path.write_text(describe.lines(RECORDS))
    assert schema.read(path, reference.KINDS) == [json.loads(line) for line in path.read_text().splitlines()]
