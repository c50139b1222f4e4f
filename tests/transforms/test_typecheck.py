"""The type checker."""

from __future__ import annotations

import pytest

from transforms.errors import ShapeMismatch, SourceError, UnboundVariable, UnknownPrimitive, WrongArity, WrongCase
from transforms.parse import parse
from transforms.typecheck import typecheck


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("<x1*x2, x1+x2>", "(real, real)"),
        ("<<>, <x>>", "((), (real))"),
        ("context: p: (real, (real, real)) |- case p of <a, q> -> <q, a>", "((real, real), real)"),
        ("context: w: real[2,3] |- relu(w) * w", "real[2,3]"),
        ("let x = <1, 2> in case x of <x, y> -> x", "real"),
    ],
)
def test_types(text: str, type_: str):
    assert str(typecheck(parse(text))) == type_


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x + foo(y)", UnknownPrimitive, "line 1, column 5: unknown primitive 'foo': expected one of abs, cos"),
        ("sign(x)", UnknownPrimitive, "unknown primitive 'sign'"),
        ("sin(x, y)", WrongArity, "line 1, column 1: sin takes 1 argument, found 2"),
        ("max()", WrongArity, "max takes 2 arguments, found 0"),
        ("context: x: real |- x + z", UnboundVariable, "line 1, column 25: unbound variable 'z': expected one of x"),
        ("context: |- let y = (let z = 1 in z) in z", UnboundVariable, "unbound variable 'z': expected one of y"),
        ("case x of <a> -> a", WrongCase, "line 1, column 1: case needs a tuple, found real"),
        ("case <x, y> of <a> -> a", WrongCase, "case on 2 components of (real, real), found 1 name"),
        ("<x> + y", ShapeMismatch, "line 1, column 5: add: expected real or an array, found (real)"),
        ("context: a: real[2], b: real[3] |- a * b", ShapeMismatch, "found real[2] and real[3]"),
    ],
)
def test_errors(text: str, error: type[SourceError], message: str):
    with pytest.raises(error) as caught:
        typecheck(parse(text))
    assert message in str(caught.value)


def test_without_a_header_a_name_outside_its_let_is_an_input():
    program = parse("let y = (let z = x in z) in z + y + u")
    assert [name for name, _ in program.context] == ["x", "z", "u"]
    assert str(typecheck(program)) == "real"
