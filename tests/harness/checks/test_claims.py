"""The closed forms, at sizes beside those that the checks ask at, and the rules' claims against the table."""

from __future__ import annotations

from itertools import product

import pytest

from harness import families
from harness.checks.claims import FAMILIES, LAYER, layer
from harness.checks.cost import _costed, _run
from harness.checks.subject import UNMUTATED

SIZES = {
    "product": [{"n": n} for n in (2, 3, 11)],
    "square": [{"m": m, "n": n} for m, n in ((1, 1), (1, 5), (9, 2))],
    "sigmoid-square": [{"n": n} for n in (2, 4, 9)],
    "doubling": [{"k": k} for k in (1, 2, 12)],
    "projection": [{"k": k} for k in (2, 3, 7)],
    "jacobian": [{"n": n, "m": m} for n, m in ((3, 2), (3, 9), (8, 3))],
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("representation", LAYER)
def test_families_cost_their_closed_forms(name: str, representation: str):
    form = FAMILIES[name][representation]
    for sizes in SIZES[name]:
        costed = _costed(name, families.FAMILIES[name](**sizes), {})
        assert _run(UNMUTATED.transformations[representation], costed, lines=True) == form(**sizes)


@pytest.mark.parametrize("representation", LAYER)
def test_a_layer_costs_its_closed_form(representation: str):
    for r, i, c in product((2, 5), (2, 3), (2, 7)):
        found = _run(UNMUTATED.transformations[representation], _costed("layer", layer(r, i, c), {}), lines=True)
        assert found == LAYER[representation](r, i, c)
