"""Text of straight lines: what is read back is the same program."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.random_matrices import random_matrices
from transforms.array_rules import TABLE
from transforms.machines.syntax import binding
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lines import Line, unchain
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.write import write
from transforms.syntax import Lit, Op, Program, Term, Tuple, Var
from transforms.typecheck import typecheck
from transforms.types import Array


def straight(source: str) -> Straight:
    return inline(lower(source, "p.mg"), source)


def same(found: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> bool:
    """To the last bit, but for what is NaN."""
    return len(found) == len(expected) and all(
        np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))
        for a, b in zip(found, expected, strict=True)
    )


def made(inputs: dict[str, np.ndarray], lines: list[Line], *printed: Term) -> Straight:
    """A straight line as no text gives it."""
    program = Program(tuple((x, Array(v.shape)) for x, v in inputs.items()), binding(lines, Tuple(printed)))
    typecheck(program, TABLE)
    lets = {x: ((k, x),) for k, x in enumerate(inputs, 1)}
    return Straight(program, inputs, lets, tuple(range(len(printed))))


def operations(program: Straight) -> list[str]:
    """In order, but for broadcasts, which text has where they are used."""
    return [operation.name for _, operation in unchain(program.program.term)[0] if operation.name != "broadcast"]


EVERY_OPERATION = """\
let x = [[0.5, -1.0, 2.0], [3.0, 0.25, 1e-300]]
let y = [[1.0, 2.0, 3.0]]
let z = [[4.0], [5.0]]
let a = x + y
let b = z - a
let c = b * a
let d = c / z
let e = -d
let f = exp(e)
let g = log(f)
let h = sqrt(f)
let i = relu(g)
let j = ge(x, y)
let k = x @ transpose(j)
let l = row_sum(x)
let m = row_max(x)
let n = row_mean(x)
let o = col_sum(x)
let p = col_max(x)
let q = col_mean(x)
let r = reshape(x, 3, 1, 2)
let s = permute(r, 2, 0, 1)
let t = contract(s, (0, 2), r, (2, 1))
let u = (2.0 - (x + 1.0)) * -3.0 - 4.0
let v = 1.0 / (u / 7.0)
print h + i
print t
print v @ transpose(u) + k
print l * n * m
print o + p + q
"""


def test_every_operation_is_read_back():
    program = straight(EVERY_OPERATION)
    text = write(program)
    again = straight(text)
    assert operations(again) == operations(program)
    assert set(operations(program)) == {
        "add", "sub", "mul", "div", "neg", "exp", "log", "sqrt", "relu", "ge", "matmul", "transpose", "reduce",
        "reshape", "permute", "add_k", "sub_k", "k_sub", "mul_k", "div_k", "k_div",
    }  # fmt: skip
    assert write(again) == text
    assert same(run(again), run(program))


def test_a_literal_of_another_rank_is_a_matrix_reshaped():
    """Only text of the dialect has such literals."""
    cube, row = np.arange(6.0).reshape(1, 2, 3), np.array([1.0, 2.0])
    program = made({"x": cube}, [("y", Op("reshape", (Var("x"),), (("shape", (6,)),)))], Var("y"), Lit(row), Var("x"))
    text = write(program)
    assert text.startswith("let x = reshape([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]], 1, 2, 3)\n")
    assert same(run(straight(text)), run(program))


@given(st.randoms(use_true_random=True), st.integers(1, 30))
def test_random_programs_are_read_back(rng: random.Random, size: int):
    program = straight(random_matrices(rng, size=size).source)
    text = write(program)
    again = straight(text)
    assert operations(again) == operations(program)
    assert write(again) == text
    assert same(run(again), run(program))


def test_names_of_lets_stay_and_others_are_numbered():
    text = write(straight("let v1 = [[1.0]]\nlet exp = v1 * 2.0 + 1.0\nlet w = exp @ exp\nprint -w - exp\n"))
    assert text == (
        "let v1 = [[1.0]]\nlet v2 = v1 * 2.0\nlet exp = v2 + 1.0\nlet w = exp @ exp\n"
        "let v3 = -w\nlet v4 = v3 - exp\nprint v4\n"
    )


def test_a_name_bound_again_becomes_two_names():
    program = straight("let x = [[2.0]]\nlet x = x * x\nlet x = x * x\nprint x\n")
    bound = [line.split()[1] for line in write(program).splitlines() if line.startswith("let")]
    assert bound[0] == "x" and len(set(bound)) == 3
    assert same(run(straight(write(program))), [np.array([[16.0]])])


def test_floats_are_the_shortest_text_that_reads_back():
    numbers = [0.1, -0.0, 1e16, 5e-324, 1.7976931348623157e308, 1 / 3, -2.0]
    text = write(straight(f"let x = {[numbers]}\nprint x * 1e22 - -0.5\nprint -0.0 + x\n"))
    for number in numbers:
        assert repr(number) in text
    assert "* 1e+22" in text and "- -0.5" in text
    with np.errstate(over="ignore"):
        assert same(run(straight(text)), [np.array([numbers]) * 1e22 + 0.5, np.array([numbers]) + -0.0])


@pytest.mark.parametrize("left", [(2, 3), (1, 3), (2, 1), (1, 1)])
@pytest.mark.parametrize("right", [(2, 3), (1, 3), (2, 1), (1, 1)])
def test_operands_stretch_where_they_are_used(left: tuple[int, int], right: tuple[int, int]):
    """Both are stretched to 2x3; where that is more than the two ask for, one is written in full."""
    values = {"a": np.arange(6.0).reshape(2, 3)[: left[0], : left[1]], "b": -np.ones(right)}
    lines: list[Line] = [
        (f"{x}_full", Op("broadcast", (Var(x),), (("shape", (2, 3)),))) for x, v in values.items() if v.shape != (2, 3)
    ]
    wide = [Var(f"{x}_full" if v.shape != (2, 3) else x) for x, v in values.items()]
    program = made(values, [*lines, ("r", Op("sub", tuple(wide)))], Var("r"))
    text = write(program)
    needs_a_line = np.broadcast_shapes(left, right) != (2, 3)
    assert text.count("let ") == 3 + needs_a_line
    assert same(run(straight(text)), run(program))
    assert write(straight(text)) == text


SPECIAL = np.array([[-0.0, 0.0, np.inf, -np.inf, np.nan, 5e-324]])


@pytest.mark.parametrize("shape", [(1, 6), (3, 6)])
def test_a_broadcast_of_its_own_keeps_every_number(shape: tuple[int, int]):
    lines: list[Line] = [
        ("y", Op("broadcast", (Var("x"),), (("shape", (3, 6)),))),
        ("z", Op("transpose", (Var("y"),))),
    ]
    finite = made({"x": np.zeros((1, 6))}, lines, Var("y"), Var("z"))
    again = straight(write(finite))
    special = Straight(again.program, {"x": SPECIAL}, again.lets, again.prints)
    with np.errstate(all="ignore"):
        assert same(run(special), [np.broadcast_to(SPECIAL, (3, 6)), np.broadcast_to(SPECIAL, (3, 6)).T])


def test_a_chain_of_broadcasts_is_written_axis_by_axis():
    """Which is m + n ones, where both axes at once would take m * n."""
    lines: list[Line] = [
        ("y", Op("broadcast", (Lit(np.ones((1, 1))),), (("shape", (4, 1)),))),
        ("z", Op("broadcast", (Var("y"),), (("shape", (4, 3)),))),
    ]
    text = write(made({}, lines, Var("z")))
    assert text == (
        "let v1 = [[1.0]] * [[1.0], [1.0], [1.0], [1.0]]\nlet v1_wide = v1 * [[1.0, 1.0, 1.0]]\nprint v1_wide\n"
    )


def test_literals_of_equal_entries_are_written_as_one_where_they_stretch():
    x = np.ones((2, 2))
    lines: list[Line] = [
        ("a", Op("ge", (Var("x"), Lit(np.zeros((2, 2)))))),
        ("b", Op("matmul", (Var("a"), Lit(np.zeros((2, 2)))))),
        ("c", Op("mul", (Lit(np.full((2, 2), 3.0)), Lit(np.full((2, 2), 3.0))))),
        ("d", Op("add", (Var("b"), Lit(np.array([[0.0, -0.0], [0.0, 0.0]]))))),
    ]
    program = made({"x": x}, lines, Var("c"), Var("d"))
    assert write(program).splitlines()[1:5] == [
        "let v1 = ge(x, [[0.0]])",
        "let v2 = v1 @ [[0.0, 0.0], [0.0, 0.0]]",
        "let v3 = [[3.0]] * [[3.0, 3.0], [3.0, 3.0]]",
        "let v4 = v2 + [[0.0, -0.0], [0.0, 0.0]]",
    ]
    assert same(run(straight(write(program))), run(program))


@given(st.integers(0, 10**6))
def test_broadcasts_anywhere_are_read_back_to_the_same_values(seed: int):
    """Straight lines whose broadcasts are used in every kind of operation."""
    rng = random.Random(seed)
    shapes: dict[str, tuple[int, ...]] = {"a": (1, 3), "b": (2, 1), "c": (1, 1), "d": (2, 3)}
    values = {x: np.array([[rng.uniform(-2, 2) for _ in range(n)] for _ in range(m)]) for x, (m, n) in shapes.items()}
    lines: list[Line] = []
    for k in range(12):
        x, y = rng.choice(list(shapes)), rng.choice(list(shapes))
        operands: tuple[Term, ...] = (Var(x),)
        statics: tuple[tuple[str, object], ...] = ()
        kind = rng.choice(["stretch", "stretch", "binary", "binary", "literal", "exp", "transpose", "reduce", "matmul"])
        if kind == "stretch" and 1 in shapes[x]:
            row, shape = "broadcast", tuple(rng.choice((1, 2, 3)) if n == 1 else n for n in shapes[x])
            statics = (("shape", shape),)
        elif kind == "binary" and shapes[x] == shapes[y]:
            row, operands = rng.choice(["add", "sub", "mul", "ge"]), (Var(x), Var(y))
        elif kind == "literal":
            row, operands = "mul", (Lit(np.full(shapes[x], 0.5)), Var(x))
        elif kind == "reduce":
            row, statics = "reduce", (("axis", rng.randrange(2)), ("kind", "max"))
        elif kind == "matmul" and shapes[x][1] == shapes[y][0]:
            row, operands = "matmul", (Var(x), Var(y))
        else:
            row = rng.choice(["relu", "transpose", "neg"])
        lines.append((f"t{k}", Op(row, operands, statics)))
        types = [Array(shapes[arg.name]) if isinstance(arg, Var) else Array(shapes[x]) for arg in operands]
        shapes[f"t{k}"] = TABLE[row].shape(*types, **dict(statics)).shape  # type: ignore[union-attr]
    program = made(values, lines, *map(Var, rng.sample(list(shapes), 3)), Var("t11"))
    text = write(program)
    again = straight(text)
    assert same(run(again), run(program))
    assert write(again) == text


def test_sections_become_comments():
    program = straight("let x = [[1.0]]\nlet y = x * 2.0\nprint y\nprint x\n")
    sections = [("Inputs", 1), ("Nothing", 0), ("Work", 1), ("Results", 2)]
    assert write(program, sections) == (
        "# Inputs\nlet x = [[1.0]]\n\n# Work\nlet y = x * 2.0\n\n# Results\nprint y\nprint x\n"
    )
