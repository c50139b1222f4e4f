from harness.workloads import layernorm
from tests.harness.workloads import models


def test_the_loss_has_the_known_figure():
    inputs = models.literals(layernorm.hand_derived())
    assert f"{models.layernorm(**inputs):.6g}" == "1.35213"
    assert inputs["h"].size == 4
