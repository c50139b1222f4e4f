"""What the tests of whole campaigns share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def settled():
    """The code does not change under a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mutants.campaign.sources", lambda: "0123456789abcdef")
        patch.setattr("mutants.campaign.provenance", lambda seed, quick: {"kind": "run", "seed": seed, "quick": quick})
        yield
