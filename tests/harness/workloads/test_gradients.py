"""Every entry of every gradient: hand-derived against complex steps of an independent model."""

from functools import cache

import pytest
from numpy.testing import assert_allclose

from harness.workloads import attention, layernorm, transformer
from tests.harness.workloads import models
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.run import run

WORKLOADS = {
    "attention": (attention, models.attention, {}),
    "attention, larger": (attention, models.attention, {"sequences": 40, "width": 5}),
    "layernorm": (layernorm, models.layernorm, {}),
    "layernorm, longer": (layernorm, models.layernorm, {"row": range(7), "direction": (1, 0, -2, 3, 0.5, 1, 1)}),
    "transformer": (transformer, models.transformer, {}),
    "transformer, smaller": (transformer, models.transformer, {"sequences": 9, "width": 4}),
}


def straight(text):
    return inline(lower(text, "workload.mg"), text)


@cache
def hand_derived(name):
    """The printed loss, and the printed gradients by parameter."""
    workload, _, sizes = WORKLOADS[name]
    loss, *gradients = run(straight(workload.hand_derived(**sizes)))
    return loss, dict(zip(workload.PARAMETERS, gradients, strict=True))


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_loss_is_that_of_the_model(name):
    workload, model, sizes = WORKLOADS[name]
    text = workload.hand_derived(**sizes)
    loss, _ = hand_derived(name)
    assert_allclose(loss, [[model(**models.literals(text))]], rtol=1e-14, atol=0)
    assert run(straight(workload.value(**sizes))) == [loss]


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_hand_derived_gradient_is_that_of_the_model_at_every_entry(name):
    workload, model, sizes = WORKLOADS[name]
    inputs = models.literals(workload.hand_derived(**sizes))
    for parameter, gradient in hand_derived(name)[1].items():
        expected = models.complex_step(model, inputs, parameter)
        assert_allclose(gradient, expected, rtol=1e-10, atol=0, err_msg=parameter)
