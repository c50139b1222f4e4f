import re

import pytest

from harness.workloads import transformer
from tests.harness.workloads import models

SUMS = {
    "e": "0.237977", "g1": "0.0147474", "n1": "0.0212509", "wq": "0.070284", "wk": "0.0576276", "wv": "0.460783",
    "wo": "0.44422", "g2": "0.0452017", "n2": "0.0319502", "w1": "0.885045", "c1": "0.113547", "w2": "0.754819",
    "c2": "0.0852941", "gf": "0.134623", "nf": "0.0996517", "wu": "2.057",
}  # fmt: skip
"""The sum of the absolute entries of each gradient, in the order of the parameters."""


@pytest.fixture(scope="module")
def inputs():
    return models.literals(transformer.hand_derived())


def test_the_loss_has_the_known_figure(inputs):
    assert f"{models.transformer(**inputs):.6g}" == "1.42919"


def test_the_gradients_have_the_known_sums(inputs):
    gradients = {name: models.complex_step(models.transformer, inputs, name) for name in transformer.PARAMETERS}
    assert {name: f"{abs(gradient).sum():.6g}" for name, gradient in gradients.items()} == SUMS
    assert sum(gradient.size for gradient in gradients.values()) == 648


def test_rows_with_targets_are_named_in_the_hand_derived_part_alone():
    assert re.search(r"\bmr\b", transformer.hand_derived())
    assert not re.search(r"\bmr\b", transformer.value())


def test_a_row_of_y_has_a_target_where_mr_marks_it(inputs):
    assert (inputs["y"].sum(axis=1, keepdims=True) == inputs["mr"]).all()
