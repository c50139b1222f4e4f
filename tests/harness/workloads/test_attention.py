import pytest

from harness.workloads import attention
from tests.harness.workloads import models

FIGURES = "1.60134 1.51356 1.36719 1.09744 0.812335 0.625597 0.495025 0.403562 0.342366 0.302609 0.273815"
"""The loss before descent at rate 3.0 and after each of ten steps."""


@pytest.fixture(scope="module")
def inputs():
    return models.literals(attention.hand_derived())


def test_the_loss_and_its_descent_have_the_known_figures(inputs):
    losses = models.descent(models.attention, inputs, attention.PARAMETERS, 3.0, 10)
    assert " ".join(f"{loss:.6g}" for loss in losses) == FIGURES


def test_the_gradient_of_q_has_the_known_figures(inputs):
    gradient = models.complex_step(models.attention, inputs, "q")
    assert " ".join(f"{entry:.8f}" for entry in gradient[0]) == "-0.00035021 -0.00183535 -0.00012518"


def test_there_are_48_entries_of_gradients(inputs):
    assert sum(inputs[name].size for name in attention.PARAMETERS) == 48


def test_every_statement_is_on_one_line():
    assert {line.split()[0] for line in attention.hand_derived().splitlines() if line} == {"#", "let", "def", "print"}
