"""The text of the `mg` dialect: layout, round trips, tolerance, errors, and what hostile text costs."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.random_matrices import random_matrices
from transforms.mountain_goat.errors import MountainGoatError
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.mlir import read, write
from transforms.mountain_goat.module import Function, Instruction, Module
from transforms.mountain_goat.run import run

ROOT = Path(__file__).parents[3]

EXAMPLE = """\
func.func @scale_add(%x: tensor<1x3xf64>, %y: tensor<1x3xf64>) -> tensor<1x3xf64> {
  %t1 = mg.scalar %x {op = "mul", value = 2.0 : f64, reversed = false} : tensor<1x3xf64> -> tensor<1x3xf64>
  %t2 = mg.add %t1, %y : tensor<1x3xf64>, tensor<1x3xf64> -> tensor<1x3xf64>
  func.return %t2 : tensor<1x3xf64>
}
func.func @main() -> i32 {
  %t1 = mg.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf64>
  %t3 = func.call @scale_add(%t1, %t1) : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<1x3xf64>
  mg.print %t3 : tensor<1x3xf64>
  %zero = arith.constant 0 : i32
  func.return %zero : i32
}
"""

LINES = """\
  %a = mg.transpose %x : tensor<2x3xf64> to tensor<3x2xf64>
  %b = mg.reduce %x {axis = 1 : i64, kind = "sum"} : tensor<2x3xf64> -> tensor<2x1xf64>
  %c = mg.broadcast %b : tensor<2x1xf64> -> tensor<2x3xf64>
  %d = mg.reshape %x : tensor<2x3xf64> -> tensor<6xf64>
  %e = mg.permute %r {permutation = array<i64: 1, 2, 0>} : tensor<2x3x4xf64> -> tensor<3x4x2xf64>
  %f = mg.ge %x, %y : tensor<2x3xf64>, tensor<2x3xf64> -> tensor<2x3xf64>
  %g = mg.matmul %x, %h : tensor<2x3xf64>, tensor<3x4xf64> -> tensor<2x4xf64>
  %i = mg.neg %x : tensor<2x3xf64> -> tensor<2x3xf64>
  %j = mg.exp %x : tensor<2x3xf64> -> tensor<2x3xf64>
  %k = tensor.cast %x : tensor<2x3xf64> to tensor<?x?xf64>
"""

MAIN = "func.func @main() -> i32 {\n%s  %%zero = arith.constant 0 : i32\n  func.return %%zero : i32\n}\n"
AROUND = (
    "func.func @f(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>, %r: tensor<2x3x4xf64>, %h: tensor<3x4xf64>)"
    " -> tensor<2x3xf64> {\n{LINES}  func.return %x : tensor<2x3xf64>\n}\n"
)

PROGRAM = """\
def f(x: tensor[?x3], y: tensor[1x3]) = relu(x) * 2.0 + y
def g() = [[-0.0, 1e16, 5e-324, 1.7976931348623157e308]]
def h(x: tensor[2x3x4]) = reshape(permute(x, 2, 0, 1), 4, 6)
let a = [[1, 2, 3], [4, 5, 6]]
let b = [[1e-7, 0.25, 3]]
let c = f(a, b) - a / 3
let w_1 = ge(row_max(a), col_sum(b * 2 - 1))
let a = log(exp(a)) + sqrt(b * b) - -a
print a
print g()
print transpose(a) @ c
print contract(reshape(a, 2, 3, 1), (1), reshape(b, 3, 1), (0))
let r = a @ [[1, 0, 0, 2], [0, 1, 0, 2], [0, 0, 1, 2]] @ [[1], [2], [3], [4]]
print h(reshape(r @ [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]], 2, 3, 4))
print row_mean(c) + col_mean(c) - 0.1 / w_1
"""


def around(lines: str) -> str:
    """A program in which these lines stand in a function; %x and %y are 2x3, %r 2x3x4, %h 3x4."""
    return AROUND.replace("{LINES}", lines) + MAIN % ""


def as_data(module: Module) -> object:
    """A module without its lines and file, comparable: arrays by their bytes."""

    def instruction(i: Instruction) -> object:
        given = {k: (v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for k, v in i.attributes.items()}
        return replace(i, attributes=given, line=0)

    def function(f: Function) -> object:
        return replace(f, body=tuple(map(instruction, f.body)), line=0)

    return tuple(map(function, module.functions)), tuple(map(instruction, module.main))


def lets(module: Module) -> dict[str, list[str]]:
    return {name: [value for _, value in bound] for name, bound in module.lets.items()}


def test_the_example_of_the_language_prints_back_identically():
    assert write(read(EXAMPLE)) == EXAMPLE


def test_every_literal_line_of_the_language_prints_back_identically():
    assert write(read(around(LINES))) == around(LINES)


@pytest.mark.parametrize("op", ["log", "sqrt", "relu", "sub", "mul", "div"])
def test_the_operations_like_others_do_too(op: str):
    like = LINES.splitlines(keepends=True)[5 if op in ("sub", "mul", "div") else 8]
    line = re.sub(r"mg\.\w+", f"mg.{op}", like)
    assert write(read(around(line))) == around(line)


def test_a_module_reads_back_as_it_was_written():
    module = lower(PROGRAM)
    again = read(write(module))
    assert as_data(again) == as_data(module)
    assert write(again) == write(module)


def test_lets_are_the_values_of_main_with_a_name_of_their_own():
    module = read(write(lower("let w = [[1, 2]]\nlet v = exp(w)\nprint v * [[3, 4]]\n")))
    assert lets(module) == {"w": ["w"], "v": ["v"]}
    assert lets(read(MAIN % "  %0 = mg.constant dense<[[1.0]]> : tensor<1x1xf64>\n")) == {}


def test_instructions_and_lets_know_their_lines():
    module = read("// a comment\n\n" + EXAMPLE.replace("%t1 =", "%w =").replace("%t1", "%w"), "e.mlir")
    assert module.file == "e.mlir"
    assert [f.line for f in module.functions] == [3]
    assert [i.line for i in module.functions[0].body] == [4, 5]
    assert [i.line for i in module.main] == [9, 10, 11]
    assert module.lets["w"] == ((9, "w"),)


def with_number(value: float) -> Module:
    """A program with this number in a constant and in a scalar operation."""
    constant = Instruction("c", "constant", (), (1, 2), {"value": np.array([[value, 1.0]])})
    scalar = Instruction("s", "scalar", ("c",), (1, 2), {"kind": "div", "value": value, "reversed": True})
    return Module((), (constant, scalar))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2.0"),
        (0.25, "0.25"),
        (-0.0, "-0.0"),
        (1e16, "1.0e+16"),
        (-1e-7, "-1.0e-07"),
        (0.1, "0.1"),
        (5e-324, "5.0e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
)
def test_numbers_are_the_shortest_text_that_reads_back_with_a_point(value: float, text: str):
    lines = write(with_number(value)).splitlines()
    assert f"dense<[[{text}, 1.0]]>" in lines[1]
    assert f"value = {text} : f64" in lines[2]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back_as_it_was(value: float):
    assert as_data(read(write(with_number(value)))) == as_data(with_number(value))


def test_names_that_xdsl_would_cut_are_written_otherwise():
    names = ["x_1", "x1", "zero"]
    ones = [Instruction(name, "constant", (), (1, 1), {"value": np.ones((1, 1))}) for name in names]
    text = write(Module((), (*ones, Instruction(None, "print", ("x1",), None))))
    assert re.findall(r"%(\w+)", text) == ["x1v2", "x1", "zero", "x1", "zerozero", "zerozero"]
    assert write(read(text)) == text


@pytest.mark.parametrize("name", ["module", "builtin.module", "module @m attributes {a = 1 : i64}"])
def test_a_surrounding_module_is_read(name: str):
    assert write(read(f"{name} {{\n{EXAMPLE}}}\n")) == EXAMPLE


def test_other_spellings_are_read():
    text = """
    // generic operations, attributes in another order, short names, splats, whole numbers, numbered values
    func.func private @scale_add(%x : tensor<1x3xf64>, %y : tensor<1x3xf64>) -> (tensor<1x3xf64>) {
      %t1 = "mg.scalar"(%x) <{reversed = false, value = 2.000000e+00 : f64, op = "mul"}>
        : (tensor<1x3xf64>) -> tensor<1x3xf64>
      %t2 = "mg.add" (%t1, %y) : (tensor<1x3xf64>, tensor<1x3xf64>) -> (tensor<1x3xf64>)
      return %t2 : tensor<1x3xf64> loc("somewhere":1:2)
    }
    func.func @main() -> i32 attributes {llvm.emit_c_interface} { %0 = mg.constant dense<[[1, 2, 3.]]>
        : tensor<1x3xf64>   // over two lines
      %3 = call @scale_add(%0, %0) : (tensor<1x3xf64>, tensor<1x3xf64>) -> tensor<1x3xf64>
      mg.print %3 : tensor<1x3xf64>
      %c0_i32 = arith.constant 0 : i32
      return %c0_i32 : i32
    }"""
    assert write(read(text)) == EXAMPLE.replace("%t3", "%t2")
    generic = EXAMPLE.replace('%x {op = "mul", value', "%x {value").replace("false}", 'false, op = "mul"}')
    assert write(read(generic)) == EXAMPLE
    splat = MAIN % "  %a = mg.constant dense<-2.5> : tensor<2x2xf64>\n"
    assert "dense<[[-2.5, -2.5], [-2.5, -2.5]]>" in write(read(splat))
    assert read("func.func @main() {\n  return\n}").main == ()


A = "  %a = mg.constant dense<[[1.0]]> : tensor<1x1xf64>\n"
T = "tensor<1x1xf64>"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty input"),
        ("// only a comment\n", 1, "empty input"),
        ("let x = 1\n", 1, "Operation let is not registered"),
        ("\n\n$", 3, "Unexpected character: $"),
        ("func.func @f() {\n", 1, "'{' is never closed"),
        ("func.func @f(%x: " + T + ") -> " + T + " {\n  func.return %x : " + T + "\n}\n", 1, "no function main"),
        (MAIN % A + MAIN % A, 6, "function main is already defined"),
        (MAIN % ("  mg.print %a : " + T + "\n" + A), 2, "%a is used before it is defined"),
        (MAIN % f"  %a = mg.neg %a : {T} -> {T}\n", 2, "%a is used before it is defined"),
        (
            MAIN % f"  %a = mg.neg %b : {T} -> {T}\n  %b = mg.neg %a : {T} -> {T}\n",
            2,
            "%b is used before it is defined",
        ),
        (MAIN % (A + A), 3, "%a is already defined"),
        (MAIN % (A + "  mg.print %a : tensor<1x2xf64>\n"), 3, "operand is used with type tensor<1x2xf64>"),
        (MAIN % (A + f"  %b = call @f(%a) : ({T}) -> {T}\n"), 3, "function f is not defined above its call"),
        (
            EXAMPLE.replace("1x3xf64>\n  mg.print %t3 : tensor<1x3", "3x1xf64>\n  mg.print %t3 : tensor<3x1"),
            8,
            "expected (tensor<1x3",
        ),
        (EXAMPLE.replace("call @scale_add", "call @main"), 8, "function main is not defined above its call"),
        (A + MAIN % "", 1, "expected func.func, found mg.constant"),
        (MAIN % "" + A, 5, "expected func.func, found mg.constant"),
        (MAIN.replace("0 : i32", "1 : i32") % "", 1, "expected no parameters, and 0 : i32 to be returned"),
        (MAIN % "  %b = arith.constant 1.0 : f64\n  mg.print %b : f64\n", 3, "f64"),
        (MAIN % (A + "  mg.print %a\n"), 3, "xpected"),
        (MAIN % (A + "  mg.neg %a\n"), 3, "xpected"),
        (MAIN % (A + "  mg.pow %a : " + T + "\n"), 3, "Operation mg.pow is not registered"),
        (MAIN % (A + "  )\n"), 3, "unbalanced ')'"),
        ("func.func private @g() -> " + T + "\n", 1, "expected a body of one block"),
        ("func.func @main() {\n  return\n^b:\n  return\n}\n", 1, "expected a body of one block"),
        ('func.func @"a b"() -> ' + T + " {\n" + A + f"  return %a : {T}\n}}\n", 1, "'a b' is no name of a function"),
    ],
)
def test_errors_give_the_file_and_the_line(text: str, line: int, message: str):
    with pytest.raises(MountainGoatError) as caught:
        read(text, "p.mlir")
    assert str(caught.value).startswith(f"p.mlir:{line}: error: ")
    assert message in str(caught.value)


def test_what_cannot_be_written_is_refused_with_its_line():
    module = Module(
        (), (Instruction("a", "constant", (), (1, 1), {"value": np.array([[np.inf]])}, line=7),), file="p.mg"
    )
    with pytest.raises(MountainGoatError, match=r"p\.mg:7: error: mg\.constant: a number that is not finite"):
        write(module)


def chain(length: int) -> Module:
    """A program of about this many instructions."""
    steps = [f"let y{k + 1} = exp(y{k}) * 0.5 + w" for k in range(length // 4)]
    return lower("\n".join(["let w = [[1, 2, 3]]", "let y0 = [[1, 2, 3], [4, 5, 6]]", *steps, f"print y{length // 4}"]))


@pytest.mark.slow
def test_long_programs_are_written_and_read_in_linear_time():
    def seconds(length: int) -> tuple[float, float]:
        module = chain(length)
        began = time.process_time()
        text = write(module)
        written = time.process_time()
        read(text)
        return written - began, time.process_time() - written

    seconds(100)
    short, long = seconds(2_500), seconds(20_000)
    assert long[0] < 3 * 8 * short[0]
    assert long[1] < 3 * 8 * short[1]
    assert sum(long) < 40.0


def test_without_xdsl_everything_else_runs_and_says_how_to_install_it():
    script = (
        "import sys; sys.modules['xdsl'] = None\n"
        "import adjudge\n"
        "from transforms.mountain_goat.mlir import MissingXdsl, read\n"
        "try: read('')\n"
        "except MissingXdsl as error: sys.stdout.write(str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pip install 'xdsl>=0.70,<0.76'" in done.stdout


@given(st.randoms(use_true_random=True), st.integers(1, 30))
def test_random_programs_read_back_as_they_were_and_print_the_same(rng: Random, size: int):
    module = lower(random_matrices(rng, size=size).source)
    again = read(write(module))
    assert as_data(again) == as_data(module)
    assert write(again) == write(module)
    assert [value.tobytes() for value in run(inline(again))] == [value.tobytes() for value in run(inline(module))]


def test_only_the_dialect_and_its_reader_and_writer_know_xdsl():
    sources = [
        path for folder in ("transforms", "harness", "mutants", "reports") for path in (ROOT / folder).rglob("*.py")
    ]
    known = {path.name for path in sources if re.search(r"^\s*(from|import) xdsl", path.read_text(), re.MULTILINE)}
    assert known == {"dialect.py", "dialect_base.py", "mlir_parser.py", "mlir_read.py", "mlir_write.py"}
