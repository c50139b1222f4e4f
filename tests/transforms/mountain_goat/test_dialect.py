"""The verifiers of the `mg` dialect: which operations are refused, and what the message says."""

from __future__ import annotations

import pytest

from transforms.mountain_goat.errors import MountainGoatError

pytest.importorskip("xdsl")

from transforms.mountain_goat.mlir import read, write

PARAMETERS = {
    "x": "2x3",
    "y": "2x3",
    "d": "?x3",
    "e": "2x?",
    "c": "2x1",
    "h": "3x4",
    "r": "2x3x4",
    "u": "?x?x4",
}


def function(line: str, result: str) -> str:
    """A program with a function that has one operation, whose result it returns; `main` does nothing."""
    parameters = ", ".join(f"%{name}: tensor<{shape}xf64>" for name, shape in PARAMETERS.items())
    return (
        f"func.func @f({parameters}) -> {result} {{\n  {line}\n  func.return %a : {result}\n}}\n"
        "func.func @main() -> i32 {\n  %zero = arith.constant 0 : i32\n  func.return %zero : i32\n}\n"
    )


def operation(text: str) -> str:
    """`add x y -> 2x3 {...}` as a line of the dialect."""
    head, _, rest = text.partition(" -> ")
    shape, _, attributes = rest.partition(" ")
    op, *operands = head.split()
    types = ", ".join(f"tensor<{PARAMETERS[name]}xf64>" for name in operands)
    names = ", ".join(f"%{name}" for name in operands)
    arrow = "to" if op == "transpose" else "->"
    return f"%a = mg.{op} {names}{attributes and ' ' + attributes} : {types} {arrow} tensor<{shape}xf64>"


def program(text: str) -> str:
    return function(operation(text), f"tensor<{text.partition(' -> ')[2].split()[0]}xf64>")


@pytest.mark.parametrize(
    "text",
    [
        "add x y -> 2x3",
        "sub x d -> 2x3",
        "mul d d -> ?x3",
        "div d e -> 2x3",
        "div d e -> ?x?",
        "ge x y -> 2x3",
        "neg d -> ?x3",
        "matmul d h -> ?x4",
        "matmul e h -> 2x4",
        "transpose e -> ?x2",
        "reshape r -> 24",
        "reshape x -> 3x1x2",
        'reduce d -> 1x3 {axis = 0 : i64, kind = "max"}',
        'reduce d -> ?x1 {axis = 1 : i64, kind = "sum"}',
        "broadcast c -> 2x3",
        "broadcast c -> 2x?",
        "permute u -> 4x?x? {permutation = array<i64: 2, 1, 0>}",
        'scalar d -> ?x3 {op = "sub", value = 0.5 : f64, reversed = true}',
    ],
)
def test_shapes_that_agree_are_accepted(text: str):
    assert write(read(program(text))) == program(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("add x h -> 2x3", "mg.add of 2x3 and 3x4"),
        ("add x c -> 2x3", "mg.add of 2x3 and 2x1"),
        ("add x y -> 2x4", "the result has shape 2x4: expected 2x3"),
        ("add x y -> 2x3x1", "the result has shape 2x3x1: expected 2x3"),
        ("add d d -> 2x3", "the result has shape 2x3: expected ?x3"),
        ("mul r r -> 2x3x4", "mg.mul needs a matrix, found 2x3x4"),
        ("exp r -> 2x3x4", "mg.exp needs a matrix, found 2x3x4"),
        ("relu x -> 3x2", "the result has shape 3x2: expected 2x3"),
        ("matmul x y -> 2x3", "@ of 2x3 and 2x3"),
        ("matmul x h -> 4x2", "the result has shape 4x2: expected 2x4"),
        ("transpose x -> 2x3", "the result has shape 2x3: expected 3x2"),
        ("reshape x -> 5x1", "reshape of 2x3 to 5x1"),
        ("reshape d -> 6", "reshape of ?x3"),
        ("reshape x -> ?x3", "reshape of 2x3 to ?x3"),
        ("permute r -> 2x3x4 {permutation = array<i64: 0, 1, 1>}", "permute of 2x3x4 by 0, 1, 1"),
        ("permute r -> 2x3x4 {permutation = array<i64: 0, 1>}", "permute of 2x3x4 by 0, 1"),
        ("permute r -> 2x3x4 {permutation = array<i64: 2, 1, 0>}", "the result has shape 2x3x4: expected 4x3x2"),
        ("permute r -> 2x3x4 {permutation = array<i32: 0, 1, 2>}", "expected axes as i64"),
        ("permute r -> 2x3x4", "property 'permutation' expected"),
        ('reduce x -> 2x1 {axis = 2 : i64, kind = "sum"}', "axis is 2 : i64: expected 0 or 1 as i64"),
        ('reduce x -> 2x1 {axis = 1 : i32, kind = "sum"}', "axis is 1 : i32: expected 0 or 1 as i64"),
        ('reduce x -> 2x1 {axis = 1 : i64, kind = "mean"}', 'kind is "mean": expected one of sum, max'),
        ('reduce x -> 1x3 {axis = 1 : i64, kind = "sum"}', "the result has shape 1x3: expected 2x1"),
        ('reduce r -> 2x1 {axis = 1 : i64, kind = "sum"}', "mg.reduce needs a matrix, found 2x3x4"),
        ("broadcast x -> 4x3", "broadcast of 2x3 to 4x3"),
        ("broadcast d -> 2x3", "from ?x3 to 2x3: only axes of size 1 stretch"),
        ("broadcast c -> 2x3x4", "broadcast of 2x1 to 2x3x4"),
        ('scalar x -> 2x3 {op = "pow", value = 2.0 : f64, reversed = false}', 'op is "pow": expected one of add, sub'),
        ('scalar x -> 2x3 {op = "mul", value = 2.0 : f32, reversed = false}', "expected a finite f64"),
        ('scalar x -> 2x3 {op = "mul", value = 2.0 : f64}', "property 'reversed' expected"),
        ('scalar x -> 2x3 {op = "mul", value = 0x7FF8000000000000 : f64, reversed = false}', "expected a finite f64"),
        ("neg x -> 2x3 {fast}", "unknown attribute 'fast'"),
        ("neg x -> 0x3", "expected one axis or more, of positive sizes"),
        ("neg x -> 99999999999x3", "too large"),
    ],
)
def test_operations_that_make_no_sense_are_refused(text: str, message: str):
    with pytest.raises(MountainGoatError) as caught:
        read(program(text), "p.mlir")
    assert str(caught.value).startswith("p.mlir:2: error: mg.")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("constant", "message"),
    [
        ("dense<[[1.0, 2.0]]> : tensor<2x1xf64>", "Shape mismatch"),
        ("dense<[[1.0], [2.0, 3.0]]> : tensor<2x1xf64>", "inconsistent ranks"),
        ("dense<[[1.0, 2.0]]> : tensor<1x?xf64>", "expected a tensor of f64 of known sizes"),
        ("dense<[[1.0, 2.0]]> : tensor<1x2xf32>", "expected a tensor of f64 of known sizes"),
        ("dense<1.0> : tensor<f64>", "expected one axis or more"),
        ("dense<[[1.0e999]]> : tensor<1x1xf64>", "a number that is not finite"),
        ("3 : i32", "expected dense<...>"),
    ],
)
def test_constants_are_arrays_of_finite_doubles_of_their_type(constant: str, message: str):
    with pytest.raises(MountainGoatError, match=message) as caught:
        read(function(f"%a = mg.constant {constant}", "tensor<1x2xf64>"))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%a = tensor.cast %x : tensor<2x3xf64> to tensor<3x?xf64>", "constant dimensions should match"),
        ("%a = tensor.cast %x : tensor<2x3xf64> to tensor<?xf64>", "rank should be the same"),
        ("%a = tensor.cast %x : tensor<2x3xf64> to tensor<*xf64>", "expected a tensor of f64"),
        ('%a = "mg.add"(%x) : (tensor<2x3xf64>) -> tensor<2x3xf64>', "Expected 2 operands, but got 1"),
        ('%a = "mg.neg"(%x) : (tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)', "given 1 to bind"),
        ('%a = "mg.neg"(%x) : (tensor<2x3xf64>) -> f64', "f64"),
        ("mg.print %x : tensor<2x3xf64>", "mg.print outside of main"),
    ],
)
def test_other_operations_that_make_no_sense(line: str, message: str):
    with pytest.raises(MountainGoatError) as caught:
        read(function(line, "tensor<2x3xf64>").replace("func.return %a", "func.return %x"))
    assert message in str(caught.value)
    assert caught.value.line == 2
