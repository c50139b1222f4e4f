"""Hostile programs of Mountain Goat."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from harness.random_matrices import random_matrices
from harness.status import Status
from tests.fuzz.mutations import damaged, mutated
from tests.fuzz.trial import command, limits, tries
from transforms.mountain_goat.errors import MountainGoatError
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.mlir import read, write

PROGRAMS = [
    "let x = [[0.5, -1.0], [2.0, 1.0]]\nlet w = [[1.0, 2.0], [3.0, 4.0]]\nprint col_sum(row_sum(relu(x @ w) * 2.0))\n",
    """\
def f(x: tensor[?x3], y: tensor[1x3]) = relu(x) * 2.0 + y
def g() = [[-0.0, 1e16, 5e-324, 1.7976931348623157e308]]
def h(x: tensor[2x3x4]) = reshape(permute(x, 2, 0, 1), 4, 6)
let a = [[1, 2, 3], [4, 5, 6]]  # a comment
let b = [[1e-7, 0.25, 3]]
let c = f(a, b) - a / 3
let a = log(exp(a)) + sqrt(b * b) - -a
print col_sum(row_sum(a * b))
print contract(reshape(a, 2, 3, 1), (1), reshape(b, 3, 1), (0))
print ge(row_max(a), col_sum(b * 2 - 1))
print g()
print row_mean(c) + col_mean(c) - 0.1 / row_max(c)
let r = a @ [[1, 0, 0, 2], [0, 1, 0, 2], [0, 0, 1, 2]] @ [[1], [2], [3], [4]]
print h(reshape(r @ [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]], 2, 3, 4))
""",
    "def f(x: tensor[?x?], y: tensor[?x?]) = x @ transpose(y) + row_sum(y)\nlet a = [[1, 2]]\n"
    "print row_mean(f(a, a * 2))\nprint f([[1, 2], [3, 4]], a)\nprint contract(a, (0, 1), a, (0, 1))\n",
    *[random_matrices(Random(f"matrices/{seed}"), size=8).source for seed in range(20)],
]
COLUMN = "[" + ", ".join(["[1]"] * 3162) + "]"
WORDS = (
    "def ", "let ", "print ", "let a = ", "print a", "\n", "(", ")", "[[", "]]", "[[1]]", "[[1, 2], [3]]", "[[]]", "@",
    "-", "tensor[2x3]", "tensor[?x?]", "tensor[0x1]", "tensor[1000000000x1000000000]", "tensor[2x3x4]", "transpose(",
    "relu(", "exp(", "ge(", "row_sum(", "col_max(", "row_mean(", "reshape(a, 1, 1)", "reshape(a, 3, 2, 1)",
    "permute(a, 1, 0)", "contract(a, (0), a, (0))", "contract(a, (), a, ())", "f(", "a", "b", "x", "main",
    COLUMN, f"{COLUMN} + transpose({COLUMN})",
)  # fmt: skip


def program(rng: Random) -> str:
    return mutated(rng, PROGRAMS, WORDS)


def lowered(text: str) -> str:
    module = lower(text, "p.mg")
    inline(module, text)
    assert write(read(write(module))) == write(module)
    return "lowered"


@limits
def test_programs_are_refused_with_their_line_or_lowered_to_a_module_that_reads_back():
    outcomes = tries(program, lowered, (MountainGoatError,), r"p\.mg:[1-9]")
    assert min(outcomes["lowered"], outcomes["refused"]) > outcomes.total() / 20


def on_file(ending: str, text: Callable[[Random], str]) -> None:
    """Try commands on files with hostile text."""

    def asked(rng: Random) -> tuple[bytes, list[str]]:
        data = text(rng).encode()
        names = ",".join(rng.choice(("a", "x", "w", "a,b", "b,a", "z", "")) for _ in range(rng.choice((1, 1, 1, 2))))
        options = {
            "run": ["--format", rng.choice(("text", "json", "memref"))],
            "ir": [],
            "grad": ["--wrt", names, "--loss", rng.choice(("1", "1", "2", "0", "9" * 40))],
            "hvp": [
                "--wrt",
                names,
                "--vec",
                rng.choice(("[[1, 2, 3], [4, 5, 6]]", "[[1, 0], [0, 1]]", "[[1]];[[2]]", "x")),
            ],
        }
        descend = [
            "--descend",
            rng.choice(("0", "2", "100", "9" * 9, "-1")),
            "--lr",
            rng.choice(("0.1", "1e308", "nan")),
        ]
        name = rng.choice([*options])
        more = descend if name == "grad" and rng.random() < 0.3 else []
        return damaged(rng, data) if rng.random() < 0.1 else data, [name, *options[name], *more]

    def attempt(given: tuple[bytes, list[str]]) -> str:
        data, (name, *options) = given
        with tempfile.NamedTemporaryFile(suffix=ending) as file:
            Path(file.name).write_bytes(data)
            return command("mg", name, file.name, *options, allowed=[Status.STOPPED])

    outcomes = tries(asked, attempt)
    assert outcomes["GOOD"] and outcomes["FINDING"]


@limits
def test_the_commands_diagnose_programs():
    on_file(".mg", program)
