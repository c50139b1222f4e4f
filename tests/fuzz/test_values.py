"""Hostile points, cotangents and directions, as text and as JSON."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from harness.mountain_goat_file import matrices
from harness.records import to_json
from harness.values import fit, show
from tests.fuzz.mutations import edited, mutated, spelt
from tests.fuzz.trial import command, limits, tries
from transforms.errors import AdjudgeError
from transforms.mountain_goat.errors import WrongDirection
from transforms.parse import parse, parse_value
from transforms.typecheck import typecheck
from transforms.types import Type

HEADER = "context: x: real, p: (real, (real, real)), w: real[2,3], s: (real + (real, real)) |- "
TERM = HEADER + "match s with inl a -> inl <x * a, p, w> | inr q -> inr (w * w)"
POINT: dict[str, Any] = {"x": 3.0, "p": [1.5, [2, -1e-3]], "w": [[1, 2, 3], [4, 5, 6]], "s": {"inr": [1, 2]}}
POINTS = [
    "x=3, p=<1.5, <2, -1e-3>>, w=[[1, 2, 3], [4, 5, 6]], s=inr <1, 2>",
    "x = nan,p=<+.5,<inf,-inf>>,w=[[0,0,0],[0,0,0]],s=inl -0  # a comment",
]
COTANGENTS: list[Any] = [{"inr": [[1, 0, 0], [0, 1.0, -1e3]]}, {"inl": [1, [0.5, [1, 2]], [[1, 2, 3], [4, 5, 6]]]}]
SEEDS = ["inr [[1, 0, 0], [0, 1.0, -1e3]]", "inl <1, <0.5, <1, 2>>, [[1, 2, 3], [4, 5, 6]]>", "1"]
WORDS = (
    "<",
    ">",
    "[",
    "]",
    "inl ",
    "inr ",
    "nan",
    "inf",
    "-",
    "+",
    ",",
    "=",
    "x",
    "x=1",
    ", x=2",
    "<>",
    "[]",
    "[[]]",
    "<1, 2>",
    "1",
)
TYPE: Type = typecheck(parse(HEADER + "<x, p, w, s>"))

Asked = tuple[list[str], bytes]


def fitted(given: str | bytes) -> str:
    """A value that fits a type is shown as a text that reads back as that value."""
    value = fit(json.loads(given.decode()) if isinstance(given, bytes) else parse_value(given), TYPE, "--at")
    assert to_json(fit(parse_value(show(value)), TYPE, "again")) == to_json(value)
    return "read"


@limits
def test_values_are_refused_or_fit_their_type_and_read_back():
    texts = [
        f"<3, <1.5, <2, -1e-3>>, [[1, 2, 3], [4, 5, 6]], {side}>" for side in ("inr <1, 2>", "inl nan", "inl -inf")
    ]

    def value(rng: Random) -> str | bytes:
        if rng.random() < 0.5:
            return mutated(rng, texts, WORDS)
        return spelt(rng, edited(rng, [*POINT.values()]) if rng.random() < 0.8 else [*POINT.values()])

    outcomes = tries(value, fitted, (AdjudgeError, ValueError, RecursionError))  # the last two are those of json.loads
    assert min(outcomes["read"], outcomes["refused"]) > outcomes.total() / 20


@limits
def test_grad_diagnoses_points_and_cotangents():
    def asked(rng: Random) -> Asked:
        at, cotangent = rng.choice(POINTS), rng.choice(SEEDS)
        data = b""
        match rng.randrange(5):
            case 0 | 1:
                at = mutated(rng, POINTS, WORDS)
            case 2:
                cotangent = mutated(rng, SEEDS, WORDS)
            case 3:
                at, data = "@", spelt(rng, edited(rng, POINT))
            case _:
                cotangent, data = "@", spelt(rng, edited(rng, rng.choice(COTANGENTS)))
        return ["grad", TERM, "--at", at, "--cotangent", cotangent, *rng.choice(([], ["--json"]))], data

    outcomes = tries(asked, given_file)
    assert outcomes["GOOD"] and outcomes["FINDING"]


def given_file(asked: Asked) -> str:
    """Run a command with a file of these bytes in place of every lone `@`."""
    args, data = asked
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        Path(file.name).write_bytes(data)
        return command(*(f"@{file.name}" if arg == "@" else arg for arg in args))


@limits
def test_directions_are_refused_by_their_number_or_read():
    texts = ["[[1, 2, 3], [4, 5, 6]]", "[[1, 0], [0, -1e3]]; [[2]]", " [[.5]] ;[[+1e-3,-2.]]"]

    def read(text: str) -> str:
        found = matrices(text)
        again = matrices(";".join(str(matrix.tolist()) for matrix in found))
        assert [matrix.tobytes() for matrix in again] == [matrix.tobytes() for matrix in found]
        return "read"

    def text(rng: Random) -> str:
        return mutated(rng, texts, (";", "[", "]", "[[1]]", ",", "@", "-", "a", "@FILE.json"))

    outcomes = tries(text, read, (WrongDirection,), "error: matrix [1-9]")
    assert min(outcomes["read"], outcomes["refused"]) > outcomes.total() / 20
