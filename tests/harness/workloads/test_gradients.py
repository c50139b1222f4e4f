"""Every entry of every gradient: hand-derived against an independent model's, generated against hand-derived."""

import re
from functools import cache

import pytest
from numpy.testing import assert_allclose

from harness import compiled, native
from harness.errors import ToolMissing
from harness.workload_suite import generated, straight
from harness.workloads import attention, layernorm, transformer
from tests.harness.workloads import models, test_attention
from transforms.mountain_goat.gradients import descend
from transforms.mountain_goat.run import run

WORKLOADS = {
    "attention": (attention, models.attention, {}),
    "attention, larger": (attention, models.attention, {"sequences": 40, "width": 5}),
    "layernorm": (layernorm, models.layernorm, {}),
    "layernorm, longer": (layernorm, models.layernorm, {"row": range(7), "direction": (1, 0, -2, 3, 0.5, 1, 1)}),
    "transformer": (transformer, models.transformer, {}),
    "transformer, smaller": (transformer, models.transformer, {"sequences": 9, "width": 4}),
}


@cache
def hand_derived(name):
    """The printed loss, and the printed gradients by parameter."""
    workload, _, sizes = WORKLOADS[name]
    return by_parameter(workload, run(straight(workload.hand_derived(**sizes), "hand.mg")))


@cache
def generated_text(name):
    workload, _, sizes = WORKLOADS[name]
    return generated(workload.hand_derived(**sizes), workload.PARAMETERS)


def by_parameter(workload, printed):
    loss, *gradients = printed
    return loss, dict(zip(workload.PARAMETERS, gradients, strict=True))


@pytest.fixture
def compiler():
    try:
        native.toolchain()
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_loss_is_that_of_the_model(name):
    workload, model, sizes = WORKLOADS[name]
    text = workload.hand_derived(**sizes)
    loss, _ = hand_derived(name)
    assert_allclose(loss, [[model(**models.literals(text))]], rtol=1e-14, atol=0)
    assert run(straight(workload.value(**sizes), "value.mg")) == [loss]


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_hand_derived_gradient_is_that_of_the_model_at_every_entry(name):
    workload, model, sizes = WORKLOADS[name]
    inputs = models.literals(workload.hand_derived(**sizes))
    for parameter, gradient in hand_derived(name)[1].items():
        expected = models.complex_step(model, inputs, parameter)
        assert_allclose(gradient, expected, rtol=1e-10, atol=0, err_msg=parameter)


def assert_same_gradients(name, printed):
    loss, gradients = by_parameter(WORKLOADS[name][0], printed)
    expected_loss, expected = hand_derived(name)
    assert_allclose(loss, expected_loss, rtol=1e-12, atol=0)
    for parameter, gradient in expected.items():
        assert_allclose(gradients[parameter], gradient, rtol=1e-10, atol=0, err_msg=parameter)


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_generated_gradient_is_the_hand_derived_one_at_every_entry(name):
    assert_same_gradients(name, run(straight(generated_text(name), "generated.mg")))


@pytest.mark.parametrize("name", ["attention", "layernorm", "transformer"])
@pytest.mark.usefixtures("compiler")
def test_both_are_the_same_compiled(name):
    workload, _, sizes = WORKLOADS[name]
    for text in (generated_text(name), workload.hand_derived(**sizes)):
        assert_same_gradients(name, compiled.straight(straight(text, "compiled.mg")).run())


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_gradient_generated_from_the_loss_alone_is_the_same_text(name):
    workload, _, sizes = WORKLOADS[name]
    assert generated(workload.value(**sizes), workload.PARAMETERS) == generated_text(name)


def test_what_only_the_hand_derived_part_uses_vanishes():
    assert not re.search(r"\bmr\b", generated_text("transformer"))


@pytest.fixture(scope="module")
def ten_steps():
    text = attention.hand_derived()
    return descend(straight(text, "attention.mg"), attention.PARAMETERS, steps=10, rate=3.0).straight


def test_the_descent_has_the_known_losses(ten_steps):
    assert " ".join(f"{loss.item():.6g}" for loss in run(ten_steps)) == test_attention.FIGURES


@pytest.mark.usefixtures("compiler")
def test_the_compiled_descent_has_the_known_losses(ten_steps):
    losses = compiled.straight(ten_steps).run()
    assert " ".join(f"{loss.item():.6g}" for loss in losses) == test_attention.FIGURES
