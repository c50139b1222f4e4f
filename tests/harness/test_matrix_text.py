"""Printed values: aligned for people, exact for scripts, and as MLIR's runner shows them."""

from __future__ import annotations

import json
from math import inf, nan

import numpy as np
import pytest

from harness.matrix_text import FORMATS, as_json, memref, text


def test_people_see_columns_and_the_shortest_numbers_that_read_back():
    assert text([np.array([[1.0, -20.5], [0.1, 1e300]])]) == "[[     1,  -20.5],\n [   0.1, 1e+300]]\n"
    assert text([np.array([[26.0]]), np.array([[1.0, -0.0, inf, nan]])]) == "[[26]]\n[[1, -0.0, inf, nan]]\n"


def test_scripts_get_every_number_back():
    given = np.random.default_rng(0).normal(size=(3, 4)) * 10.0 ** np.arange(-150, 150, 25).reshape(3, 4)
    (printed,) = json.loads(as_json([given]))
    assert printed["shape"] == [3, 4]
    assert np.array_equal(printed["data"], given)
    assert json.loads(as_json([np.array([[nan, inf, -inf]])]))[0]["data"] == [["nan", "inf", "-inf"]]


def test_strides_count_doubles():
    for shape, strides in (((5,), [1]), ((2, 3), [3, 1]), ((2, 3, 4), [12, 4, 1]), ((1, 1, 7, 2), [14, 14, 2, 1])):
        header, _ = memref([np.zeros(shape)]).split(" data = \n", 1)
        assert header.endswith(f"rank = {len(shape)} offset = 0 sizes = {list(shape)} strides = {strides}")


def test_a_dump_has_six_significant_digits_and_the_spacing_of_the_runner():
    """Entries are apart by a comma and, then, one space more than there are axes; rows begin below one another."""
    _, data = memref([np.array([[[1 / 3, 2e6 / 3], [1e16, -0.0]], [[1.0, 2.0], [nan, -inf]]])]).split("\n", 1)
    assert data == ("[[[0.333333,    666667], \n  [1e+16,    -0]], \n [[1,    2], \n  [nan,    -inf]]]\n")


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_printed_and_values_without_axes(form: str):
    assert FORMATS[form]([]) in ("", "[]\n")
    assert "2.5" in FORMATS[form]([np.array(2.5)])
