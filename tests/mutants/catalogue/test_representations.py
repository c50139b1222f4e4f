"""What becomes of a slot that several contributions arrive at, and of what a branch's variable received."""

import numpy as np
import pytest

from harness.checks.subject import UNMUTATED
from mutants.catalogue.all import CATALOGUE
from transforms.drivers import gradient
from transforms.parse import parse
from transforms.types import Injected

FOUND = {mutant.id: mutant for mutant in CATALOGUE}


@pytest.mark.parametrize(("text", "kept"), [("x", 1), ("x + x", 0), ("x + x + x", 1), ("x - x", 0), ("x - x - x", -1)])
def test_a_slot_is_empty_after_a_second_contribution_and_filled_by_a_third(text, kept):
    wrong = FOUND["accumulator.cleared-after-use"].applied(UNMUTATED).transformations["accumulator"]
    assert gradient(wrong, parse(text), {"x": 2.0}, 3.0).cotangent == {"x": 3.0 * kept}


def test_only_what_a_match_binds_is_narrowed():
    wrong, third = FOUND["match.single"].applied(UNMUTATED).transformations, 1.0 / 3.0
    program = parse("context: s: (real + real), x: real |- match s with inl a -> a * x | inr b -> b + x")
    for judged in wrong.values():
        found = gradient(judged, program, {"s": Injected(1, 2.0), "x": 5.0}, third).cotangent
        assert found == {"s": Injected(1, float(np.float32(third))), "x": third}
