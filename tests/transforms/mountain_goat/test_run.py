"""What programs mean: every construct against NumPy's own operations."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.run import run


def outputs(source: str) -> list[np.ndarray]:
    return run(inline(lower(source, "a.mg"), source))


M = np.array([[0.5, -1.0, 3.0], [2.0, 0.25, 4.0]])
N = np.array([[1.5, 2.0], [-3.0, 4.0], [0.0, 0.5]])
R = np.arange(1.0, 25.0).reshape(2, 3, 4)
COLUMN = np.array([[2.0], [-4.0]])
ROW = np.array([[1.0, -2.0, 5.0]])
ONE = np.array([[8.0]])
BEFORE = (
    f"let m = {M.tolist()}\nlet n = {N.tolist()}\nlet r = reshape({R.reshape(1, 24).tolist()}, 2, 3, 4)\n"
    f"let column = {COLUMN.tolist()}\nlet row = {ROW.tolist()}\nlet one = {ONE.tolist()}\nlet s = 3\n"
    "def d(x: tensor[?x?]) = x\n"  # a value whose sizes are known at run time only
)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[[1, -2.5], [3e2, .5]]", np.array([[1, -2.5], [300, 0.5]])),
        ("m + m", M + M),
        ("m - column", M - COLUMN),
        ("row * m", ROW * M),
        ("column / row", COLUMN / ROW),
        ("one - m", ONE - M),
        ("one + row", ONE + ROW),
        ("one * one", ONE * ONE),
        ("m - m - m", (M - M) - M),
        ("m / row / column", (M / ROW) / COLUMN),
        ("m - row * column", M - ROW * COLUMN),
        ("m @ n", M @ N),
        ("column @ row", COLUMN @ ROW),
        ("m @ n @ column", (M @ N) @ COLUMN),
        ("-m @ n", (-M) @ N),
        ("--m", M),
        ("-m - -m", M * 0),
        ("m + 2", M + 2),
        ("2 + m", M + 2),
        ("m - 2", M - 2),
        ("2 - m", 2 - M),
        ("m * 3", M * 3),
        ("3 * m", M * 3),
        ("m / 3", M / 3),
        ("3 / m", 3 / M),
        ("2 - -3 * [[1]]", np.array([[5.0]])),
        ("m * (s - 1) / (2 * s)", M * 2 / 6),
        ("-s * m", -3 * M),
        ("2 * 3 * m", 6 * M),
        ("transpose(m)", M.T),
        ("relu(m)", np.maximum(M, 0)),
        ("exp(m)", np.exp(M)),
        ("log(m * m)", np.log(M * M)),
        ("sqrt(m * m)", np.abs(M)),
        ("ge(m, row)", (M >= ROW).astype(float)),
        ("ge(column, m)", (COLUMN >= M).astype(float)),
        ("ge(m, m)", np.ones((2, 3))),
        ("row_sum(m)", M.sum(1, keepdims=True)),
        ("row_max(m)", M.max(1, keepdims=True)),
        ("row_mean(m)", M.mean(1, keepdims=True)),
        ("col_sum(m)", M.sum(0, keepdims=True)),
        ("col_max(m)", M.max(0, keepdims=True)),
        ("col_mean(m)", M.mean(0, keepdims=True)),
        ("reshape(m, 3, 2)", M.reshape(3, 2)),
        ("reshape(r, 4, 6)", R.reshape(4, 6)),
        ("reshape(m, 1, 3, 1, 2)", M.reshape(1, 3, 1, 2)),
        ("reshape(reshape(m, 6), 2, 3)", M),
        ("r", R),
        ("permute(m, 1, 0)", M.T),
        ("permute(r, 1, 2, 0)", R.transpose(1, 2, 0)),
        ("permute(reshape(r, 2, 3, 2, 2), 3, 0, 2, 1)", R.reshape(2, 3, 2, 2).transpose(3, 0, 2, 1)),
        ("contract(m, (1), n, (0))", M @ N),
        ("contract(m, (0), n, (1))", np.einsum("ki,jk->ij", M, N)),
        ("contract(m, (0, 1), n, (1, 0))", np.einsum("ij,ji->", M, N).reshape(1, 1)),
        ("contract(m, (1, 0), n, (0, 1))", np.einsum("ij,ji->", M, N).reshape(1, 1)),
        ("contract(r, (1), n, (0))", np.einsum("ikj,kl->ijl", R, N)),
        ("contract(n, (0), r, (1))", np.einsum("kl,ikj->lij", N, R)),
        ("contract(r, (0, 1), m, (0, 1))", np.einsum("ijk,ij->k", R, M)),
        ("contract(r, (2, 0), r, (2, 0))", np.einsum("aib,ajb->ij", R, R)),
        ("contract(r, (0, 1, 2), r, (0, 1, 2))", np.einsum("ijk,ijk->", R, R).reshape(1, 1)),
        ("contract(r, (2), reshape(r, 4, 2, 3), (0))", np.tensordot(R, R.reshape(4, 2, 3), (2, 0))),
        ("contract(m, (), n, ())", np.multiply.outer(M, N)),
        # Sizes known at run time only.
        ("d(m) + d(m)", M + M),
        ("d(m) * row", M * ROW),
        ("column - d(m)", COLUMN - M),
        ("row_sum(d(m)) * col_sum(d(m))", M.sum(1, keepdims=True) * M.sum(0, keepdims=True)),
        ("d(m) @ d(n)", M @ N),
        ("row_mean(d(m))", M.mean(1, keepdims=True)),
        ("col_mean(d(m))", M.mean(0, keepdims=True)),
        ("transpose(d(m)) @ m", M.T @ M),
        ("contract(d(m), (0), m, (0))", M.T @ M),
        ("permute(d(m), 1, 0)", M.T),
        ("1 - relu(-d(m)) / 2", 1 - np.maximum(-M, 0) / 2),
    ],
)
def test_expressions(expression: str, expected: np.ndarray):
    (found,) = outputs(f"{BEFORE}print {expression}")
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0)


def test_the_worked_example():
    source = "let x = [[0.5, -1.0], [2.0, 1.0]]\nlet w = [[1.0, 2.0], [3.0, 4.0]]\n"
    assert [v.tolist() for v in outputs(source + "print col_sum(row_sum(relu(x @ w) * 2.0))")] == [[[26.0]]]


def test_the_right_side_of_a_let_sees_the_old_value():
    source = (
        "let a = [[3]]\nlet b = a\nlet a = a * a + b\nlet a = a - b\nprint a\nprint b\n"
        "let s = 2\nlet s = s * s\nprint a * s"
    )
    assert [v.tolist() for v in outputs(source)] == [[[9.0]], [[3.0]], [[36.0]]]


def test_functions_call_functions_at_several_sizes():
    source = """
def centred(x: tensor[?x?]) = x - row_mean(x)
def spread(x: tensor[?x?]) = row_mean(centred(x) * centred(x))
def norm(x: tensor[?x?], e: tensor[1x1]) = centred(x) / sqrt(spread(x) + e)
let e = [[0.00001]]
print norm([[1, 2, 4, 8]], e)
print norm([[1, 2], [3, 5], [8, 0]], e)
"""
    for found, x in zip(outputs(source), ([[1, 2, 4, 8]], [[1, 2], [3, 5], [8, 0]]), strict=True):
        centred = np.array(x) - np.mean(x, 1, keepdims=True)
        expected = centred / np.sqrt(np.mean(centred**2, 1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_parameters_hide_nothing_outside_and_names_may_be_those_of_anything():
    source = (
        "def exp2(log: tensor[1x1], double: tensor[1x1]) = exp(log) + double\n"
        "let double = [[0]]\nlet int = [[5]]\nlet exp = exp2(double, int)\nlet main = exp\nprint main\n"
        "print exp(double)"
    )
    assert [v.tolist() for v in outputs(source)] == [[[6.0]], [[1.0]]]


def test_infinities_and_nan_flow_on():
    big, nothing, undefined = outputs("let z = [[0]]\nprint 1e308 * [[10]]\nprint log(z)\nprint z / z + sqrt([[-1]])")
    assert big.item() == np.inf and nothing.item() == -np.inf and np.isnan(undefined.item())


def test_a_mean_over_an_unknown_size_of_nan_is_nan():
    (found,) = outputs("def f(x: tensor[?x?]) = row_mean(log(x))\nprint f([[-1, 1]])")
    assert np.isnan(found.item())


def test_a_program_that_stops_has_printed_what_came_before():
    source = "def f(x: tensor[?x?]) = x\nlet a = [[1, 2]]\nprint a\nprint f(a) @ a\nprint a"
    assert [v.tolist() for v in outputs(source)] == [[[1.0, 2.0]]]


def test_windows_line_ends_tabs_and_comments():
    source = "# a\r\nlet\ta = [[1,\t2]] # b\r\n\r\n\tprint a*2#c"
    assert [v.tolist() for v in outputs(source)] == [[[2.0, 4.0]]]


def test_values_are_dropped_after_their_last_use():
    wide = "[[" + ", ".join(["1"] * 100) + "]]"
    source = f"let a = {wide}\nlet b = transpose(a) @ a\n" + "let b = b * 1\n" * 1000 + "print col_max(row_max(b))"
    straight = inline(lower(source))
    tracemalloc.start()
    (found,) = run(straight)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.item() == 1.0
    assert peak < 10 * 80_000  # each value takes 80,000 bytes


def test_an_empty_program_prints_nothing():
    assert outputs("") == []
