"""What hostile `mg` text costs: it is refused with a named error, in bounded time and memory."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from tests.transforms.mountain_goat.test_mlir import EXAMPLE, MAIN, A, T
from transforms.mountain_goat.errors import MountainGoatError, TooLarge, TooNested, UnknownName
from transforms.mountain_goat.mlir import read

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
