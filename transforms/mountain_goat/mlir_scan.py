"""A linear scan of `mg` text, which refuses what would hang or exhaust the parser that comes after it.

That parser backtracks for ever on a string that does not end or has an unknown escape; recurses on brackets; fills
memory with splats, and with integers as wide as their type says; and reads types by parts, so that a long one takes the
square of its length. Aliases, of which each mention may double the work, affine maps, resources and types other than
tensors do not belong to the dialect. What is left takes time and memory in proportion to the text.
"""

from __future__ import annotations

import re

from transforms.mountain_goat.errors import Malformed, TooLarge, TooNested

MAX_NESTING = 64
MAX_ELEMENTS = 10_000_000
"""The most elements that the splats of a text may have together."""
MAX_WORD = 1_000
"""The most characters of a name, type or number."""
MAX_ARGUMENTS = 1_000
"""The most arguments of a block, of which each costs the parser as much as those before it."""

# What the parser takes for one token. All repetitions are possessive: no character is looked at again and again.
STRING = r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"?+'
COMMENT = re.compile(rf"({STRING})|//[^\n]*+")
TOKEN = re.compile(
    rf"""(?P<string>  {STRING} )
    | (?P<meta>    \{{-\#|\#-\}} )
    | ->
    | (?P<open>    [(\[{{<] )
    | (?P<close>   [)\]}}>] )
    | (?P<alias>   [!\#][A-Za-z$._-] )
    | (?P<name>    [%^](?:[0-9]++|[A-Za-z$._-][A-Za-z0-9$._-]*+) | @[A-Za-z_][A-Za-z0-9_$.]*+ )
    | (?P<word>    [A-Za-z0-9_$.]++ )
    | (?P<foreign> [^\x00-\x7f] )""",
    re.VERBOSE,
)
SPLAT = re.compile(r"[^\[>]*+>\s*+:\s*+\w++\s*+<([\s0-9x]*+)")
"""What follows `dense<` where one number fills a tensor: that number, and the sizes of the tensor's type."""
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
WIDE = re.compile(r"(?<![A-Za-wyz])[su]?i[0-9]{3}")
FOREIGN = {"affine_map", "affine_set", "complex", "dense_resource", "memref", "opaque", "strided", "tuple", "vector"}


def scan(text: str) -> str:
    """The text without its comments. Raises Malformed, TooNested or TooLarge, with the line."""
    text = COMMENT.sub(r"\1", text)
    opened: list[tuple[str, int]] = []
    dense = MAX_NESTING + 1  # how many brackets are open within the last `dense`
    elements = 0
    label, arguments = MAX_NESTING + 1, 0  # how many brackets are open within the arguments of the last `^block`
    before = ""
    for token in TOKEN.finditer(text):
        kind, found, at = token.lastgroup, token.group(), token.start()
        if kind == "open":
            opened.append((found, at))
            if len(opened) > MAX_NESTING:
                raise TooNested(f"nested too deeply: the limit is {MAX_NESTING} levels", _line(text, at))
            if before[:1] == "^":
                label, arguments = len(opened), 0
            if before == "dense":
                dense = len(opened)
                elements += _splat(text, token.end())
                if elements > MAX_ELEMENTS:
                    raise TooLarge(f"splats of more than {MAX_ELEMENTS:,} elements together", _line(text, at))
        elif kind == "close":
            if not opened or CLOSING[opened[-1][0]] != found:
                raise Malformed(f"unbalanced {found!r}", _line(text, at))
            opened.pop()
            dense, label = (depth if depth <= len(opened) else MAX_NESTING + 1 for depth in (dense, label))
        elif kind == "string":
            if len(found) < 2 or found[-1] != '"':
                raise Malformed("a string that does not end on its line, or has an unknown escape", _line(text, at))
            if len(opened) >= dense:
                raise Malformed("a dense constant as a string: expected nested lists of numbers", _line(text, at))
        elif kind in ("word", "name"):
            if len(found) > MAX_WORD:
                raise TooLarge(f"a name, type or number of more than {MAX_WORD:,} characters", _line(text, at))
            arguments += len(opened) >= label and found[0] == "%"
            if arguments > MAX_ARGUMENTS:
                raise TooLarge(f"more than {MAX_ARGUMENTS:,} arguments of a block", _line(text, at))
            if kind == "word":
                _check_word(text, found, at, len(opened) >= dense)
        elif kind == "foreign":
            raise Malformed(f"unexpected character {found!r}", _line(text, at))
        elif kind is not None:
            raise Malformed(f"unexpected {found!r}: aliases and metadata are not read", _line(text, at))
        before = found
    if opened:
        raise Malformed(f"this {opened[-1][0]!r} is never closed", _line(text, opened[-1][1]))
    return text


def _check_word(text: str, word: str, at: int, in_dense: bool) -> None:
    if in_dense and word[:2] in ("0x", "0X"):
        raise Malformed(f"the hexadecimal number {word[:20]} in a dense constant: expected decimals", _line(text, at))
    if WIDE.search(word):
        raise Malformed(f"unknown type in {word[:40]!r}: integers have at most 64 bits", _line(text, at))
    if word in FOREIGN:
        raise Malformed(f"{word!r} does not belong to the dialect", _line(text, at))


def _splat(text: str, at: int) -> int:
    """How many elements the splat has that begins at an offset, as far as they matter; 0 for a list."""
    match = SPLAT.match(text, at)
    if not match:
        return 0
    count = 1
    for size in re.findall("[0-9]+", match[1]):
        count = min(count * int(size.lstrip("0")[:12] or 0), MAX_ELEMENTS + 1)
    return count


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
