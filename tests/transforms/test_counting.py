"""The counter: each convention on a program small enough to count by hand."""

from __future__ import annotations

import pytest

from harness.families import at_ones, doubling, product, projection, sigmoid_square, square
from transforms.drivers import TRANSFORMATIONS, counts, gradient, tangent, value
from transforms.machines.counting import Counts
from transforms.parse import parse
from transforms.rules import RULES
from transforms.typecheck import typecheck
from transforms.types import full


def of(name: str, text: str) -> Counts:
    return counts(TRANSFORMATIONS[name], parse(text))


def backward(text: str) -> dict[str, int]:
    """Operations of one backpropagator run, accumulator."""
    return {kind: n for kind, n in of("accumulator", text).backward.items() if n}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", {}),
        ("x + y", {}),
        ("x + x", {"add": 1}),
        ("x - y", {"neg": 1}),
        ("x - x", {"sub": 1}),
        ("x - 2", {"neg": 1}),
        ("2 - x", {"neg": 1}),
        ("-x", {"neg": 1}),
        ("--x", {"neg": 2}),
        ("x - y * z", {"neg": 1, "mul": 2}),
        ("x - (let a = y in x)", {"sub": 1}),
        ("2 * x", {"mul": 2}),
        ("x * x", {"mul": 2, "add": 1}),
        ("x / y", {"div": 1, "mul": 1, "neg": 1}),
        ("x / x", {"div": 1, "mul": 1, "sub": 1}),
        ("cos(x)", {"sin": 1, "mul": 1, "neg": 1}),
        ("let y = x * x in 2", {}),
        ("let y = x * x in x", {}),
        ("case <x * x, y> of <a, b> -> b", {}),
        ("let y = x * x in y + y", {"add": 2, "mul": 2}),
    ],
)
def test_operations_of_the_accumulator(text: str, expected: dict[str, int]):
    assert backward(text) == expected


def test_the_first_example_costs_10_and_6():
    assert of("pointwise", "<x1*x2, x1+x2>").operations == 10
    assert of("accumulator", "<x1*x2, x1+x2>").operations == 6


def test_slot_writes():
    """Pointwise: every scalar of every tuple made; accumulator: what arrives first in a slot."""
    assert of("pointwise", "<x1*x2, x1+x2>").slot_writes == 4 * 2
    assert of("accumulator", "<x1*x2, x1+x2>").slot_writes == 2
    assert of("pointwise", "x + 2").slot_writes == 1 + 1
    assert of("accumulator", "let y = x * x in y * y").slot_writes == 2


def test_peak_slots():
    """A sum holds its operands and its result; the accumulator a slot for each variable that something reached."""
    assert of("pointwise", "x + y").peak_slots == 3 * 2
    assert of("pointwise", "<x1*x2, x1+x2>").peak_slots == 4 * 2
    assert of("accumulator", "let y = x * x in y * y").peak_slots == 1
    # The body's tuple of 2 leaves 1 behind; beside it stand both operands and the result of the square's sum.
    assert of("pointwise", "let y = x * x in y").peak_slots == 1 + 3


def test_a_case_of_no_names_still_adds_the_scrutinee_s_tuple_pointwise():
    assert of("pointwise", "case <> of <> -> x").by_kind == {"add": 1}
    assert of("accumulator", "case <> of <> -> x").by_kind == {}


def test_saved_counts_each_number_of_the_primal_part_that_is_read_once():
    assert of("accumulator", "x * x").saved == 1
    assert of("accumulator", "x * y + x * z").saved == 3
    assert of("accumulator", "exp(x)").saved == 1
    assert of("accumulator", "x + y").saved == 0
    assert of("accumulator", "2 * x").saved == 1


def test_array_operations_count_their_scalars():
    found = counts(TRANSFORMATIONS["accumulator"], parse("context: w: real[2,3] |- w * w"))
    assert found.by_kind == {"mul": 6 + 12, "add": 6}
    assert found.saved == 6


def test_the_forward_macro_costs_3_mul_and_1_add_for_a_product():
    assert tangent(parse("x * y"), {"x": 1.0, "y": 1.0}, {"x": 1.0, "y": 0.0})[2].by_kind == {"mul": 3, "add": 1}


def totals(program) -> tuple[int, int, int]:
    point, seed = at_ones(program), full(typecheck(program), 1.0)
    runs = [gradient(TRANSFORMATIONS[name], program, point, seed).counts.operations for name in TRANSFORMATIONS]
    return value(program, point)[1].operations, runs[0], runs[1]


def test_product_closed_forms():
    for n in (2, 3, 6, 17, 64, 400):
        assert totals(product(n)) == (n - 1, 3 * n * n - 2 * n - 1, 3 * (n - 1))


@pytest.mark.slow
def test_product_closed_forms_at_every_size_up_to_2000():
    for n in range(2, 2001):
        assert totals(product(n)) == (n - 1, 3 * n * n - 2 * n - 1, 3 * (n - 1))


def test_square_closed_forms():
    for m, n in ((1, 1), (8, 64), (8, 256), (64, 64), (100, 1600)):
        assert totals(square(m, n)) == (m, 2 * m * n + m * m + 2 * m, 4 * m)


@pytest.mark.slow
def test_square_closed_forms_at_every_length_up_to_2000():
    for m in range(1, 2001):
        assert totals(square(m, 64)) == (m, 2 * m * 64 + m * m + 2 * m, 4 * m)


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_family_gradients(name: str):
    judged = TRANSFORMATIONS[name]
    six = gradient(judged, product(6), {f"x{k}": 2.0 for k in range(1, 7)}, 1.0)
    assert six.primal == 64.0
    assert set(six.cotangent.values()) == {32.0}

    long = gradient(judged, square(1000, 3), {f"x{k}": 1.0 for k in range(1, 4)}, 1.0)
    assert long.cotangent == {"x1": 2.0**1000, "x2": 0.0, "x3": 0.0}

    s_8 = gradient(judged, square(8, 64), at_ones(square(8, 64)), 1.0)
    assert s_8.cotangent == {"x1": 256.0} | {f"x{k}": 0.0 for k in range(2, 65)}

    doubled = gradient(judged, doubling(60), {"x": 1.0}, 1.0)
    assert doubled.primal == doubled.cotangent["x"] == 2.0**60

    assert set(gradient(judged, projection(9), at_ones(projection(9)), 1.0).cotangent.values()) == {1.0}


def test_what_a_representation_depends_on():
    """sigmoid square: 12 operations in the accumulator whatever the context; pointwise 3 more for each variable."""
    for n in (2, 10, 100):
        assert totals(sigmoid_square(n)) == (3, 3 * n + 12, 12)


def test_projection_is_linear_in_the_accumulator_and_quadratic_pointwise():
    sizes = range(2, 12)
    counted = [totals(projection(k)) for k in sizes]
    assert [accumulator for _, _, accumulator in counted] == [k - 1 for k in sizes]
    assert [pointwise for _, pointwise, _ in counted] == [5 * k * k - k - 1 for k in sizes]


def test_a_shared_backpropagator_runs_once():
    assert totals(doubling(30))[2] == 60


def test_every_operation_of_the_table_is_counted_under_its_name():
    for name, rule in RULES.items():
        text = f"neg({1.5})" if name == "neg" else None
        if text is None and name in ("add", "sub", "mul", "div"):
            continue
        args = "0.5, 0.75" if len(rule.c.split("{1}")) > 1 else "0.5"
        assert of("accumulator", text or f"{name}({args})").primal == {name: 1}
