"""Concrete syntax of Mountain Goat: text to a syntax tree, in time linear in the text.

Every error is a `MountainGoatError` with its line, and says what was expected and what was found.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from sys import intern
from typing import cast

import numpy as np
from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from transforms.mountain_goat.errors import Malformed, MountainGoatError, TooLarge, TooNested
from transforms.mountain_goat.module import Shape
from transforms.mountain_goat.tree import (
    LARGEST,
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
    Statement,
)
from transforms.walks import walking

TOKENS = {
    "NAME": "a name",
    "TYPE": "a type such as tensor[2x3]",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "COLON": "':'",
    "EQUAL": "'='",
}

NUMBER = r"\s*+-?\s*+(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\s*+"
ROW = rf"\s*+\[{NUMBER}(?:,{NUMBER})*+\]\s*+"
LITERAL = re.compile(rf"\[{ROW}(?:,{ROW})*+\]")
ROW_INSIDE = re.compile(r"\[([^\[\]]*)\]")


def parse(source: str, file: str = "") -> list[Statement]:
    """The statements of a program, in order; `file` is its name for messages."""
    source += "\n"  # a statement ends with its line, the last one too
    try:
        with walking():
            return cast("list[Statement]", _lark().parse(source))
    except UnexpectedCharacters as error:
        raise _unreadable(source[error.pos_in_stream]).located(error.line, file) from None
    except UnexpectedToken as error:
        raise _unexpected(error.token, error.accepts or error.expected, source).located(error.line, file) from None
    except MountainGoatError as error:
        raise error.located(0, file) from None


def _unreadable(character: str) -> Malformed:
    if character in "[]":
        return Malformed(f"unmatched {character!r}: a matrix is rows of numbers on one line, such as [[1, 2], [3, 4]]")
    return Malformed(f"unexpected character {character!r}")


def _unexpected(token: Token, accepted: Collection[str], source: str) -> Malformed:
    found = "the end of the line" if token.type == "_NEWLINE" else brief(token)
    before = source[source.rfind("\n", 0, token.start_pos) + 1 : token.start_pos].partition("#")[0].rstrip()
    if not before:
        return Malformed(f"expected 'def', 'let' or 'print' at the start of a line, found {found}")
    last = re.findall("[A-Za-z0-9_]+|.", before[-40:])[-1]
    if "NUMBER" in accepted:
        return Malformed(f"expected an expression after '{last}', found {found}")
    names = set(accepted) & TOKENS.keys()
    if "PLUS" in accepted:
        names.discard("LPAR")  # any name could be a function's, but this one has been read
    options = ["an operator"] * ("PLUS" in accepted) + sorted(TOKENS[name] for name in names)
    options += ["the end of the line"] * ("_NEWLINE" in accepted)
    either = options[0] if len(options) == 1 else ", ".join(options[:-1]) + " or " + options[-1]
    return Malformed(f"expected {either} after '{last}', found {found}")


def brief(text: str) -> str:
    """Text of the program for a message: quoted, and cut where it is long."""
    return repr(str(text) if len(text) <= 40 else f"{text[:30]} ... {text[-5:]}")


@cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    # The LALR parser builds the tree as it reduces, so neither long programs nor deep nesting make anything recurse.
    return Lark(grammar, parser="lalr", lexer="basic", start="program", transformer=_Build(), maybe_placeholders=False)


def _deeper(line: int, *inside: Expr) -> int:
    """The depth of a node around others. Raises TooNested."""
    depth = 1 + max((node.depth for node in inside), default=0)
    if depth > MAX_DEPTH:
        raise TooNested(f"nested too deeply: the limit is {MAX_DEPTH:,} levels", line)
    return depth


def _shape(type_: Token) -> Shape:
    shape: list[int | None] = []
    for size in type_[len("tensor[") : -1].split("x"):
        if size != "?" and not re.fullmatch("[0-9]+", size):
            raise Malformed(
                f"{brief(type_)} is no type: expected one such as tensor[2x3] or tensor[?x3]", type_.line or 0
            )
        if size == "?":
            shape.append(None)
            continue
        if not size.strip("0"):
            raise Malformed(f"{brief(type_)} has a zero dimension: dimensions are positive", type_.line or 0)
        if len(size) > 15:
            raise TooLarge(f"{brief(type_)} has a dimension beyond {LARGEST:,}", type_.line or 0)
        shape.append(int(size))
    return tuple(shape)


def _rows(literal: Token) -> np.ndarray:
    """The numbers of a literal. Raises Malformed, TooLarge."""
    line = literal.line or 0
    if not LITERAL.fullmatch(literal):
        raise Malformed(_flaw(literal), line)
    rows = [[float(number) for number in row.split(",")] for row in ROW_INSIDE.findall(re.sub(r"\s+", "", literal))]
    for k, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise Malformed(f"unequal rows: row 1 has {_numbers(rows[0])}, row {k + 1} has {_numbers(row)}", line)
    value = np.array(rows)
    if not np.isfinite(value).all():
        raise TooLarge("a number in the literal is too large for a double", line)
    return value


def _numbers(row: list[float]) -> str:
    return f"{len(row)} number{'' if len(row) == 1 else 's'}"


def _flaw(literal: str) -> str:
    """Why a literal is none."""
    form = "expected rows of numbers such as [[1, 2], [3, 4]]"
    for row in ROW_INSIDE.findall(literal[1:-1]):
        if not row.strip():
            return f"an empty row in a matrix: {form}"
        for number in row.split(","):
            if not re.fullmatch(NUMBER, number):
                return f"{brief(number.strip())} is no number: {form}"
    return f"{brief(literal)} is no matrix: {form}"


@v_args(inline=True)
class _Build(Transformer):
    """What each production builds, under the production's name."""

    def program(self, *statements):
        return list(statements)

    def define(self, keyword, name, *rest):
        *parameters, body = rest
        return Def(keyword.line, intern(str(name)), parameters[0] if parameters else (), body)

    def let(self, keyword, name, value):
        return Let(keyword.line, intern(str(name)), value)

    def print(self, keyword, value):
        return Print(keyword.line, value)

    def parameters(self, *parameters):
        return parameters

    def parameter(self, name, type_):
        return intern(str(name)), _shape(type_)

    def infix(self, left, sign, right):
        return Infix(str(sign), left, right, _deeper(sign.line, left, right))

    def minus(self, sign, operand):
        return Minus(operand, _deeper(sign.line, operand))

    def name(self, name):
        return Name(intern(str(name)))

    def number(self, text):
        value = float(text)
        if np.isinf(value):
            raise TooLarge(f"the number {text[:40]} is too large for a double", text.line)
        return Number(value)

    def matrix(self, literal):
        return Matrix(_rows(literal))

    def call(self, name, args):
        return Call(intern(str(name)), args, _deeper(name.line, *args))

    def args(self, *args):
        return args

    def axes(self, *axes):
        return Axes(axes, _deeper(0, *axes))
