"""Points at which the digits of rules are compared: there are some at every seed."""

from __future__ import annotations

import sys
from random import Random

from harness.checks.accuracy import _factor, digits


def test_scalars_and_their_reciprocals_are_ordinary_doubles():
    for seed in range(2000):
        k = abs(_factor(Random(seed)))
        assert 16 * sys.float_info.min < min(k, 1 / k) and max(k, 1 / k) < sys.float_info.max / 16


def test_a_seed_whose_first_divisor_has_no_ordinary_reciprocal_is_prepared():
    """1/k nearly overflows there: no quotient by k has an ordinary derivative, and the search for one would not end."""
    assert len(digits(516).answers) > 100
