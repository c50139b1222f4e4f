"""Hostile inputs that reach deep: what is valid, with a few edits, of texts, of bytes and of JSON values.

Everything is a function of the generator's state and the arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[ \t]+|.", re.DOTALL)

NUMBERS = (
    "0", "1", "2", "-1", "0.0", "-0.0", "00", "1.", ".5", "1e999999", "-1e999999", "1e-999999", "1e308", "5e-324",
    "1e5", "9" * 40, "9" * 400, "9" * 5_000, "0" * 5_000, "1000000000", "10000000", "3163", "1_000", "0x10", "1e",
    "1e+", "nan", "inf", "1.5", "3.7e0", "4294967296", "9223372036854775808", "+1", "--1", "1.2.3",
    "\u0663", "\uff13", "\xb2", "\u09e7\u09e6", "\xbd",  # digits of other scripts, of exponents and fractions
)  # fmt: skip
CHARACTERS = (
    "\0", "\r", "\r\n", "\n", "\f", "\v", "\t", "\x1b", "\x7f", "\x85", "\xa0", "\u2028", "\u200b", "\u202e", "\ufeff",
    "\ufffd", "\u0445", "\u0435", "\u0430", "\uff58", "\u2212", "\u2010", "\uff1c", "\uff3b", "\xe9", "e\u0301", "\xdf",
    "\ufb01", "\U0001d7d9", "\U0001f600", "\U0010ffff", "\u0660", "'", '"', "\\", "#", "//", ";", "%", "$", "@", "!",
    "|", "~", "`", "^", "&", "?", "_", "=", ",", ".", ":",
)  # fmt: skip
"""Controls, spaces and signs, and what looks like x, e, a, -, <, [ and digits, or is more than one character."""
BRACKETS = ("()", "[]", "<>", "{}")

Tokens = list[str]


def mutated(rng: Random, texts: Sequence[str], words: Sequence[str] = ()) -> str:
    """One of the texts with a few edits; `words` are put in too. Sometimes a huge edit, sometimes no text at all."""
    if rng.random() < 0.04:
        pool = [*words, *NUMBERS, *CHARACTERS, *TOKEN.findall(rng.choice(texts)), " ", "\n"]
        return "".join(rng.choice(pool) for _ in range(rng.choice((0, 1, 3, 10, 100))))
    tokens = TOKEN.findall(rng.choice(texts))
    pool = [*words, *TOKEN.findall(rng.choice(texts))]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 6))):
        tokens = rng.choice(EDITS)(rng, tokens, pool) or [""]
    if rng.random() < 0.03:
        tokens = rng.choice(HUGE)(rng, tokens, words)
    return "".join(tokens)


def _span(rng: Random, tokens: Tokens) -> tuple[int, int]:
    start = rng.randrange(len(tokens))
    return start, min(len(tokens), start + rng.choice((1, 1, 2, 3, 8, 30)))


def _delete(rng: Random, tokens: Tokens, _: Tokens) -> Tokens:
    i, j = _span(rng, tokens)
    return tokens[:i] + tokens[j:]


def _double(rng: Random, tokens: Tokens, _: Tokens) -> Tokens:
    (i, j), k = _span(rng, tokens), rng.randrange(len(tokens))
    return tokens[:k] + tokens[i:j] + tokens[k:]


def _exchange(rng: Random, tokens: Tokens, _: Tokens) -> Tokens:
    i, k = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[i], tokens[k] = tokens[k], tokens[i]
    return tokens


def _splice(rng: Random, tokens: Tokens, pool: Tokens) -> Tokens:
    (i, j), (k, n) = _span(rng, tokens), _span(rng, pool)
    return tokens[:i] + pool[k:n] + tokens[rng.choice((i, j)) :]


def _word(rng: Random, tokens: Tokens, pool: Tokens) -> Tokens:
    i, j = _span(rng, tokens)
    return [*tokens[:i], rng.choice(pool), *tokens[rng.choice((i, i + 1, j)) :]]


def _alike(rng: Random, tokens: Tokens, pool: Tokens) -> Tokens:
    """A name for a name, a number for a number, a sign for a sign: what is valid often stays so."""
    i = rng.randrange(len(tokens))
    others = [token for token in {*tokens, *pool} if _sort(token) == _sort(tokens[i])]
    return [*tokens[:i], rng.choice(sorted(others) or [""]), *tokens[i + 1 :]]


def _sort(token: str) -> str:
    first = token[:1]
    return (
        "name"
        if first.isalpha() or first == "_"
        else "number"
        if first.isdigit()
        else "space"
        if first.isspace()
        else ""
    )


def _number(rng: Random, tokens: Tokens, _: Tokens) -> Tokens:
    places = [k for k, token in enumerate(tokens) if _sort(token) == "number"] or [0]
    tokens[rng.choice(places)] = rng.choice(NUMBERS)
    return tokens


def _character(rng: Random, tokens: Tokens, _: Tokens) -> Tokens:
    i = rng.randrange(len(tokens))
    token, k = tokens[i], rng.randrange(len(tokens[i]) + 1)
    tokens[i] = token[:k] + rng.choice(CHARACTERS) + token[k + rng.choice((0, 1)) :]
    return tokens


def _lines(rng: Random, tokens: Tokens, _: Tokens) -> Tokens:
    lines = "".join(tokens).split("\n")
    i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            lines[i], lines[k] = lines[k], lines[i]
        case 1:
            lines.insert(k, lines[i])
        case _:
            del lines[i]
    return TOKEN.findall(rng.choice(("\n", "\n", "\r\n", "\r")).join(lines))


def _bracketed(rng: Random, tokens: Tokens, _: Tokens) -> Tokens:
    (i, j), (left, right), n = _span(rng, tokens), rng.choice(BRACKETS), rng.choice((1, 1, 2, 40, 70))
    return [*tokens[:i], left * n, *tokens[i:j], right * n, *tokens[j:]]


EDITS: tuple[Callable[[Random, Tokens, Tokens], Tokens], ...] = (
    _delete, _double, _exchange, _splice, _word, _alike, _alike, _alike, _number, _number, _character, _lines,
    _bracketed,
)  # fmt: skip


def _deep(rng: Random, tokens: Tokens, _: Sequence[str]) -> Tokens:
    (i, j), (left, right), n = _span(rng, tokens), rng.choice(BRACKETS), rng.choice((3_000, 9_999, 10_001, 100_000))
    return [*tokens[:i], left * n, *tokens[i:j], *rng.choice(([right * n], [])), *tokens[j:]]


def _prefixed(rng: Random, tokens: Tokens, words: Sequence[str]) -> Tokens:
    """A word, operator, opening or separator many times."""
    i = rng.choice((0, rng.randrange(len(tokens))))
    word = rng.choice(
        (rng.choice(words or ("-",)), rng.choice(("-", "- ", "+", "exp(", "x@", "1,", "x,", "?x", "1x", "#", "\n")))
    )
    return [*tokens[:i], word * rng.choice((40, 5_000, 50_000)), *tokens[i:]]


def _long(rng: Random, tokens: Tokens, _: Sequence[str]) -> Tokens:
    """A name or number of up to a million characters."""
    i = rng.randrange(len(tokens))
    tokens[i] = rng.choice(("x", "9", "0", "1e", "\u0663", " ", ".", "_", "tensor[", "1.5e+0")) * rng.choice(
        (20_000, 1_000_000)
    )
    return tokens


def _repeated(rng: Random, tokens: Tokens, _: Sequence[str]) -> Tokens:
    i, j = _span(rng, tokens)
    return tokens[:i] + tokens[i:j] * rng.choice((1_000, 5_000)) + tokens[j:]


HUGE: tuple[Callable[[Random, Tokens, Sequence[str]], Tokens], ...] = (_deep, _prefixed, _long, _repeated)


def damaged(rng: Random, data: bytes) -> bytes:
    """Bytes cut off, changed, doubled, or in another encoding."""
    i = rng.randrange(len(data) + 1)
    k = min(len(data), i + rng.choice((1, 1, 2, 8, 200)))
    match rng.randrange(9):
        case 0:
            return data[:i]
        case 1:
            return data[i:]
        case 2:
            return data[:i] + data[k:]
        case 3:
            return data[:k] + data[i:]
        case 4:
            return data[:i] + bytes([rng.randrange(256)]) + data[i + 1 :]
        case 5:
            return (
                data[:i]
                + rng.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\0", b"\xef\xbb\xbf", b"\n", b"\r"))
                + data[i:]
            )
        case 6:
            return data.decode("latin-1").encode(rng.choice(("utf-16", "utf-32", "utf-8")))
        case 7:
            return rng.choice((b"", b"\n", b"{}", b"[]", b"null", b"\xef\xbb\xbf", rng.randbytes(64)))
        case _:
            return data + data


VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 10**30, 10**400, -(10**400), 0.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"),
    "", "nan", "-inf", "x", "a" * 10_000, "\0", "\ud800", "<script>", "&amp;", "../../etc", "\n", "\u0663", [], {},
    [[]], {"": None}, [None], ["a"], [1, "a"], {"a": 1}, {"inl": 1}, {"inr": {"inl": 2}}, [[1, 2], [3]],
    [float("nan")],
)  # fmt: skip


def edited(rng: Random, value: Any, values: Sequence[Any] = VALUES) -> Any:
    """A JSON value with a few parts replaced, removed, renamed, doubled or exchanged."""
    holder = [deepcopy(value)]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = _places(holder)
        parent, key = rng.choice(places)
        match rng.randrange(6):
            case 0 | 1:
                parent[key] = deepcopy(rng.choice(values))
            case 2 if parent is not holder:
                del parent[key]
            case 3:
                other, there = rng.choice(places)
                parent[key] = deepcopy(other[there])
            case 4 if isinstance(parent, list):
                parent.insert(key, deepcopy(parent[key]))
            case 5 if isinstance(parent, dict):
                parent[rng.choice(("", "kind", "x", f"{key} ", "\u0663"))] = parent.pop(key)
            case _:
                if isinstance(parent[key], (int, float)) and abs(parent[key]) < 2**53:
                    parent[key] = rng.choice((parent[key] + 1, -parent[key], parent[key] * 1.5, str(parent[key])))
    return holder[0]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Where the parts of a value are: what holds each, and its key or index there."""
    found: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        parent = todo.pop()
        keys = parent if isinstance(parent, dict) else range(len(parent)) if isinstance(parent, list) else ()
        found += [(parent, key) for key in keys]
        todo += [parent[key] for key in keys]
    return found


def spelt(rng: Random, value: Any) -> bytes:
    """The JSON of a value as bytes, sometimes damaged, sometimes nested or as long as no reader expects."""
    text = json.dumps(value, ensure_ascii=rng.random() < 0.8)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.05:
        n = rng.choice((500, 5_000, 100_000))
        data = rng.choice(
            (b"[" * n + data + b"]" * n, b'{"a":' * n + data + b"}" * n, b"[" * n, b"9" * n, b"1e" + b"9" * n)
        )
    return damaged(rng, data) if rng.random() < 0.2 else data
