"""The type checker."""

from __future__ import annotations

import pytest

from transforms.errors import (
    ShapeMismatch,
    SourceError,
    TooLarge,
    UnboundVariable,
    UnknownPrimitive,
    WrongArity,
    WrongCase,
)
from transforms.parse import parse
from transforms.typecheck import typecheck
from transforms.types import REAL, brief


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("<x1*x2, x1+x2>", "(real, real)"),
        ("<<>, <x>>", "((), (real))"),
        ("context: p: (real, (real, real)) |- case p of <a, q> -> <q, a>", "((real, real), real)"),
        ("context: w: real[2,3] |- relu(w) * w", "real[2,3]"),
        ("let x = <1, 2> in case x of <x, y> -> x", "real"),
        ("inl x", "(real + ())"),
        ("sign x", "((() + ()) + ())"),
        ("match inl x with inl a -> a*a | inr b -> b*b", "real"),
        ("match inl x with inl a -> <a, a> | inr b -> b", "(real, real)"),
        ("match inl x with inl a -> a | inr b -> case b of <p, q> -> match q with inl u -> p | inr v -> v", "real"),
        ("context: w: real[2], x: real |- match inl x with inl a -> w | inr b -> b * w", "real[2]"),
        ("match sign x with inl s -> inl x | inr z -> inr <x, y>", "(real + (real, real))"),
        ("context: s: (real + (real, ())) |- match s with inl a -> inr a | inr p -> inl p", "((real, ()) + real)"),
    ],
)
def test_types(text: str, type_: str):
    assert str(typecheck(parse(text))) == type_


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x + foo(y)", UnknownPrimitive, "line 1, column 5: unknown primitive 'foo': expected one of abs, cos"),
        ("sgn(x)", UnknownPrimitive, "unknown primitive 'sgn'"),
        ("sin(x, y)", WrongArity, "line 1, column 1: sin takes 1 argument, found 2"),
        ("max()", WrongArity, "max takes 2 arguments, found 0"),
        ("context: x: real |- x + z", UnboundVariable, "line 1, column 25: unbound variable 'z': expected one of x"),
        ("context: |- let y = (let z = 1 in z) in z", UnboundVariable, "unbound variable 'z': expected one of y"),
        ("case x of <a> -> a", WrongCase, "line 1, column 1: case needs a tuple, found real"),
        ("case <x, y> of <a> -> a", WrongCase, "case on 2 components of (real, real), found 1 name"),
        ("<x> + y", ShapeMismatch, "line 1, column 5: add: expected real or an array, found (real)"),
        ("context: a: real[2], b: real[3] |- a * b", ShapeMismatch, "found real[2] and real[3]"),
        ("inl x * y", ShapeMismatch, "line 1, column 7: mul: expected real or an array, found (real + ?)"),
        ("sign <x>", ShapeMismatch, "line 1, column 1: sign needs a real, found (real)"),
        ("match x with inl a -> a | inr b -> b", WrongCase, "column 1: match needs a value of a sum, found real"),
        (
            "match inl x with inl a -> a | inr b -> <x>",
            ShapeMismatch,
            "the branches of a match differ: real and (real)",
        ),
        (
            "match inl x with inl a -> a | inr b -> case b of <p> -> b * p",
            ShapeMismatch,
            "mul: expected real or an array",
        ),
        (
            "match inl x with inl a -> a | inr b -> case b of <> -> case b of <p> -> p",
            WrongCase,
            "case on 0 components",
        ),
        (
            "match inl 1 with inl a -> inl 1 | inr b -> match inl 1 with inl c -> inr b | inr e -> inr <b>",
            ShapeMismatch,
            "the branches of a match differ",
        ),
        ("context: s: (real + ()) |- match s with inl a -> a | inr u -> u", ShapeMismatch, "differ: real and ()"),
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


CLOSED = "match inl x with inl y -> y | inr e -> "


@pytest.mark.parametrize(
    "text",
    [
        "let a = <x, x> in " + 40 * "let a = <a, a> in " + "a",
        "let a = <> in " + 40 * "let a = <a, a> in " + "a",
        "let a = <> in " + 70 * "let a = <a, a> in " + "x",
        "let a = x in " + 70 * "let a = inl <a, a> in " + "x",
        "let a = x in " + 20_000 * "let a = <a> in " + "x",
        CLOSED + 20_000 * "case e of <e> -> " + "x",
        "let a = inl x in " + 60 * "let a = match a with inl u -> inl u | inr e -> inr <e, e> in " + "a",
        "context: x: real[1000,1000] |- let a = <x, x> in " + 10 * "let a = <a, a> in " + "a",
    ],
    ids=["doubled", "units", "unread", "sums", "deep", "open and deep", "open and doubled", "arrays"],
)
def test_a_type_too_large_to_hold_is_refused(text: str):
    with pytest.raises(TooLarge, match="too large a type"):
        typecheck(parse(text))


def test_types_that_share_their_parts_are_compared_in_time_of_what_they_share():
    doubled = "let a = inr <> in " + 17 * "let a = inr <a, a> in "
    type_ = typecheck(parse(f"match sign x with inl u -> {doubled} a | inr u -> {doubled} a"))
    assert type_.nodes > 500_000
    assert len(brief(type_)) == 60


def test_what_is_never_read_may_be_as_large_as_can_be_counted():
    assert typecheck(parse("let a = <x, x> in " + 40 * "let a = <a, a> in " + "x")) == REAL
