"""What the checks ask about: every row, both signs, moderate sizes, and other numbers for another seed."""

from __future__ import annotations

import numpy as np
import pytest

from harness.checks.examples import (
    DISTINCT_USES,
    POSITIVE,
    REAL_USES,
    USES,
    alone,
    constructs,
    every_rule,
    small_programs,
)
from harness.nests import leaves
from transforms.array_rules import TABLE
from transforms.syntax import Case, Inject, Let, Lit, Match, Op, Sign, Tuple, Var, subterms
from transforms.typecheck import typecheck
from transforms.types import layout


def test_every_row_of_the_table_is_used():
    assert {use.rule for use in USES} == {use.rule for use in DISTINCT_USES} == set(TABLE)


def test_every_constructor_is_used():
    used = {type(term) for example in constructs(0) for term in subterms(example.program.term)}
    assert used == {Var, Lit, Op, Tuple, Let, Case, Inject, Sign, Match}


@pytest.mark.parametrize("seed", range(5))
def test_inputs_are_moderate_and_typed_and_cotangents_are_not_one(seed: int):
    for example in (*every_rule(seed), *small_programs(seed)):
        numbers = list(leaves(tuple(example.point.values())))
        assert all(0.1 <= abs(x) <= 3.0 for x in numbers)
        typecheck(example.program, TABLE)
        assert list(example.point) == [name for name, _ in example.program.context]
        assert all(x not in (0.0, 1.0) for x in leaves(example.cotangent))


@pytest.mark.parametrize("seed", range(5))
def test_every_argument_that_may_be_negative_is_so_once(seed: int):
    for use in REAL_USES:
        first, second = alone(use, seed), alone(use, seed, negated=True)
        for k, name in enumerate(first.point):
            signs = {np.sign(example.point[name]) for example in (first, second)}
            assert signs == ({1.0} if k in POSITIVE.get(use.rule, ()) else {1.0, -1.0})


def test_numbers_depend_on_the_seed_alone():
    def numbers(seed: int) -> list[float]:
        examples = list(every_rule(seed))
        return [x for e in examples for x in leaves((*e.point.values(), e.cotangent))]

    assert numbers(3) == numbers(3)
    assert not set(numbers(3)) & set(numbers(4))


def test_a_cotangent_is_like_the_result():
    for example in constructs(1):
        assert repr(layout(example.cotangent))  # injected where the result is
