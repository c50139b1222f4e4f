"""What rounding can do to a value: sums of absolute terms, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.magnitudes import close, magnitudes
from harness.workload_suite import straight
from transforms.array_rules import TABLE
from transforms.mountain_goat.judged import MATRICES
from transforms.mountain_goat.run import run

A, B = np.array([[1.0, -3.0], [2.0, 5.0]]), np.array([[2.0, 4.0], [-1.0, 8.0]])
INPUTS = f"let a = {A.tolist()}\nlet b = {B.tolist()}\n"


def of(expression: str) -> np.ndarray:
    (found,) = magnitudes(straight(f"{INPUTS}print {expression}\n", "p.mg"))
    return found


def test_a_sum_has_the_sum_of_its_absolute_terms_whatever_cancels():
    assert np.array_equal(of("a - b"), abs(A) + abs(B))
    assert np.array_equal(of("row_sum(a)"), [[4.0], [7.0]])
    assert np.array_equal(of("a - a"), 2 * abs(A))


def test_a_product_has_what_each_factor_is_off_by_times_the_other():
    assert np.array_equal(of("a @ b"), 2 * abs(A) @ abs(B))
    assert np.array_equal(of("(a - b) * 3.0"), 3 * (abs(A) + abs(B)))


def test_a_function_has_its_slope_times_what_its_argument_is_off_by():
    assert np.allclose(of("exp(a)"), np.exp(A) * (1 + abs(A)), rtol=1e-15)
    assert np.allclose(of("log(a * a)"), abs(np.log(A * A)) + 2, rtol=1e-15)
    assert np.allclose(of("a / b"), 2 * abs(A / B), rtol=1e-15)


def test_what_moves_keeps_its_magnitude():
    assert np.array_equal(of("transpose(a - b)"), (abs(A) + abs(B)).T)


def test_every_operation_of_matrix_programs_has_one():
    text = (
        "relu(-a) / 2.0 - 1.0 / (ge(a, b) + 2.0) + (3.0 - b) * 4.0 + sqrt(b * b) + (reshape(a, 1, 4) @ w) - row_max(b)"
    )
    line = straight(f"{INPUTS}let w = [[1.0], [2.0], [3.0], [4.0]]\nprint {text}\n", "p.mg")
    (found,), (value,) = magnitudes(line), run(line)
    assert np.all(found >= abs(value))


def test_rounding_every_operation_to_single_precision_stays_within_a_small_multiple():
    single = {
        name: replace(row, evaluate=lambda *args, f=row.evaluate, **s: f(*args, **s).astype(np.float32).astype(float))
        for name, row in TABLE.items()
    }
    line = straight(f"{INPUTS}print exp((a - b) / 3.0) @ (a * 0.1 - b) - row_sum(a @ b)\n", "p.mg")
    (rough,), (exact,), (size,) = run(line, replace(MATRICES, rules=single)), run(line), magnitudes(line)
    assert np.any(rough != exact)
    assert np.all(close(rough, exact, size, 2.0**-23))
    assert not np.all(close(rough, exact, size, 2.0**-40))
