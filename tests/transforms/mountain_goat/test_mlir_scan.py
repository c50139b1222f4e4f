"""What hostile `mg` text costs: it is refused with a named error, in bounded time and memory."""

from __future__ import annotations

import random
import re
import time
import tracemalloc

import pytest

from tests.transforms.mountain_goat.test_mlir import EXAMPLE, LINES, MAIN, PROGRAM, A, T, around
from transforms.mountain_goat.errors import MountainGoatError, TooLarge, TooNested, UnknownName
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.mlir import read, write
from transforms.mountain_goat.module import Module

LONG = "a" * 40
HOSTILE = {
    "a string that does not end": f'  %b = mg.scalar %a {{op = "{LONG}, value = 1.0}}\n',
    "an unknown escape": f'  %b = mg.scalar %a {{op = "{LONG}\\q", value = 1.0}}\n',
    "brackets": "  %b = mg.constant dense<" + "[" * 100_000 + "1.0" + "]" * 100_000 + "> : tensor<1xf64>\n",
    "regions": '"builtin.module"() ({\n' * 1_000 + "}) : () -> ()\n" * 1_000,
    "a splat": "  %b = mg.constant dense<1.0> : tensor<100000x100000xf64>\n",
    "a splat in disguise": "  %b = mg.constant dense // <\n <1.0 // >\n > : tensor< 0000000000000100000 x 9999 xf64>\n",
    "a splat of many axes": "  %b = mg.constant dense<1.0> : tensor<" + "1 x " * 5_000 + "99999999xf64>\n",
    "many splats": "".join(f"  %b{k} = mg.constant dense<1.0> : tensor<999x999xf64>\n" for k in range(100)),
    "a splat of vectors": "  %b = mg.constant dense<1.0> : vector<[100000000]xf64>\n",
    "a hexadecimal NaN": "  %b = mg.constant dense<[[0x7FF8000000000000]]> : tensor<1x1xf64>\n",
    "hexadecimal bytes": '  %b = mg.constant dense<"0x7FF8000000000000"> : tensor<1x1xf64>\n',
    "a NaN for a scalar": (
        f'  %b = mg.scalar %a {{op = "mul", value = 0x7FF8000000000000 : f64, reversed = false}} : {T} -> {T}\n'
    ),
    "a wide integer": "  %b = arith.constant 1 : i999999999\n",
    "a tensor of wide integers": "  %b = mg.constant dense<1> : tensor<1xi999999999>\n",
    "a long number": f"  %b = mg.constant dense<[[1{'0' * 100_000}.0]]> : tensor<1x1xf64>\n",
    "a large number": f"  %b = mg.constant dense<[[1{'0' * 900}]]> : tensor<1x1xf64>\n",
    "a long shape": f"  %b = mg.neg %a : tensor<{'1x' * 100_000}f64> -> tensor<1x1xf64>\n",
    "aliases": "#a0 = [1]\n" + "".join(f"#a{k + 1} = [#a{k}, #a{k}]\n" for k in range(60)),
    "affine maps": "  %b = arith.constant affine_map<(d0) -> (d0 mod 0)>\n",
    "resources": "{-# dialect_resources: {} #-}\n",
    "block arguments": "^b(" + ", ".join(f"%b{k}: {T}" for k in range(50_000)) + "):\n",
    "a tuple of values": "  %b:999999999 = mg.constant dense<[[1.0]]> : tensor<1x1xf64>\n",
    "function types": "  %b = mg.neg %a : " + "(" * 60 + "() -> ()" + ") -> ()" * 60 + "\n",
    "quotes": '"' * 100_000,
    "other alphabets": "  %β = mg.neg %a : tensor<1x1xf64> -> tensor<1x1xf64>\n",
    "control characters": "  \0\x1b\n",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_refused_in_bounded_time_and_memory(kind: str):
    text = MAIN % (A + HOSTILE[kind])
    read(EXAMPLE)  # what is imported for the first time is not counted
    tracemalloc.start()
    began = time.process_time()
    try:
        with pytest.raises(MountainGoatError) as caught:
            read(text, "p.mlir")
        seconds, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.line > 0
    assert len(str(caught.value)) < 1_000
    assert seconds < 2.0
    assert peak < 20e6 + 10 * len(text)


def test_hostile_text_has_named_errors():
    for kind, error in {
        "brackets": TooNested,
        "regions": TooNested,
        "a splat": TooLarge,
        "many splats": TooLarge,
    }.items():
        with pytest.raises(error):
            read(MAIN % (A + HOSTILE[kind]))
    with pytest.raises(UnknownName):
        read(MAIN % f"  mg.print %a : {T}\n")


def test_a_splat_of_a_million_is_read_and_strings_are_only_what_is_quoted():
    module = read(MAIN % '  // "no string, [[[ no brackets\n  %a = mg.constant dense<1.0> : tensor<1000x1000xf64>\n')
    assert module.main[0].attributes["value"].shape == (1000, 1000)


@pytest.mark.parametrize("error", [RecursionError, MemoryError, ValueError("odd"), KeyError("odd")])
def test_what_the_parser_lets_through_becomes_a_named_error(error: Exception, monkeypatch: pytest.MonkeyPatch):
    from transforms.mountain_goat.dialect import Constant

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Constant, "verify_", fail)
    with pytest.raises(MountainGoatError, match=r"p\.mlir:2: error: "):
        read(MAIN % A, "p.mlir")


SNIPPETS = [
    '"', "\\", "//", "[" * 70, "]" * 3, "<", ">", "{", "}", "(", ")", "->", "dense<", "tensor<", "tensor<?x?xf64>", "%",
    "%zz", "%a", "%x", "%0#1", "@f", "@scale_add", "^bb0:", "#a", "!b", "\x00", "é", "i999999999", ": i64", "0x7FF8000",
    "-", "1.0e999", "9" * 400, "9" * 5_000, "dense<1.0> : tensor<99999x99999xf64>", "dense<1> : tensor<2xi64>", "false",
    "array<i64: 0>", "func.func @main()", "mg.print", "func.return", "module {", "loc(unknown)", "affine_map<()>", "x",
    '"mg.add"(%a, %a)', '{op = "mul"}', "\n", "  ", ",", "=", "?", "<{", "}>", "{-#", "unit", "opaque<", "_1",
]  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    """The text with a few edits: parts taken out, doubled, exchanged, and hostile snippets put in."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        i = rng.randrange(len(text))
        j = min(len(text), i + rng.choice((1, 1, 3, 10, 60)))
        k = rng.randrange(len(text))
        lines = text.split("\n")
        match rng.randrange(10):
            case 0:
                text = text[:i] + text[j:]
            case 1:
                text = text[:k] + text[i:j] + text[k:]
            case 2 | 3:
                text = text[:i] + rng.choice(SNIPPETS) + text[rng.choice((i, j)) :]
            case 4:
                a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[a], lines[b] = lines[b], lines[a]
                text = "\n".join(lines)
            case 5 | 6 | 7 | 8:
                names = re.findall(r"%\w+|tensor<[^>]*>|mg\.\w+|\d+|\w+ = |\"\w+\"", text) or ["%a"]
                text = text.replace(rng.choice(names), rng.choice(names), rng.choice((1, -1)))
            case 9:
                text = text[:i] + chr(rng.randrange(128)) + text[i + 1 :]
        text = text or "x"
    return text


def outcome(text: str) -> Module | str:
    """The module in a text, or the message that refuses it."""
    try:
        return read(text, "p.mlir")
    except MountainGoatError as error:
        return str(error)


def check_mutants(count: int) -> None:
    rng = random.Random(4)
    originals = [EXAMPLE, around(LINES), write(lower(PROGRAM))]
    read_back = 0
    for _ in range(count):
        text = mutated(rng.choice(originals), rng)
        began = time.process_time()
        found = outcome(text)
        assert time.process_time() - began < 2.0
        if isinstance(found, Module):
            assert write(read(write(found))) == write(found)
            read_back += 1
        else:
            assert re.fullmatch(r"p\.mlir:\d+: error: [^\n]+", found)
    assert count / 50 < read_back < count / 2  # the edits are neither all fatal nor mostly without effect


def test_mutated_texts_are_read_or_refused():
    check_mutants(300)


@pytest.mark.slow
def test_thousands_of_mutated_texts_are_read_or_refused():
    check_mutants(5_000)
