"""Names of values: readable and distinct."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.mountain_goat.names import Names, plain, whole


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("w", "w"), ("x1", "x1"), ("x_1", "x1"), ("x_1_2", "x12"), ("_3", "v3"), ("_", "_"), ("a_b", "a_b"),
        ("0", "v0"), ("a.b$1", "a_b1"),
    ],
)  # fmt: skip
def test_a_name_does_not_end_in_an_underscore_and_digits(name: str, spelt: str):
    assert whole(name) == spelt


def test_a_name_that_is_taken_gets_a_number():
    names = Names()
    assert [names.fresh(name) for name in ("w", "w", "w", "x_1", "x1", "let", "_", "_")] == [
        "w",
        "w2",
        "w3",
        "x1",
        "x1v2",
        "let2",
        "_",
        "_v2",
    ]


def test_temporaries_leave_reserved_names_alone():
    names = Names(["t1", "t_3", "w2"])
    assert [names.temporary() for _ in range(2)] == ["t2", "t4"]
    assert [names.fresh(name) for name in ("t1", "w", "w")] == ["t1", "w", "w3"]


@given(st.lists(st.text(alphabet="a1_.let", max_size=4)), st.sampled_from([plain, whole]))
def test_names_are_distinct_and_of_the_language(wanted: list[str], spell):
    names = Names(spell=spell)
    given = [names.fresh(name) for name in wanted] + [names.temporary()]
    assert len(set(given)) == len(given)
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) and name not in ("def", "let", "print") for name in given)
    assert spell is plain or not any(re.search("_[0-9]+$", name) for name in given)


def test_many_like_names_cost_no_more_each():
    names = Names()
    given = {names.fresh("w") for _ in range(50_000)} | {names.fresh("w1") for _ in range(50_000)}
    assert len(given) == 100_000
