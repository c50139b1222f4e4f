"""Random core programs are varied, and fixed by their seed."""

from collections import Counter
from random import Random

import pytest

from harness.core_costs import sum_of_constructs
from harness.random_core import random_sample
from transforms.chad.pretty import show_program
from transforms.chad.primitives import TABLE
from transforms.chad.syntax import SOURCE, Prim
from transforms.chad.theorem import judge
from transforms.chad.typecheck import check_source


def subterms(term):
    todo = [term]
    while todo:
        yield (term := todo.pop())
        todo += [part for part, _ in term.parts()]


def test_a_seed_fixes_the_program():
    first, second = (random_sample(Random(7)) for _ in range(2))
    assert show_program(first.program) == show_program(second.program)
    assert repr(first.inputs) == repr(second.inputs)


def test_programs_use_every_construct_and_every_primitive():
    constructs, primitives, sizes = Counter(), Counter(), []
    for seed in range(400):
        program = random_sample(Random(seed), size=60).program
        check_source(program)
        terms = list(subterms(program.term))
        constructs.update(type(term) for term in terms)
        primitives.update(term.op.name for term in terms if isinstance(term, Prim))
        sizes.append(len(terms))
    assert min(constructs[kind] for kind in SOURCE) >= 20
    assert set(primitives) == {*TABLE, "literal"}
    assert sorted(sizes)[200] >= 20


@pytest.mark.slow
def test_ten_thousand_programs_cost_the_sum_of_their_constructs():
    for seed in range(10_000):
        sample = random_sample(Random(seed), size=(5, 20, 60, 150)[seed % 4])
        verdict = judge(sample.program, sample.inputs, sample.cotangent)
        assert verdict.cost == sum_of_constructs(sample.program, sample.inputs, sample.cotangent), seed
        assert verdict.holds, seed
