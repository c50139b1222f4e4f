"""The operations that only gradients contain are differentiated right, so that Hessians are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from transforms.derivative_rules import DERIVATIVE_RULES, FLAT, flat_cost, ge_pullback, ge_tangent, row
from transforms.drivers import TRANSFORMATIONS, gradient, hessian_products, once_more, tangent
from transforms.machines.counting import Counting
from transforms.parse import parse
from transforms.rules import OPERATIONS, REALS, RULES, Convention, arity
from transforms.syntax import Op, Program, Var
from transforms.types import REAL, Array

BOTH = pytest.mark.parametrize("name", TRANSFORMATIONS)

PARTIALS = {
    "cosh": [((1.2,), (math.sinh(1.2),)), ((-0.3,), (math.sinh(-0.3),))],
    "sinh": [((1.2,), (math.cosh(1.2),)), ((-0.3,), (math.cosh(-0.3),))],
    "sgn": [((2.0,), (0.0,)), ((-2.0,), (0.0,)), ((0.0,), (0.0,))],
    "share": [((2.0, 1.0), (0.0, 0.0)), ((1.0, 1.0), (0.0, 0.0))],
    "ge": [((2.0, 1.0), (0.0, 0.0)), ((1.0, 1.0), (0.0, 0.0))],
    "div0": [((3.0, 2.0), (0.5, -0.75)), ((0.0, 2.0), (0.5, 0.0)), ((0.0, 0.0), (math.inf, 0.0))],
    "mul0": [((2.0, 3.0), (3.0, 2.0)), ((0.0, 3.0), (3.0, 0.0)), ((2.0, 0.0), (0.0, 2.0))],
    "pow_da": [  # b a^(b-1): b (b-1) a^(b-2) and a^(b-1) (1 + b log a)
        ((2.0, 3.0), (12.0, 4.0 * (1.0 + 3.0 * math.log(2.0)))),
        ((0.5, -1.0), (16.0, 4.0 * (1.0 - math.log(0.5)))),
        ((0.0, 2.0), (2.0, 0.0)),
        ((0.0, 1.0), (0.0, 0.0)),
        ((0.0, 0.0), (0.0, 0.0)),
        ((-3.0, 2.0), (2.0, 0.0)),
    ],
    "pow_db": [  # a^b log a: a^(b-1) (1 + b log a) and a^b log^2 a
        ((2.0, 3.0), (4.0 * (1.0 + 3.0 * math.log(2.0)), 8.0 * math.log(2.0) ** 2)),
        ((1.0, 0.0), (1.0, 0.0)),
        ((0.0, 2.0), (0.0, 0.0)),
        ((-3.0, 2.0), (0.0, 0.0)),
    ],
}


def test_every_operation_of_a_scalar_pullback_has_a_row():
    without = OPERATIONS.keys() - DERIVATIVE_RULES.keys()
    assert without == {"pow_dadb", "pow_dbdb"}, "which are met in third derivatives"


@pytest.mark.parametrize("name", DERIVATIVE_RULES)
def test_pullback_and_tangent(name: str):
    rules = {**RULES, **DERIVATIVE_RULES}
    variables = "ab"[: arity(DERIVATIVE_RULES[name].evaluate)]
    program = Program(tuple((x, REAL) for x in variables), Op(name, tuple(map(Var, variables))))
    for args, partials in PARTIALS[name]:
        point = dict(zip(variables, args, strict=True))
        for judged in TRANSFORMATIONS.values():
            found = gradient(once_more(judged), program, point, 2.5).cotangent
            assert list(found.values()) == pytest.approx([2.5 * p for p in partials], rel=1e-13, abs=0.0)
        for x, partial in zip(variables, partials, strict=True):
            direction = {**dict.fromkeys(variables, 0.0), x: 1.0}
            assert tangent(program, point, direction, rules)[1] == pytest.approx(partial, rel=1e-13, abs=0.0)


@pytest.mark.parametrize("name", DERIVATIVE_RULES)
@pytest.mark.parametrize("shape", [(), (1, 1), (2, 3)])
def test_the_counter_agrees_with_the_claimed_cost(name: str, shape: tuple[int, ...]):
    rule, m = DERIVATIVE_RULES[name], Counting(RULES)
    count = arity(rule.evaluate)
    given = [m.constant(np.full(shape, 0.5) if shape else 0.5) for _ in range(count)]
    result = m.constant(rule.evaluate(*[arg.value for arg in given]))
    rule.pullback(m, given[0], result, *given)
    claimed = rule.cost(*[Array(shape)] * count)
    assert {kind: n for kind, n in m.by_kind.items() if n} == claimed
    assert all(isinstance(n, int) for n in claimed.values())


def test_a_row_takes_from_its_operation_what_it_is():
    convention = Convention((2.0, 2.0), (0.0, 0.0), FLAT)
    made, ge = row("ge", ge_pullback, ge_tangent, flat_cost, convention), OPERATIONS["ge"]
    assert (made.name, made.shape, made.evaluate, made.c) == (ge.name, ge.shape, ge.evaluate, ge.c)
    assert (made.pullback, made.tangent, made.cost) == (ge_pullback, ge_tangent, flat_cost)
    assert (made.domain, made.conventions) == (REALS, (convention,))


@BOTH
def test_hessians_that_hand_computation_gives(name: str):
    """x y^3 at (2, 3): [[0, 27], [27, 36]]; x^y at (1, 2): [[2, 1], [1, 0]]; tanh at 1: -2 tanh (1 - tanh^2)."""

    def hessian(text: str, **point: float) -> list[list[float]]:
        basis = [{x: float(x == y) for x in point} for y in point]
        products = hessian_products(TRANSFORMATIONS[name], parse(text), point, basis)
        return [list(product.values()) for product in products]

    assert hessian("x*y*y*y", x=2.0, y=3.0) == [[0.0, 27.0], [27.0, 36.0]]
    assert hessian("pow(x, y)", x=1.0, y=2.0) == [[2.0, 1.0], [1.0, 0.0]]
    assert hessian("tanh(x)", x=1.0)[0][0] == pytest.approx(
        -2.0 * math.tanh(1.0) * (1.0 - math.tanh(1.0) ** 2), rel=1e-14
    )
    assert hessian("relu(x)*x + abs(x)*x", x=-2.0) == [[-2.0]]
    assert hessian("d*d1*d", d=2.0, d1=3.0) == [[6.0, 4.0], [4.0, 0.0]], "names that the transformation itself uses"
