"""The concrete syntax of Mountain Goat: what text means, in time linear in it, and what is refused."""

from __future__ import annotations

import contextlib
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.mountain_goat.errors import MountainGoatError, TooNested
from transforms.mountain_goat.parse import parse
from transforms.mountain_goat.tree import (
    MAX_DEPTH,
    Axes,
    Call,
    Def,
    Expr,
    Infix,
    Let,
    Matrix,
    Minus,
    Name,
    Number,
    Print,
)


def expression(text: str) -> Expr:
    (statement,) = parse(f"print {text}")
    assert isinstance(statement, Print)
    return statement.value


def grouped(expr: Expr) -> str:
    """The expression with all its parentheses."""
    match expr:
        case Name(name=text) | Number(value=text):
            return str(text)
        case Matrix(value=value):
            return str(value.tolist())
        case Minus(operand=operand):
            return f"(-{grouped(operand)})"
        case Infix(sign=sign, left=left, right=right):
            return f"({grouped(left)} {sign} {grouped(right)})"
        case Call(function=function, args=args):
            return f"{function}({', '.join(map(grouped, args))})"
        case Axes(axes=axes):
            return f"<{', '.join(map(grouped, axes))}>"


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a - b - c", "((a - b) - c)"),
        ("a / b @ c * d", "(((a / b) @ c) * d)"),
        ("a - b * c", "(a - (b * c))"),
        ("-a @ b", "((-a) @ b)"),
        ("a - -b", "(a - (-b))"),
        ("--a", "(-(-a))"),
        ("2 - -3 * [[1]]", "(2.0 - ((-3.0) * [[1.0]]))"),
        ("(a - b) * c", "((a - b) * c)"),
        ("((a))", "a"),
        ("f()", "f()"),
        ("f(a, g(b) + 1)", "f(a, (g(b) + 1.0))"),
        ("contract(a, (0, 1), b, (0))", "contract(a, <0.0, 1.0>, b, 0.0)"),
        ("contract(a, (), b, ())", "contract(a, <>, b, <>)"),
        ("f((a) * b)", "f((a * b))"),
        ("def_ + letter * printed", "(def_ + (letter * printed))"),
        ("[[1]] - [[2]]", "([[1.0]] - [[2.0]])"),
    ],
)
def test_grouping(text: str, meaning: str):
    assert grouped(expression(text)) == meaning


@pytest.mark.parametrize(
    ("text", "value"), [("2", 2.0), (".5", 0.5), ("5.", 5.0), ("1e3", 1e3), ("1.5E-3", 1.5e-3), ("1e308", 1e308)]
)
def test_numbers(text: str, value: float):
    number = expression(text)
    assert isinstance(number, Number) and number.value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[[1, -2.5], [3e2, .5]]", [[1, -2.5], [300, 0.5]]),
        ("[ [ 1 ,2.] ,\t[-3 , - 4 ] ]", [[1, 2], [-3, -4]]),
        ("[[1e308]]", [[1e308]]),
        ("[[1e-400]]", [[0]]),
    ],
)
def test_literal_matrices(text: str, value: list[list[float]]):
    literal = expression(text)
    assert isinstance(literal, Matrix) and literal.value.tolist() == value


def test_statements_know_their_lines():
    statements = parse("# first\n\ndef f(x: tensor[2x?], y: tensor[5]) = x # rest\n  let a = [[1]]\n\nprint a\n")
    define, let, print_ = statements
    assert isinstance(define, Def) and isinstance(let, Let) and isinstance(print_, Print)
    assert (define.line, let.line, print_.line) == (3, 4, 6)
    assert (define.name, define.parameters) == ("f", (("x", (2, None)), ("y", (5,))))


@pytest.mark.parametrize("ending", ["\n", "\r\n", " \t\r\n", " # comment\n", "#\n\n"])
def test_line_endings(ending: str):
    assert [statement.line for statement in parse(f"let a = [[1]]{ending}print a")] == [1, 2 + ending.count("\n") - 1]


@pytest.mark.parametrize("text", ["", "\n", "# nothing", " \t\r\n#\n"])
def test_an_empty_program(text: str):
    assert parse(text) == []


def test_a_statement_word_begins_no_other_name():
    (let,) = parse("let tensor = letter")
    assert isinstance(let, Let) and let.name == "tensor"


FORM = "expected rows of numbers such as [[1, 2], [3, 4]]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("foo = 3", "expected 'def', 'let' or 'print' at the start of a line, found 'foo'"),
        ("+", "expected 'def', 'let' or 'print' at the start of a line, found '+'"),
        ("let x =", "expected an expression after '=', found the end of the line"),
        ("let x = # none", "expected an expression after '=', found the end of the line"),
        ("def f() =", "expected an expression after '=', found the end of the line"),
        ("print", "expected an expression after 'print', found the end of the line"),
        ("print a +", "expected an expression after '+', found the end of the line"),
        ("print +3", "expected an expression after 'print', found '+'"),
        ("print f(a,)", "expected an expression after ',', found ')'"),
        ("print (a", "expected an operator or ')' after 'a', found the end of the line"),
        ("print a)", "expected an operator or the end of the line after 'a', found ')'"),
        ("print a b", "expected an operator or the end of the line after 'a', found 'b'"),
        ("let x = a let y = b", "expected an operator or the end of the line after 'a', found 'let'"),
        ("let 2 = a", "expected a name after 'let', found '2'"),
        ("let print = a", "expected a name after 'let', found 'print'"),
        ("let x a", "expected '=' after 'x', found 'a'"),
        ("def f = a", "expected '(' after 'f', found '='"),
        ("def f(x) = a", "expected ':' after 'x', found ')'"),
        ("def f(x: tensor [2x3]) = x", "expected a type such as tensor[2x3] after ':', found 'tensor'"),
        ("def f(x: tensor[2x3) = x", "expected a type such as tensor[2x3] after ':', found 'tensor'"),
        ("def f(x: tensor[2,3]) = x", "'tensor[2,3]' is no type: expected one such as tensor[2x3] or tensor[?x3]"),
        ("def f(x: tensor[]) = x", "'tensor[]' is no type"),
        ("def f(x: tensor[0x3]) = x", "'tensor[0x3]' has a zero dimension: dimensions are positive"),
        (
            "def f(x: tensor[9999999999999999]) = x",
            "'tensor[9999999999999999]' has a dimension beyond 1,000,000,000,000,000",
        ),
        ("print a ? b", "unexpected character '?'"),
        ("print a; b", "unexpected character ';'"),
        ("print é", "unexpected character 'é'"),
        ("print [[1, 2]", "unmatched '['"),
        ("print [[1, 2]]]", "unmatched ']'"),
        ("print [[[1]]]", "unmatched '['"),
        ("print [[1, 2], [3]]", "unequal rows: row 1 has 2 numbers, row 2 has 1 number"),
        ("print [[1], [2], [3, 4, 5]]", "unequal rows: row 1 has 1 number, row 3 has 3 numbers"),
        ("print [[]]", f"an empty row in a matrix: {FORM}"),
        ("print []", f"'[]' is no matrix: {FORM}"),
        ("print [1, 2]", f"'[1, 2]' is no matrix: {FORM}"),
        ("print [[1] [2]]", f"'[[1] [2]]' is no matrix: {FORM}"),
        ("print [[1, x]]", f"'x' is no number: {FORM}"),
        ("print [[+3]]", f"'+3' is no number: {FORM}"),
        ("print [[1 2]]", f"'1 2' is no number: {FORM}"),
        ("print [[nan]]", f"'nan' is no number: {FORM}"),
        ("print [[1_000]]", f"'1_000' is no number: {FORM}"),
        ("print [[1,]]", f"'' is no number: {FORM}"),
        ("print [[1e400]]", "a number in the literal is too large for a double"),
        ("print 1e400", "the number 1e400 is too large for a double"),
    ],
)
def test_refusals_say_where_and_what_was_expected(text: str, message: str):
    with pytest.raises(MountainGoatError) as caught:
        parse(f"let a = [[1]]\n\n{text}\nlet b = a\n", "my file.mg")
    assert str(caught.value).startswith(f"my file.mg:3: error: {message}")


def test_a_message_is_short_whatever_it_is_about():
    for text in (
        "a" * 10**5,
        "print a " + "b" * 10**5,
        "print [[" + "1," * 10**5 + "x]]",
        "print [1" + " " * 10**5 + "]",
    ):
        with pytest.raises(MountainGoatError) as caught:
            parse(text)
        assert len(str(caught.value)) < 200


NESTED = {
    "sums": lambda n: "+".join(["a"] * (n + 1)),
    "minus": lambda n: "-" * n + "a",
    "calls": lambda n: "exp(" * n + "a" + ")" * n,
    "on the right": lambda n: "a * (" * n + "a" + ")" * n,
}


@pytest.mark.parametrize("form", NESTED)
def test_expressions_nest_up_to_the_limit_and_no_further(form: str):
    assert expression(NESTED[form](MAX_DEPTH)).depth == MAX_DEPTH
    with pytest.raises(TooNested, match="2: error: nested too deeply: the limit is 10,000 levels"):
        parse("\nprint " + NESTED[form](MAX_DEPTH + 1), "a.mg")


def test_parentheses_do_not_count_as_nesting():
    assert isinstance(expression("(" * 3 * MAX_DEPTH + "a" + ")" * 3 * MAX_DEPTH), Name)


def test_a_literal_of_two_megabytes_is_read_at_once():
    numbers = np.random.default_rng(0).normal(size=(1000, 100))
    text = str(numbers.tolist())
    assert len(text) > 1_900_000
    start = time.process_time()
    literal = expression(text)
    assert time.process_time() - start < 2.0
    assert isinstance(literal, Matrix) and np.array_equal(literal.value, numbers)


def test_time_is_linear_in_the_lines():
    def seconds(lines: int) -> float:
        start = time.process_time()
        assert len(parse("let a = relu(a * 0.5 + [[1]])\n" * lines)) == lines
        return time.process_time() - start

    seconds(100)
    assert seconds(20_000) < 15 * seconds(4_000)


@pytest.mark.parametrize("text", ["(", "[", "[[", "[[1,", "-", "[[" + " ", "f(", "[1]", "1", "#", "\r", "a "])
def test_hostile_text_is_refused_or_read_in_linear_time(text: str):
    start = time.process_time()
    with contextlib.suppress(MountainGoatError):
        parse("print " + text * 50_000)
    assert time.process_time() - start < 5.0


@given(
    st.text(alphabet="ab12.e+-*/@()[],=:x?# \n\r\t", max_size=40), st.sampled_from(["", "print ", "let a = ", "def f("])
)
def test_any_text_is_parsed_or_refused_with_a_line(text: str, start: str):
    error = None
    try:
        parse(start + text, "f.mg")
    except MountainGoatError as refusal:
        error = refusal
    assert error is None or str(error).startswith(f"f.mg:{error.line}: error: ")
    assert error is None or 1 <= error.line <= text.count("\n") + 1
