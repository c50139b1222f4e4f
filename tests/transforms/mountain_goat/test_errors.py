"""Every error of the language beyond its syntax: its message, its place, its class."""

from __future__ import annotations

import pytest

from transforms.mountain_goat import errors
from transforms.mountain_goat.lower import lower

# m is 2x3, n 3x4, r 2x3x4, s a scalar; f takes a 2x3, g a ?x3, h two matrices.
BEFORE = """
let m = [[1, 2, 3], [4, 5, 6]]
let n = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
let r = reshape([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]], 2, 3, 4)
let s = 3
def f(x: tensor[2x3]) = x
def g(x: tensor[?x3]) = x + x
def h(x: tensor[?x?], y: tensor[?x?]) = x
"""
LINE = BEFORE.count("\n") + 1
ONES = "1, " * 40


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        # Names.
        ("print k", errors.UnknownName, "unknown name k"),
        ("let k = k", errors.UnknownName, "unknown name k"),
        ("print later", errors.UnknownName, "unknown name later"),
        ("print f", errors.UnknownName, "unknown name f"),
        ("def k(x: tensor[2x3]) = x + m", errors.UnknownName, "unknown name m: function k sees its parameters only"),
        ("print nosuch(m)", errors.UnknownFunction, "unknown function nosuch"),
        ("print m(n)", errors.UnknownFunction, "unknown function m"),
        ("print later(m)", errors.UnknownFunction, f"unknown function later: it is defined later, on line {LINE + 2}"),
        ("def k(x: tensor[2x3]) = later(x)", errors.UnknownFunction, "unknown function later: it is defined later"),
        ("def k(x: tensor[2x3]) = k(x)", errors.UnknownFunction, "unknown function k: a function cannot call itself"),
        ("def f(x: tensor[1x1]) = x", errors.Redefined, "function f is already defined on line 6"),
        ("def exp(x: tensor[1x1]) = x", errors.Redefined, "exp is a built-in function"),
        ("def k(x: tensor[1x1], x: tensor[1x1]) = x", errors.Redefined, "function k has two parameters x"),
        # Numbers of arguments.
        ("print f()", errors.WrongCount, "f takes 1 argument, found 0"),
        ("print h(m)", errors.WrongCount, "h takes 2 arguments, found 1"),
        ("print exp(m, m)", errors.WrongCount, "exp takes 1 argument, found 2"),
        ("print ge(m)", errors.WrongCount, "ge takes 2 arguments, found 1"),
        ("print transpose()", errors.WrongCount, "transpose takes 1 argument, found 0"),
        ("print reshape(m)", errors.WrongCount, "reshape takes a matrix and at least one number, found 1 argument"),
        ("print permute()", errors.WrongCount, "permute takes a matrix and at least one number, found 0 arguments"),
        ("print contract(m, (0), m)", errors.WrongCount, "contract takes 4 arguments, found 3"),
        # Scalars and lists where a matrix is needed, and the reverse.
        ("print 2", errors.NoMatrix, "print needs a matrix, found the scalar 2.0"),
        ("print s * -s", errors.NoMatrix, "print needs a matrix, found the scalar -9.0"),
        ("print f(s)", errors.NoMatrix, "argument 1 of f needs a matrix, found the scalar 3.0"),
        ("print h(m, 2)", errors.NoMatrix, "argument 2 of h needs a matrix, found the scalar 2.0"),
        ("print exp(2)", errors.NoMatrix, "exp needs a matrix, found the scalar 2.0"),
        ("print ge(m, 2)", errors.NoMatrix, "ge needs a matrix, found the scalar 2.0"),
        ("print row_mean(s)", errors.NoMatrix, "row_mean needs a matrix, found the scalar 3.0"),
        ("print reshape(s, 1)", errors.NoMatrix, "reshape needs a matrix, found the scalar 3.0"),
        ("print m @ 2", errors.NoMatrix, "@ needs a matrix, found the scalar 2.0"),
        ("print 2 @ 2", errors.NoMatrix, "@ needs a matrix, found the scalar 2.0"),
        ("def k() = 2", errors.NoMatrix, "the result of k needs a matrix, found the scalar 2.0"),
        ("print exp((0, 1))", errors.NoMatrix, "exp needs a matrix, found a list of axes"),
        ("print f((0, 1))", errors.NoMatrix, "argument 1 of f needs a matrix, found a list of axes"),
        ("print reshape(m, n)", errors.NoMatrix, "reshape: sizes must be whole numbers, found a matrix"),
        ("print reshape(m, 1.5, 4)", errors.NoMatrix, "reshape: sizes must be whole numbers, found 1.5"),
        ("print permute(m, 0, (0, 1))", errors.NoMatrix, "permute: axes must be whole numbers, found a list"),
        (
            "print contract(m, (0, m), n, (0, 1))",
            errors.NoMatrix,
            "contract: axes must be whole numbers, found a matrix",
        ),
        # Arguments that do not fit.
        ("print f(n)", errors.WrongArgument, "argument 1 of f is 3x4, which does not fit its parameter's shape 2x3"),
        ("print f(r)", errors.WrongArgument, "argument 1 of f is 2x3x4, which does not fit"),
        ("print g(n)", errors.WrongArgument, "argument 1 of g is 3x4, which does not fit its parameter's shape ?x3"),
        # Elementwise operations.
        ("print m + n", errors.WrongShape, "+ of 2x3 and 3x4: dimensions must be equal, or 1"),
        ("print m - transpose(m)", errors.WrongShape, "- of 2x3 and 3x2: dimensions must be equal, or 1"),
        ("print m * [[1, 2]]", errors.WrongShape, "* of 2x3 and 1x2: dimensions must be equal, or 1"),
        ("print m / [[1], [2], [3]]", errors.WrongShape, "/ of 2x3 and 3x1: dimensions must be equal, or 1"),
        ("print ge(m, n)", errors.WrongShape, "ge of 2x3 and 3x4: dimensions must be equal, or 1"),
        ("print g(m) + n", errors.WrongShape, "+ of ?x3 and 3x4: dimensions must be equal, or 1"),
        # Other shapes.
        ("print m @ m", errors.WrongShape, "@ of 2x3 and 2x3: the inner dimensions 3 and 2 differ"),
        ("print g(m) @ m", errors.WrongShape, "@ of ?x3 and 2x3: the inner dimensions 3 and 2 differ"),
        ("print reshape(m, 4, 2)", errors.WrongShape, "reshape of 2x3 to 4x2: expected 6 elements, found 8"),
        ("print reshape(m, 0, 3)", errors.WrongShape, "reshape to 0x3: a zero dimension"),
        ("print reshape(m, -2, -3)", errors.WrongShape, "reshape to -2x-3: a negative dimension"),
        ("print reshape(g(m), 6)", errors.WrongShape, "reshape of ?x3: every dimension must be known"),
        ("print permute(m, 0, 0)", errors.WrongAxis, "permute of 2x3 by 0, 0: expected each of the axes 0 to 1 once"),
        ("print permute(m, 0)", errors.WrongAxis, "permute of 2x3 by 0: expected each of the axes 0 to 1 once"),
        (
            "print permute(r, 0, 1, 3)",
            errors.WrongAxis,
            "permute of 2x3x4 by 0, 1, 3: expected each of the axes 0 to 2",
        ),
        (
            "print contract(m, (0), n, (0))",
            errors.WrongShape,
            "contract of 2x3 over axis 0 and 3x4 over axis 0: the sizes",
        ),
        (
            "print contract(m, (2), n, (0))",
            errors.WrongAxis,
            "contract: axis 2 of 2x3 is out of range, expected 0 to 1",
        ),
        ("print contract(m, (1), n, (-1))", errors.WrongAxis, "contract: axis -1 of 3x4 is out of range"),
        ("print contract(m, (1, 1), r, (1, 1))", errors.WrongAxis, "contract: axis 1 of 2x3 is listed twice"),
        ("print contract(r, (0, 1), m, (0))", errors.WrongAxis, "contract: lists of 2 and 1 axes"),
        ("print contract(g(m), (0, 1), m, (0, 1))", errors.WrongShape, "reshape of ?x3: every dimension must be known"),
        # Rank.
        ("print r + r", errors.WrongRank, "+ needs a matrix, found 2x3x4 of rank 3"),
        ("print r * 2", errors.WrongRank, "* needs a matrix, found 2x3x4 of rank 3"),
        ("print 2 - r", errors.WrongRank, "- needs a matrix, found 2x3x4 of rank 3"),
        ("print -r", errors.WrongRank, "- needs a matrix, found 2x3x4 of rank 3"),
        ("print r @ m", errors.WrongRank, "@ needs a matrix, found 2x3x4 of rank 3"),
        ("print relu(r)", errors.WrongRank, "relu needs a matrix, found 2x3x4 of rank 3"),
        ("print ge(r, r)", errors.WrongRank, "ge needs a matrix, found 2x3x4 of rank 3"),
        ("print col_max(r)", errors.WrongRank, "col_max needs a matrix, found 2x3x4 of rank 3"),
        ("print row_mean(reshape(m, 6))", errors.WrongRank, "row_mean needs a matrix, found 6 of rank 1"),
        ("print transpose(r)", errors.WrongRank, "transpose needs a matrix, found 2x3x4 of rank 3"),
        # Size.
        ("print m * (1e308 * 10)", errors.TooLarge, "the scalar 1e+308 * 10.0 is too large for a double"),
        ("print m * (1 / 0)", errors.TooLarge, "the scalar 1.0 / 0.0 is no number"),
        ("print reshape(m, 1e300, 1)", errors.TooLarge, "reshape: sizes of at most 1,000,000,000,000,000"),
        (f"print reshape(m, {ONES}6)", errors.TooLarge, "a value of rank 41: at most 32"),
        ("def k(x: tensor[9999x9999]) = x", errors.TooLarge, "a value of 9999x9999 is too large"),
    ],
)
def test_refusals_say_where_and_what_was_expected(text: str, error: type[errors.MountainGoatError], message: str):
    with pytest.raises(errors.MountainGoatError) as caught:
        lower(f"{BEFORE}{text}\nlet later = m\ndef later(x: tensor[1x1]) = x\n", "dir/a b.mg")
    assert str(caught.value).startswith(f"dir/a b.mg:{LINE}: error: {message}")
    assert type(caught.value) is error


def test_a_function_is_checked_even_if_nothing_calls_it():
    with pytest.raises(errors.WrongShape, match="1: error: @ of 2x3 and 2x3"):
        lower("def f(x: tensor[2x3]) = x @ x", "a.mg")


@pytest.mark.parametrize(
    ("message", "line", "file", "text"),
    [
        ("no", 3, "a.mg", "a.mg:3: error: no"),
        ("no", 0, "a.mg", "a.mg: error: no"),
        ("no", 3, "", "line 3: error: no"),
        ("no", 0, "", "error: no"),
    ],
)
def test_the_text_of_an_error(message: str, line: int, file: str, text: str):
    assert str(errors.MountainGoatError(message, line, file)) == text


def test_an_error_keeps_the_place_it_has():
    assert str(errors.WrongShape("no", 3).located(7, "a.mg")) == "a.mg:3: error: no"
