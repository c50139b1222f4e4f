"""Gradients as programs: the numbers of mathematics, through text that is read back; and what is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.random_matrices import random_matrices
from transforms.mountain_goat.errors import MountainGoatError, NoGradient, UnknownName, WrongDirection
from transforms.mountain_goat.gradients import Generated, descend, gradient, hvp
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.located import located
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.task import refuse_dynamic
from transforms.mountain_goat.write import write

WORKED = """\
let x = [[0.5, -1.0], [2.0, 1.0]]
let w = [[1.0, 2.0], [3.0, 4.0]]
print col_sum(row_sum(relu(x @ w) * 2.0))
"""


def straight(source: str) -> Straight:
    return inline(lower(source, "p.mg"), source)


def text_of(generated: Generated) -> str:
    return write(generated.straight, generated.sections)


def printed(generated: Generated) -> list[np.ndarray]:
    """What the generated text prints, which is what the generated straight line does."""
    values = run(straight(text_of(generated)))
    for value, same in zip(values, run(generated.straight), strict=True):
        assert np.array_equal(value, same, equal_nan=True)
    return values


def grad(source: str, *names: str, loss: int = 0) -> list[np.ndarray]:
    return printed(gradient(straight(source), names, loss))


def product(source: str, names: Sequence[str], *directions: Sequence[Sequence[float]]) -> list[np.ndarray]:
    return printed(hvp(straight(source), names, [np.array(direction, dtype=float) for direction in directions]))


def lists(values: Sequence[np.ndarray]) -> list:
    return [value.tolist() for value in values]


def test_the_worked_example():
    assert lists(grad(WORKED, "w", "x")) == [[[26.0]], [[4.0, 4.0], [2.0, 2.0]], [[0.0, 0.0], [6.0, 14.0]]]


def test_the_text_of_the_worked_example():
    assert (
        text_of(gradient(straight(WORKED), ["w", "x"]))
        == """\
# Inputs
let x = [[0.5, -1.0], [2.0, 1.0]]
let w = [[1.0, 2.0], [3.0, 4.0]]

# Forward pass
let v1 = x @ w
let v2 = relu(v1)
let v3 = v2 * 2.0
let v4 = row_sum(v3)
let v5 = col_sum(v4)

# Backward pass
let g_v4 = [[1.0]] * [[1.0], [1.0]]
let g_v3 = g_v4 * [[1.0, 1.0]]
let g_v2 = g_v3 * 2.0
let d_v2 = ge(v1, [[0.0]])
let g_v1 = g_v2 * d_v2
let w_t = transpose(w)
let g_x = g_v1 @ w_t
let x_t = transpose(x)
let g_w = x_t @ g_v1

# Results: the loss, its gradient in w, x
print v5
print g_w
print g_x
"""
    )


def test_adjoints_of_adjoints_say_so():
    text = text_of(hvp(straight("let x = [[2.0]]\nprint exp(x) * x\n"), ["x"], [np.ones((1, 1))]))
    assert re.findall(r"^let (g2?_\w+) =", text, re.MULTILINE) == [
        "g_v1", "g_x_part", "g_x_part2", "g_x",
        "g2_g_x", "g2_g_v1", "g2_v1_part", "g2_v1_part2", "g2_v1", "g2_x_part", "g2_x_part2", "g2_x",
    ]  # fmt: skip


def test_the_same_program_gives_the_same_text():
    assert len({text_of(descend(straight(WORKED), ["x", "w"], 3, 0.1)) for _ in range(3)}) == 1


def test_ties_share():
    found = grad("let m = [[1, 3, 3], [2, 2, 0]]\nprint col_sum(row_max(m))\n", "m")
    assert lists(found) == [[[5.0]], [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]]


def test_the_second_order_example():
    source = "let x = [[0.7, -1.0], [2.0, 1.0]]\nprint col_sum(row_sum(x * x * x + exp(x) * 0.5))\n"
    along, found = product(source, ["x"], [[1, 0], [0, 0]])
    assert along.item() == pytest.approx(3 * 0.7**2 + np.exp(0.7) * 0.5, rel=1e-15)
    assert along.item() == pytest.approx(2.47688, abs=5e-6)
    assert found[0, 0] == pytest.approx(6 * 0.7 + np.exp(0.7) * 0.5, rel=1e-15)
    assert found[0, 0] == pytest.approx(5.20688, abs=5e-6)
    assert np.count_nonzero(found) == 1


def test_products_with_the_hessian_have_the_blocks_across_matrices():
    """a . b at a = (1, 2), b = (3, 4), along (5, 6) and (7, 8): the sum is b . v + a . w, the products are w and v."""
    source = "let a = [[1, 2]]\nlet b = [[3, 4]]\nprint a @ transpose(b)\n"
    assert lists(product(source, ["a", "b"], [[5, 6]], [[7, 8]])) == [[[62.0]], [[7.0, 8.0]], [[5.0, 6.0]]]
    assert lists(product(source, ["b", "a"], [[7, 8]], [[5, 6]])) == [[[62.0]], [[5.0, 6.0]], [[7.0, 8.0]]]


def test_the_hessian_of_a_linear_loss_is_zero():
    source = "let a = [[1, 2]]\nlet b = [[3]]\nprint row_sum(relu(a)) + b\n"
    assert lists(product(source, ["a", "b"], [[5, 6]], [[7]])) == [[[18.0]], [[0.0, 0.0]], [[0.0]]]


def test_gradients_of_gradients_of_gradients():
    """x^4 at 3: 81, 108, 108, 72, 24, 0, each from the text of the one before."""
    source = "let x = [[3.0]]\nprint x * x * x * x\n"
    for order, value in enumerate((108.0, 108.0, 72.0, 24.0)):
        generated = gradient(straight(source), ["x"], min(order, 1))
        assert printed(generated)[1].item() == value
        source = text_of(generated)
    assert printed(hvp(straight(source), ["x"], [np.ones((1, 1))], 0))[0].item() == 24.0


def test_a_product_with_the_hessian_of_a_gradient_s_text():
    """Third order at once: the loss is the gradient of x^4."""
    once = text_of(gradient(straight("let x = [[3.0]]\nprint x * x * x * x\n"), ["x"]))
    assert [value.item() for value in printed(hvp(straight(once), ["x"], [np.array([[2.0]])], 1))] == [216.0, 144.0]


@pytest.mark.parametrize(
    "taken", ["g_x", "v1", "d_v1", "x_t", "g_x_part", "g2_x", "x_wide", "along_x", "x_step", "x_s1"]
)
def test_names_of_the_program_are_not_captured(taken: str):
    source = f"let {taken} = [[2.0, 5.0]]\nlet x = [[3.0]]\nprint row_sum(x * x * x * {taken} * {taken})\n"
    assert lists(grad(source, "x", taken)) == [[[783.0]], [[783.0]], [[108.0, 270.0]]]
    assert lists(product(source, ["x"], [[1]])) == [[[783.0]], [[522.0]]]
    assert [value.item() for value in printed(descend(straight(source), ["x"], 1, 1.0))] == [
        783.0,
        29 * (3 - 783.0) ** 3,
    ]


def test_inputs_are_known_by_their_definition():
    """Not by their values: two equal ones, one inside an expression, one bound to another name."""
    source = "let a = [[2]]\nlet b = [[2]]\nlet c = [[2]] * a\nprint a * a * b * c * [[2]]\n"
    assert lists(grad(source, "b")) == [[[64.0]], [[32.0]]]
    assert lists(grad(source, "a")) == [[[64.0]], [[96.0]]]
    assert lists(grad(source, "a", "b")) == [[[64.0]], [[96.0]], [[32.0]]]


def test_a_name_means_what_it_does_where_the_loss_is_printed():
    source = "let x = [[2]]\nprint x * x\nlet x = [[5]]\nprint x * x\nlet x = x + 1.0\n"
    assert lists(grad(source, "x")) == [[[4.0]], [[4.0]]]
    assert lists(grad(source, "x", loss=1)) == [[[25.0]], [[10.0]]]


def test_functions_are_inlined():
    source = "def f(a: tensor[1x2], b: tensor[1x2]) = a * f0(b)\n"
    source = "def f0(a: tensor[1x2]) = a * a\n" + source + "let x = [[1, 2]]\nprint row_sum(f(x, f0(x)))\n"
    assert lists(grad(source, "x")) == [[[33.0]], [[5.0, 80.0]]]


def test_other_ranks():
    """sum over a, b, c of u[a,b,c] u[c,a,b]: a tensor used twice, whose two adjoints are added."""
    source = (
        "let x = [[1, 2, 3, 4, 5, 6, 7, 8]]\nlet u = reshape(x, 2, 2, 2)\n"
        "print contract(u, (0, 1, 2), permute(u, 1, 2, 0), (0, 1, 2))\n"
    )
    u = np.arange(1.0, 9.0).reshape(2, 2, 2)
    slope = u.transpose(1, 2, 0) + u.transpose(2, 0, 1)
    assert lists(grad(source, "x")) == [[[float((u * u.transpose(1, 2, 0)).sum())]], [slope.ravel().tolist()]]


def test_the_slope_of_a_square_root_at_0_is_infinite_but_passes_zero_as_zero():
    source = "let x = [[0.0, 4.0]]\nprint row_sum(sqrt(x) * [[{}, 1.0]])\n"
    with np.errstate(all="ignore"):
        assert lists(grad(source.format("0.0"), "x"))[1] == [[0.0, 0.25]]
        assert lists(grad(source.format("1.0"), "x"))[1] == [[np.inf, 0.25]]


def test_the_second_derivative_through_a_square_root_where_the_first_is_0():
    """(sqrt(x) - 1)^2 at 1: slope 0, second derivative 1/2; a divisor that is 1 too large would give 1/3."""
    source = "let x = [[1.0]]\nlet r = sqrt(x) - 1.0\nprint r * r\n"
    assert lists(product(source, ["x"], [[1]])) == [[[0.0]], [[0.5]]]
    once = text_of(gradient(straight(source), ["x"]))
    assert lists(grad(once, "x", loss=1)) == [[[0.0]], [[0.5]]]


def test_the_conventions_at_kinks():
    assert lists(grad("let x = [[-1, 0, 2]]\nprint row_sum(relu(x))\n", "x"))[1] == [[0.0, 1.0, 1.0]]
    assert lists(grad("let x = [[-1, 0, 2]]\nprint row_sum(x * ge(x, [[0]]))\n", "x"))[1] == [[0.0, 1.0, 1.0]]


@pytest.mark.parametrize(("a", "b"), [("x", "y"), ("v1", "v2"), ("v2", "v1"), ("b_s1", "b"), ("g_b", "b")])
def test_descent_moves_all_matrices_at_once_whatever_they_are_called(a: str, b: str):
    """a b at (3, 2), rate 1/4: to (2.5, 1.25), then by the gradient there."""
    x, y, losses = 3.0, 2.0, [6.0]
    for _ in range(3):
        x, y = x - 0.25 * y, y - 0.25 * x
        losses.append(x * y)
    source = f"let {a} = [[3]]\nlet {b} = [[2]]\nprint {a} * {b}\n"
    assert [value.item() for value in printed(descend(straight(source), [a, b], 3, 0.25))] == losses
    assert [value.item() for value in printed(descend(straight(source), [b, a], 0, 0.25))] == [6.0]


def test_descent_computes_once_what_does_not_move_and_is_linear_in_the_steps():
    source = "let d = [[1, 2]]\nlet x = [[3]]\nprint row_sum(exp(d) * x * x)\n"
    lines = [text_of(descend(straight(source), ["x"], steps, 0.01)).count("let ") for steps in (1, 2, 3, 50)]
    assert text_of(descend(straight(source), ["x"], 50, 0.01)).count("exp(") == 1
    assert lines[2] - lines[1] == lines[1] - lines[0]
    assert lines[3] == lines[0] + 49 * (lines[1] - lines[0])


def unused(text: str) -> list[str]:
    """The names that are bound and not used afterwards."""
    bound = re.findall(r"^let (\w+) =", text, re.MULTILINE)
    assert len(set(bound)) == len(bound)
    uses = set(re.findall(r"\w+", re.sub(r"^let \w+ =|#.*", "", text, flags=re.MULTILINE)))
    return [name for name in bound if name not in uses]


def test_nothing_is_dead():
    source = WORKED + "let z = [[1.0]]\nlet u = z * 2.0\nprint u\nlet v = log(x)\nprint v\n"
    for generated in (
        gradient(straight(source), ["w"]),
        hvp(straight(source), ["w"], [np.ones((2, 2))]),
        descend(straight(source), ["w"], 2, 0.1),
    ):
        text = text_of(generated)
        assert unused(text) == [] and "log" not in text and "z" not in unused(text) and "let z" not in text
    assert "transpose(w)" not in text_of(gradient(straight(source), ["w"]))
    assert "relu" in text_of(gradient(straight(source), ["w"]))
    assert "let w" in text_of(gradient(straight(source), ["x"]))
    assert "let a " not in text_of(
        hvp(straight("let a = [[1]]\nlet x = [[2]]\nprint a + x\n"), ["x"], [np.ones((1, 1))])
    )


@given(st.integers(0, 10**6))
def test_nothing_is_dead_in_gradients_of_random_programs(seed: int):
    sample = random_matrices(Random(seed))
    generated = gradient(straight(sample.source), sample.wrt, sample.loss)
    assert unused(text_of(generated)) == []
    assert write(straight(text_of(generated))) == write(generated.straight)


@given(st.integers(0, 10**6))
def test_a_product_with_the_hessian_is_the_gradient_of_the_gradient_s_sum(seed: int):
    """Through text: the gradient's program, extended by the sum, differentiated again."""
    sample = random_matrices(Random(seed), size=8)
    program = straight(sample.source)
    names = located(program, sample.wrt, program.prints[sample.loss])  # as the gradient's text calls them
    rng = np.random.default_rng(seed)
    directions = [rng.normal(size=program.point[name].shape) for name in names]
    once = text_of(gradient(program, sample.wrt, sample.loss))
    slopes = re.findall(r"^print (.*)$", once, re.MULTILINE)[1:]
    terms = [f"col_sum(row_sum({slope} * {v.tolist()}))" for slope, v in zip(slopes, directions, strict=True)]
    twice = once + f"print {' + '.join(terms)}\n"
    total, *found = printed(hvp(program, sample.wrt, directions, sample.loss))
    for name, value in zip(names, found, strict=True):
        try:
            first, expected = grad(twice, name, loss=len(names) + 1)
        except (NoGradient, UnknownName):
            assert not value.any()
            continue
        assert np.allclose(total, first, rtol=1e-12)
        assert np.allclose(value, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


@given(st.integers(0, 10**6))
def test_a_step_of_descent_goes_along_the_gradient_in_random_programs(seed: int):
    sample = random_matrices(Random(seed))
    program = straight(sample.source)
    once = gradient(program, sample.wrt, sample.loss).straight
    first, *slopes = run(once)
    names = located(program, sample.wrt, program.prints[sample.loss])
    moved = {name: once.point[name] - 1e-3 * slope for name, slope in zip(names, slopes, strict=True)}
    second, *_ = run(replace(once, point={**once.point, **moved}))
    found = printed(descend(program, sample.wrt, 1, 1e-3, sample.loss))
    assert np.allclose(found, [first, second], rtol=1e-12, atol=0.0, equal_nan=True)


@pytest.mark.parametrize(
    ("source", "names", "message"),
    [
        (WORKED, ["q"], "p.mg: error: unknown name q: the program binds x, w"),
        (WORKED, ["w", "w"], "p.mg: error: w is named twice"),
        (WORKED, [], "p.mg: error: no matrix is named to differentiate by"),
        ("let x = [[1, 2]]\nprint x * 2.0\n", ["x"], "p.mg:2: error: the loss is 1x2: expected 1x1"),
        ("let x = [[1]]\nprint reshape(x, 1)\n", ["x"], "p.mg:2: error: the loss is 1: expected 1x1"),
        ("let x = [[1]]\nlet y = x * 2.0\nprint y\n", ["y"], "p.mg:2: error: y is not bound to a literal matrix"),
        ("let x = [[1]]\nlet y = x\nprint y\n", ["y"], "p.mg:2: error: y is not bound to a literal matrix"),
        ("let x = [[1]]\nlet s = 2.0\nprint x * s\n", ["s"], "p.mg:2: error: s is not bound to a literal matrix"),
        ("let x = [[1]]\nlet x = x * x\nprint x\n", ["x"], "p.mg:2: error: x is not bound to a literal matrix"),
        ("let x = [[1]]\nlet y = [[2]]\nprint x\n", ["y"], "p.mg:3: error: the loss does not depend on y"),
        ("let x = [[1]]\nprint [[2]]\n", ["x"], "p.mg:2: error: the loss does not depend on x"),
        (
            "let x = [[1]]\nprint x\nlet y = [[2]]\n",
            ["y"],
            "p.mg:2: error: the loss does not depend on y, which is bound later, on line 3",
        ),
        (
            "let x = [[1]]\nlet y = [[2]]\nprint ge(x, y) * y\n",
            ["y", "x"],
            "p.mg:3: error: the loss is flat in x: it depends on it through ge only",
        ),
        ("let x = [[1]]\n", ["x"], "p.mg: error: the program prints nothing, so there is no loss"),
    ],
)
def test_refusals(source: str, names: list[str], message: str):
    directions = [np.ones((1, 1))] * len(names)
    for refused in (
        lambda: gradient(straight(source), names),
        lambda: descend(straight(source), names, 1, 0.1),
        lambda: hvp(straight(source), names, directions if source != WORKED else [np.ones((2, 2))] * len(names)),
    ):
        with pytest.raises(MountainGoatError) as caught:
            refused()
        assert str(caught.value) == message
        assert isinstance(caught.value, UnknownName if "unknown" in message else NoGradient)


@pytest.mark.parametrize("loss", [-1, 1, 7])
def test_a_loss_that_is_not_there_is_refused(loss: int):
    with pytest.raises(NoGradient, match=f"no print number {loss}: expected 0 to 0, counting from 0"):
        gradient(straight(WORKED), ["w"], loss)


@pytest.mark.parametrize(
    ("directions", "message"),
    [
        ([], "expected 2 directions, for w, x; found 0"),
        ([np.ones((2, 2))], "expected 2 directions, for w, x; found 1"),
        ([np.ones((2, 2)), np.ones((2, 3))], "the direction of x is 2x3: expected 2x2"),
        ([np.ones((1, 2)), np.ones((2, 2))], "the direction of w is 1x2: expected 2x2"),
    ],
)
def test_a_missing_or_misshapen_direction_is_refused(directions: list[np.ndarray], message: str):
    with pytest.raises(WrongDirection) as caught:
        hvp(straight(WORKED), ["w", "x"], directions)
    assert str(caught.value) == f"p.mg: error: {message}"


@pytest.mark.parametrize(("steps", "rate"), [(-1, 0.1), (1, np.nan), (1, np.inf)])
def test_steps_and_rates_that_make_no_sense_are_refused(steps: int, rate: float):
    with pytest.raises(NoGradient, match="expected a number of steps and a finite rate"):
        descend(straight(WORKED), ["w"], steps, rate)


def test_unknown_dimensions_are_refused_where_they_are_used():
    dynamic = "def f(a: tensor[?x2]) = a * 2.0\nlet x = [[1, 2]]\n"
    refuse_dynamic(lower(dynamic + "print x\n", "p.mg"))
    with pytest.raises(NoGradient) as caught:
        refuse_dynamic(lower(dynamic + "print f(x)\n", "p.mg"))
    assert str(caught.value) == "p.mg:3: error: gradients need every dimension to be known, found ?x2"


def test_a_program_that_stops_is_refused():
    source = "def f(a: tensor[?x2], b: tensor[?x2]) = a + b\nlet x = [[1, 2]]\nprint row_sum(x)\n"
    with pytest.raises(NoGradient, match="the program stops when it runs"):
        gradient(straight(source + "print f(x, [[1, 2], [3, 4]])\n"), ["x"])


def test_more_steps_than_a_program_can_hold_are_refused():
    with pytest.raises(NoGradient, match="expected fewer steps than 1000000000"):
        descend(straight(WORKED), ["x"], 10**9, 0.1)
