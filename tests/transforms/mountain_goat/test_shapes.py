"""Shape rules where dimensions are unknown; what they refuse is in test_errors."""

from __future__ import annotations

import pytest

from transforms.mountain_goat import shapes
from transforms.mountain_goat.errors import WrongShape


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        ((2, 3), (2, 3), (2, 3)),
        ((1, 3), (2, 1), (2, 3)),
        ((1, 1), (2, 3), (2, 3)),
        ((1, 1), (1, 1), (1, 1)),
        ((None, 3), (2, 3), (2, 3)),
        ((None, 3), (1, 3), (None, 3)),
        ((None, None), (None, 1), (None, None)),
        ((None, 1), (1, None), (None, None)),
    ],
)
def test_what_is_1_stretches_and_what_is_unknown_fits(a: shapes.Shape, b: shapes.Shape, common: shapes.Shape):
    assert shapes.stretched(a, b, "+") == shapes.stretched(b, a, "+") == common


def test_values_that_do_not_stretch():
    assert shapes.same((None, 3), (2, None), "+") == (2, 3)
    for other in ((1, 3), (2, 3, 1)):
        with pytest.raises(WrongShape):
            shapes.same((2, 3), other, "+")


def test_products_and_reductions():
    assert shapes.matmul((2, 3), (3, 4)) == (2, 4)
    assert shapes.matmul((2, None), (3, None)) == (2, None)
    assert shapes.reduce((2, 3), 1) == (2, 1)
    assert shapes.reduce((None, 3), 0) == (1, 3)


def test_rearrangements():
    assert shapes.transpose((2, None)) == (None, 2)
    assert shapes.permute((2, None, 4), (1, 2, 0)) == (None, 4, 2)
    assert shapes.reshape((2, 3), (6,)) == (6,)


def test_a_broadcast_stretches_what_is_1():
    assert shapes.broadcast((1, 3), (2, 3)) == (2, 3)
    assert shapes.broadcast((1, None), (None, None)) == (None, None)
    for found, wanted in (((2, 3), (4, 3)), ((2, 3), (2, 3, 1))):
        with pytest.raises(WrongShape):
            shapes.broadcast(found, wanted)
