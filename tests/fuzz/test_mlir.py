"""Hostile text of the `mg` dialect."""

from __future__ import annotations

from random import Random

from tests.fuzz.mutations import mutated
from tests.fuzz.test_mountain_goat import PROGRAMS as SOURCES
from tests.fuzz.test_mountain_goat import on_file
from tests.fuzz.trial import limits, tries
from transforms.mountain_goat.errors import MountainGoatError
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.mlir import read, write

PROGRAMS = [write(lower(source)) for source in SOURCES]
WORDS = (
    '"', "\\", "//", "[", "]", "<", ">", "{", "}", "(", ")", "->", "dense<", "tensor<", "tensor<?x?xf64>", "%", "%zz",
    "%a", "%x", "%0#1", "@f", "@h", "^bb0:", "#a", "!b", "é", "i999999999", ": i64", "0x7FF8000", "-", "1.0e999",
    "dense<1.0> : tensor<99999x99999xf64>", "dense<1.0> : tensor<3162x3162xf64>", "dense<1> : tensor<2xi64>", "false",
    "array<i64: 0>", "func.func @main()", "mg.print", "mg.broadcast", "tensor.cast", "mg.scalar", "mg.reduce",
    "module {", "func.return", "func.call @f(%a)", "loc(unknown)", "affine_map<()>", "x", '"mg.add"(%a, %a)',
    '{op = "mul"}', "\n", ",", "=", "?", "<{", "}>", "{-#", "unit", "opaque<", "_1", "tensor<1x1xf64>", "xf64", "f64",
    "i32", "axis = 2", '"max"',
)  # fmt: skip


def text(rng: Random) -> str:
    return mutated(rng, PROGRAMS, WORDS)


def read_back(given: str) -> str:
    module = read(given, "p.mlir")
    assert write(read(write(module))) == write(module)
    inline(module)
    return "read"


@limits
def test_texts_are_refused_with_their_line_or_read_back():
    outcomes = tries(text, read_back, (MountainGoatError,), r"p\.mlir:[1-9][0-9]*: error: [^\n]+$")
    assert min(outcomes["read"], outcomes["refused"]) > outcomes.total() / 50


@limits
def test_the_commands_diagnose_texts():
    on_file(".mlir", text)
