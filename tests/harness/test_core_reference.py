"""The differences in many digits: known gradients, and what has none."""

import pytest

from harness.core_reference import Undefined, gradient
from transforms.chad.primitives import TABLE, literal
from transforms.chad.syntax import Inl, Pair, Prim, Program, Unit, Var
from transforms.chad.types import REAL, product
from transforms.chad.values import Left

X, P = Var("x", REAL), Var("p", product(REAL, REAL))


def apply(name, argument):
    return Prim(TABLE[name], argument)


def test_known_gradients():
    assert gradient(Program((P,), apply("mul", P)), [(3.0, 5.0)], 1.0) == [5.0, 3.0]
    assert gradient(Program((X,), Inl(apply("exp", X), REAL)), [0.0], Left(2.0)) == pytest.approx([2.0], rel=1e-15)
    assert gradient(Program((X,), Pair(X, X)), [1.0], None) == [0.0]


@pytest.mark.parametrize("name", ["abs", "relu", "log", "sqrt"])
def test_kinks_and_poles_are_undefined(name):
    with pytest.raises(Undefined):
        gradient(Program((X,), apply(name, X)), [0.0], 1.0)


def test_division_by_zero_and_towers_of_exponentials_are_undefined():
    tower = X
    for _ in range(6):
        tower = apply("exp", tower)
    for term in (apply("div", Pair(X, Prim(literal(0.0), Unit()))), tower):
        with pytest.raises(Undefined):
            gradient(Program((X,), term), [1.0], 1.0)
