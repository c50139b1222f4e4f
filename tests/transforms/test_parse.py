"""The concrete syntax, and what its errors say."""

from __future__ import annotations

import contextlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.random_terms import random_program
from transforms.errors import AdjudgeError, ParseError, RepeatedName, TooDeep, UnknownPrimitive
from transforms.parse import parse, parse_point, parse_value
from transforms.pretty import pretty, pretty_program
from transforms.syntax import Lit, Op
from transforms.types import REAL, Array, Product
from transforms.walks import MAX_DEPTH


def test_without_a_header_variables_are_real_in_order_of_first_occurrence():
    program = parse("let y = b * a in y + c + a")
    assert program.context == (("b", REAL), ("a", REAL), ("c", REAL))


def test_a_header_gives_types_and_order():
    program = parse("context: p: (real, (real)), w: real[2,3], u: () |- w")
    assert program.context == (("p", Product((REAL, Product((REAL,))))), ("w", Array((2, 3))), ("u", Product(())))


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a - b - c", "(a - b) - c"),
        ("a / b / c", "(a / b) / c"),
        ("a - b * c", "a - (b * c)"),
        ("-a * b", "(-a) * b"),
        ("a - -b", "a - (-b)"),
        ("let x = 1 in x + 2", "let x = 1 in (x + 2)"),
        ("inl x * y", "(inl x) * y"),
        ("inl -x", "inl (-x)"),
        ("-inl x", "-(inl x)"),
        ("inl inr x", "inl (inr x)"),
        ("sign x * y", "(sign x) * y"),
        ("sign(x * y)", "sign (x * y)"),
        ("match a with inl x -> x + 1 | inr y -> y * 2 + 3", "match a with inl x -> (x + 1) | inr y -> (y * 2 + 3)"),
        (
            "match a with inl x -> match b with inl u -> u | inr v -> v | inr y -> y",
            "match a with inl x -> (match b with inl u -> u | inr v -> v) | inr y -> y",
        ),
        (
            "match inl 1 with inl x -> let z = x in z | inr y -> y",
            "match (inl 1) with inl x -> (let z = x in z) | inr y -> y",
        ),
        ("1 + (match a with inl x -> x | inr y -> y)", "1 + ((match a with inl x -> x | inr y -> y))"),
        ("f(let x = 1 in x, <>)", "f((let x = 1 in x), (<>))"),
        ("# comment\n a # another\n+ b", "a + b"),
    ],
)
def test_grouping(text: str, grouped: str):
    assert pretty(parse(text).term) == pretty(parse(grouped).term)


@pytest.mark.parametrize(("text", "value"), [("-2", -2.0), ("-(2)", -2.0), ("1e-3", 1e-3), (".5", 0.5), ("2.", 2.0)])
def test_literals(text: str, value: float):
    term = parse(text).term
    assert isinstance(term, Lit)
    assert term.value == value


def test_minus_on_anything_but_a_literal_is_neg():
    assert isinstance(parse("--2").term, Op)
    assert isinstance(parse("neg(2)").term, Op)


@given(st.integers(0, 2**32).map(Random))
def test_what_is_printed_parses_back(rng):
    sample = random_program(rng, result=None, smooth=False, branching=True)
    text = pretty_program(sample.program)
    again = parse(text)
    assert pretty_program(again) == text
    assert again.context == sample.program.context


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", ParseError, "empty input: expected a term"),
        ("  # nothing", ParseError, "empty input: expected a term"),
        ("x +", ParseError, "line 1, column 4: unexpected end of the input: expected a term"),
        ("(x", ParseError, "line 1, column 1: this '(' is never closed: expected ')'"),
        ("x)", ParseError, "line 1, column 2: unbalanced ')'"),
        ("<x, (y>", ParseError, "line 1, column 7: '>' does not close the '(' at line 1, column 5"),
        ("x\n+ ?", ParseError, "line 2, column 3: unexpected character '?'"),
        ("let match = 2 in x", ParseError, "line 1, column 5: unexpected 'match': expected a name"),
        ("match x with inl a -> a", ParseError, "unexpected end of the input: expected"),
        ("match x with inr a -> a | inl b -> b", ParseError, "line 1, column 14: unexpected 'inr': expected 'inl'"),
        ("match x with inl <a> -> a | inr b -> b", ParseError, "column 18: unexpected '<': expected a name"),
        ("context: s: (real + real + real) |- s", ParseError, "column 26: unexpected '+': expected ')'"),
        ("let in = 2 in x", ParseError, "line 1, column 5: unexpected 'in': expected a name"),
        ("case p of <a, a> -> a", RepeatedName, "line 1, column 15: repeated name 'a'"),
        ("context: x: real, x: real |- x", RepeatedName, "line 1, column 19: repeated name 'x'"),
        ("context: x: int |- x", ParseError, "line 1, column 13: unknown type 'int'"),
        ("context: x: real[1.5] |- x", ParseError, "'1.5' is no array size"),
        ("add(x, y)", UnknownPrimitive, "line 1, column 1: unknown primitive 'add': write '+'"),
        ("1e999", ParseError, "too large for a double"),
        ("context: x: real[3000,3000], y: real[3000,3000] |- x", ParseError, "column 10: too large a context"),
    ],
)
def test_errors_say_where_and_what_was_expected(text: str, error: type[AdjudgeError], message: str):
    with pytest.raises(error) as caught:
        parse(text)
    assert message in str(caught.value)


def test_an_error_in_a_long_line_shows_80_columns_with_a_caret_below_the_place():
    with pytest.raises(ParseError) as caught:
        parse("let y = x in " * 10_000 + "? " + "let y = x in " * 10_000)
    _, line, caret = str(caught.value).split("\n")
    assert len(line) <= 80
    assert line[caret.index("^")] == "?"


NESTED = {
    "sums": lambda n: "+".join(["x"] * (n + 1)),
    "minus": lambda n: "-" * n + "x",
    "calls": lambda n: "sin(" * n + "x" + ")" * n,
    "parentheses": lambda n: "(" * n + "x" + ")" * n,
    "tuples": lambda n: "<" * n + "x" + ">" * n,
    "bound terms": lambda n: "let y = " * n + "x" + " in y" * n,
}


@pytest.mark.parametrize("form", NESTED)
def test_terms_nest_up_to_the_limit_and_no_further(form: str):
    assert parse(NESTED[form](MAX_DEPTH)).context == (("x", REAL),)
    with pytest.raises(TooDeep, match=str(MAX_DEPTH)):
        parse(NESTED[form](MAX_DEPTH + 1))


def test_a_line_of_a_megabyte():
    text = "let y = x * x in " * 60_000 + "y"
    assert len(text) > 1_000_000
    assert parse(text).context == (("x", REAL),)


def test_values():
    assert parse_point("x1=3, p = <1, -2>, w=[[1, 2]]") == {"x1": 3.0, "p": (1.0, -2.0), "w": [[1.0, 2.0]]}
    assert parse_value("<>") == ()
    assert parse_value("-inf") == float("-inf")
    for text in ("x=1, x=2", "x=", "x", "x=y"):
        with pytest.raises(AdjudgeError):
            parse_point(text)
    for text in ("<1>, 2", "1 2", "inl <1> <2>"):
        with pytest.raises(ParseError, match="expected the end of the input"):
            parse_value(text)


@given(st.text(alphabet="xyz12.e+-*/<>(),=# \nletincasof|:", max_size=60))
def test_any_text_is_parsed_or_refused_with_a_message(text: str):
    for parser in (parse, parse_point, parse_value):
        with contextlib.suppress(AdjudgeError):
            parser(text)
