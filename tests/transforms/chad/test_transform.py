"""The transformation computes gradients, and wrong clauses do not go unnoticed."""

from dataclasses import fields, replace
from random import Random

import pytest

from harness.core_reference import Undefined, cotangents, gradient
from harness.random_core import random_sample
from transforms.chad.errors import IllTyped
from transforms.chad.evaluate import evaluate
from transforms.chad.pretty import show_program
from transforms.chad.primitives import MUL, SQRT, TABLE
from transforms.chad.syntax import Fst, Let, Pair, Prim, Program, Snd, Var
from transforms.chad.target import Apply, Function, LPair
from transforms.chad.theorem import judge
from transforms.chad.transform import CLAUSE, EFFICIENT, Clauses, of_mul, transform
from transforms.chad.types import REAL, arrow, linear, monad, product

X, Y = Var("x", REAL), Var("y", REAL)
PRODUCT = Program((X, Y), Prim(MUL, Pair(X, Y)))


def test_gradients_of_random_programs_agree_with_differences_in_many_digits():
    compared = 0
    for seed in range(500):
        sample = random_sample(Random(seed), size=(10, 30, 80)[seed % 3], special=False)
        try:
            expected = gradient(sample.program, sample.inputs, sample.cotangent)
        except Undefined:
            continue
        verdict = judge(sample.program, sample.inputs, sample.cotangent)
        received = zip(sample.program.context, verdict.gradient, sample.inputs, strict=True)
        found = [c for x, slot, value in received for c in cotangents(x.type, slot, value)]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), show_program(sample.program)
        compared += any(expected)
    assert compared >= 100


def test_gradient_of_a_product_is_exact():
    assert judge(PRODUCT, [3.0, 5.0], 1.0).gradient == (5.0, 3.0)


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if row.derivatives])
def test_each_primitive_is_differentiated(name):
    row = TABLE[name]
    x = Var("x", row.argument)
    point = 0.7 if row.argument is REAL else (0.7, 1.9)
    program = Program((x,), Prim(row, x))
    (received,) = judge(program, [point], 1.5).gradient
    assert list(cotangents(x.type, received, point)) == pytest.approx(gradient(program, [point], 1.5), rel=1e-14)


def test_a_zero_cotangent_passes_zero_through_an_infinite_derivative():
    program = Program((X,), Prim(SQRT, X))
    assert judge(program, [0.0], 0.0).gradient == (0.0,)
    assert judge(program, [0.0], 1.0).gradient == (float("inf"),)


def test_the_transformed_program_has_the_type_and_primal_that_it_should():
    for seed in range(100):
        sample = random_sample(Random(seed), special=False)
        derived = transform(sample.program, EFFICIENT)
        slots = derived.type.right.result.slots
        type_ = sample.program.term.type
        assert derived.type is product(type_, arrow(linear(type_), monad(slots, derived.type.right.result.result)))
        assert slots.size == len(sample.program.context)
        point = dict(zip(sample.program.context, sample.inputs, strict=True))
        assert str(evaluate(Fst(derived), point).value) == str(evaluate(sample.program.term, point).value)


def test_every_construct_has_a_clause_and_every_primitive_a_pullback():
    assert {*CLAUSE.values(), "pullbacks"} == {field.name for field in fields(Clauses)}
    assert set(EFFICIENT.pullbacks) == {*TABLE, "literal"}


def test_a_pullback_with_its_parts_exchanged_gives_another_gradient():
    def exchanged(op, p, c):
        (first, _), (second, _) = of_mul(op, p, c).parts()
        return LPair(second, first)

    wrong = replace(EFFICIENT, pullbacks={**EFFICIENT.pullbacks, "mul": exchanged})
    assert judge(PRODUCT, [3.0, 5.0], 1.0, wrong).gradient == (3.0, 5.0)


def test_an_ill_typed_clause_is_refused():
    def without_pair(term, where, de):
        z, d = Var("z", de.type), Var("d", linear(term.type))
        return Let(z, de, Pair(Fst(Fst(z)), Function((z,), d, Apply(Snd(z), d))))

    p = Var("p", product(REAL, REAL))
    with pytest.raises(IllTyped, match=r"expected \(lreal \(\*\) lreal\), found lreal"):
        judge(Program((p,), Fst(p)), [(1.0, 2.0)], 1.0, replace(EFFICIENT, fst=without_pair))
