"""Concrete syntax of the fragment: text to terms, types and values.

Every error is a `ParseError` or `TooDeep` with line, column and a caret, and says what was expected.
"""

from __future__ import annotations

import math
import re
from functools import cache
from math import prod
from pathlib import Path
from sys import intern
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from transforms.errors import ParseError, RepeatedName, SourceError, TooDeep, UnknownPrimitive, place
from transforms.syntax import INFIX, Case, Inject, Let, Lit, Match, Op, Program, Sign, Term, Tuple, Var, free_variables
from transforms.types import INJECTIONS, REAL, Array, Injected, Product, Sum
from transforms.walks import MAX_DEPTH, walking

TOKENS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "$END": "the end of the input",
    "CASE": "'case'",
    "MATCH": "'match'",
    "INL": "'inl'",
    "INR": "'inr'",
    "SIGN": "'sign'",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "STAR": "'*'",
    "SLASH": "'/'",
    "LESSTHAN": "'<'",
}
OPERATOR = {sign: name for name, sign in INFIX.items()}
MAX_SIZE = 10_000_000
"""The most numbers in the arrays of a header."""
TERM_STARTS = {"NAME", "NUMBER", "LESSTHAN", "LPAR", "MINUS"}


def parse(source: str) -> Program:
    """The program in `source`: a term, with or without a header that gives its context.

    Without a header every free variable is real, in order of first occurrence. Names are not checked against the
    header or the rule table: that is the type checker's.
    """
    _check_brackets(source)
    header, term = _run("program", source, "a term")
    if header is None:
        header = tuple((name, REAL) for name in free_variables(term))
    return Program(header, term, source)


def parse_point(source: str) -> dict[str, Any]:
    """The values in a text such as `x = 3, p = <1, 2>, w = [[1, 2]]`: floats, tuples, and lists for arrays."""
    _check_brackets(source)
    return _run("point", source, "NAME = VALUE")


def parse_value(source: str) -> Any:
    """The value in a text such as `<1, [2, 3]>`: a float, a tuple of values, or a nested list for an array."""
    _check_brackets(source)
    return _run("value", source, "a value")


def _run(start: str, source: str, wanted: str) -> Any:
    if not re.sub(r"#[^\n]*", "", source).strip():
        raise ParseError(f"empty input: expected {wanted}", source, len(source) if source else -1)
    try:
        with walking():
            return _lark().parse(source, start=start)
    except UnexpectedCharacters as error:
        raise ParseError(f"unexpected character {source[error.pos_in_stream]!r}", source, error.pos_in_stream) from None
    except UnexpectedToken as error:
        raise _unexpected(error.token, error.accepts or error.expected, source) from None
    except SourceError as error:
        raise error.located(source, error.at) from None


def _unexpected(token: Token, accepted: set[str], source: str) -> ParseError:
    at = len(source) if token.type == "$END" else token.start_pos or 0
    found = "end of the input" if token.type == "$END" else f"{str(token)!r}"
    names = set(accepted) or {"$END"}  # nothing is accepted where a whole value has been read
    expected = []
    if names >= TERM_STARTS:
        expected, names = ["a term"], names - TERM_STARTS - {"LET", "CASE", "MATCH", "INL", "INR", "SIGN"}
    expected += sorted(TOKENS.get(name) or f"'{_literal(name)}'" for name in names)
    return ParseError(f"unexpected {found}: expected {_either(expected)}", source, at)


def _either(options: list[str]) -> str:
    return options[0] if len(options) == 1 else ", ".join(options[:-1]) + " or " + options[-1]


def _literal(name: str) -> str:
    return next(str(terminal.pattern.value) for terminal in _lark().terminals if terminal.name == name)


def _check_brackets(source: str) -> None:
    """Refuse brackets that do not match, or nest too deeply, before the parser meets them."""
    opened: list[tuple[str, int]] = []
    pairs = {")": "(", ">": "<", "]": "["}
    for found in re.finditer(r"#[^\n]*|->|[()<>\[\]]", source):
        bracket, at = found.group(), found.start()
        if bracket in pairs.values():
            opened.append((bracket, at))
            if len(opened) > MAX_DEPTH:
                raise _too_deep(at).located(source, at)
        elif bracket in pairs:
            if not opened:
                raise ParseError(f"unbalanced {bracket!r}: nothing is open here", source, at)
            start, where = opened.pop()
            if start != pairs[bracket]:
                line, column = place(source, where)
                raise ParseError(
                    f"{bracket!r} does not close the {start!r} at line {line}, column {column}", source, at
                )
    if opened:
        bracket, at = opened[-1]
        closing = {start: end for end, start in pairs.items()}[bracket]
        raise ParseError(f"this {bracket!r} is never closed: expected {closing!r}", source, at)


def _too_deep(at: int) -> TooDeep:
    return TooDeep(f"nested too deeply: the limit is {MAX_DEPTH} levels (bodies of let and case do not count)", at=at)


@cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("fragment.lark").read_text(encoding="utf-8")
    # The basic lexer keeps reserved words reserved everywhere; the LALR parser builds terms as it reduces, so neither
    # long chains nor deep nesting make anything recurse.
    return Lark(grammar, parser="lalr", lexer="basic", start=["program", "point", "value"], transformer=_Build())


def _shallow(term: Term) -> Term:
    if term.depth > MAX_DEPTH:
        raise _too_deep(term.at)
    return term


def _distinct(names: list[Token], what: str) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise RepeatedName(f"repeated name {str(name)!r} in {what}: names must be distinct", at=name.start_pos or 0)
        seen.add(name)
    return tuple([intern(str(name)) for name in names])


@v_args(inline=True)
class _Build(Transformer):
    """What each production builds, under the production's name."""

    def program(self, header, term):
        return header, term

    def header(self, *bindings):
        given = [binding for binding in bindings if binding]
        names = _distinct([name for name, _ in given], "the context")
        if sum(type_.size for _, type_ in given) > MAX_SIZE:
            raise ParseError(f"too large a context: at most {MAX_SIZE:,} numbers", at=given[0][0].start_pos)
        return tuple(zip(names, [type_ for _, type_ in given], strict=True))

    def binding(self, name, type_):
        return name, type_

    def real(self, name, *shape):
        at = name.start_pos
        if name != "real":
            raise ParseError(f"unknown type {str(name)!r}: expected 'real' or a tuple of types", at=at)
        for size in shape:
            if not size.isdecimal():
                raise ParseError(f"{str(size)!r} is no array size: expected a whole number", at=size.start_pos)
        if sum(map(len, shape)) > 12 or prod(map(int, shape)) > MAX_SIZE:
            raise ParseError(f"too large an array: at most {MAX_SIZE:,} numbers", at=at)
        return Array(tuple(map(int, shape)))

    def product(self, *parts):
        return Product(tuple(part for part in parts if part is not None))

    def sum_type(self, left, _plus, right):
        return Sum(left, right)

    def let(self, name, bound, body):
        return _shallow(Let(intern(str(name)), bound, body, at=name.start_pos))

    def case(self, keyword, bound, names, body):
        return _shallow(Case(bound, names, body, at=keyword.start_pos))

    def match(self, keyword, bound, _left, x, left, _right, y, right):
        names = intern(str(x)), intern(str(y))
        return _shallow(Match(bound, names, (left, right), at=keyword.start_pos))

    def names(self, *names):
        return _distinct([name for name in names if name], "a case")

    def infix(self, left, operator, right):
        return _shallow(Op(OPERATOR[operator], (left, right), at=operator.start_pos))

    def minus(self, operator, operand):
        if isinstance(operand, Lit) and math.copysign(1.0, operand.value) > 0.0:
            return Lit(-operand.value, at=operator.start_pos)
        return _shallow(Op("neg", (operand,), at=operator.start_pos))

    def inject(self, injection, operand):
        return _shallow(Inject(INJECTIONS.index(injection), operand, at=injection.start_pos))

    def sign(self, keyword, operand):
        return _shallow(Sign(operand, at=keyword.start_pos))

    def var(self, name):
        return Var(intern(str(name)), at=name.start_pos)

    def lit(self, text):
        value = float(text)
        if math.isinf(value):
            raise ParseError(f"the literal {text} is too large for a double", at=text.start_pos)
        return Lit(value, at=text.start_pos)

    def call(self, name, args):
        if name in INFIX:
            raise UnknownPrimitive(f"unknown primitive {str(name)!r}: write {INFIX[name]!r}", at=name.start_pos)
        return _shallow(Op(intern(str(name)), args, at=name.start_pos))

    def tuple(self, bracket, parts):
        return _shallow(Tuple(parts, at=bracket.start_pos))

    def args(self, *terms):
        return tuple(term for term in terms if term is not None)

    def point(self, *entries):
        given = [entry for entry in entries if entry]
        _distinct([name for name, _ in given], "the point")
        return {str(name): value for name, value in given}

    def entry(self, name, value):
        return name, value

    def number(self, sign, text):
        if text.type == "NAME" and text not in ("nan", "inf"):
            raise ParseError(f"{str(text)!r} is no value: expected a number", at=text.start_pos)
        return -float(text) if sign == "-" else float(text)

    def tuple_value(self, *parts):
        return tuple(part for part in parts if part is not None)

    def injected(self, injection, value):
        return Injected(INJECTIONS.index(injection), value)

    def array_value(self, *entries):
        return [entry for entry in entries if entry is not None]
