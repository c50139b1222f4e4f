"""What constructs need, and what whole programs can need at most."""

from dataclasses import replace
from random import Random

import pytest

from harness import bench, needs
from harness.ceiling import link, neediest
from harness.random_core import random_sample
from tests.harness.test_theorem import BROKEN
from transforms.chad.primitives import MUL
from transforms.chad.syntax import Pair, Prim, Program, Var
from transforms.chad.theorem import CONSTANT, judge
from transforms.chad.types import REAL, product


@pytest.fixture(scope="module")
def measured():
    return {kind: need.total for kind, need in needs.measured(0, 400).items()}


def test_costs_of_constructs_add_up_to_the_program_s_and_needs_bound_it():
    for seed in range(150):
        sample = random_sample(Random(seed), size=40)
        verdict = judge(sample.program, sample.inputs, sample.cotangent)
        *executed, whole = needs.profile(sample.program, sample.inputs, sample.cotangent)
        assert sum(need.cost for need in executed) + whole.cost == verdict.cost
        assert len(executed) == verdict.source_cost
        allowed = 6 + verdict.cotangent_size + 4 * verdict.variables
        assert verdict.cost <= allowed + sum(need.total for need in executed)


def test_needs_are_own_costs_and_what_the_potential_changes(measured):
    """By the cost table: a pair costs 30 and passes on two parts for a pair of them or, 2 dearer, for what is absent;
    mul costs 26 and makes a pair of two; a variable's 7 have 1 for `plus`, which takes what it joins.
    """
    assert measured["pair", "absent"] == 30 + 2 + 2 - 1
    assert measured["pair", "present"] == 30 - 1
    assert measured["mul", "present"] == measured["other binary", "present"] == 26 + 3 - 1
    assert measured["variable", "present"] == measured["variable", "absent"] == 7 - 1
    assert measured["let", "present"] == 26 + 2 + 1
    assert measured["case", "present"] == 27 + 2 + 1 + 1


def test_only_the_pair_at_an_absent_cotangent_sets_the_constant(measured):
    largest = max(measured.values())
    assert [kind for kind, need in measured.items() if need == largest] == [needs.PAIR_AT_ABSENT]
    assert largest + 1 == CONSTANT
    assert bench.findings(needs.table("theorem", "needs", 100, 0)) == []


def test_a_transformation_that_adds_zeros_needs_more():
    broken = bench.findings(needs.table("theorem", "needs", 100, 0, BROKEN))
    assert {r["construct"] for r in broken if r["kind"] == "need"} == {"variable"}


def test_no_random_program_needs_more_than_the_neediest_tree_of_its_cost(measured):
    trees = neediest(measured, 40)
    for seed in range(150):
        sample = random_sample(Random(seed), size=12)
        executed = needs.profile(sample.program, sample.inputs, sample.cotangent)[:-1]
        if len(executed) <= 40:
            tree = trees[len(executed)]
            assert tree and sum(need.total for need in executed) <= tree.need


def test_the_dearest_link_is_reached_in_the_limit(measured):
    """`p1 * p2 * (p1 * p2 * ...)` with the first product as a primitive on the variable p."""
    dearest = link(neediest(measured, 60))
    assert dearest.share == pytest.approx(91 / 4)
    p = Var("p", product(REAL, REAL))
    costs = []
    for length in (10, 11):
        term = Prim(MUL, p)
        for _ in range(length):
            term = Prim(MUL, Pair(Prim(MUL, p), term))
        costs.append(judge(Program((p,), term), [(1.0, 1.0)], 1.0).cost)
    assert costs[1] - costs[0] == dearest.need


def test_without_a_step_that_repeats_there_is_no_link(measured):
    with pytest.raises(ValueError, match="no step"):
        link([replace(tree, need=tree.need + k * k) if tree else None for k, tree in enumerate(neediest(measured, 40))])
