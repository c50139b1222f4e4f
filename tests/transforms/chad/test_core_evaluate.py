"""Each line of the cost table, on a term small enough to count by hand."""

import pytest

from transforms.chad.errors import WrongAlternative
from transforms.chad.evaluate import evaluate
from transforms.chad.primitives import ADD, IADD, SIGN_OF, literal
from transforms.chad.syntax import Case, Fst, Inl, Let, Pair, Prim, Unit, Var
from transforms.chad.target import (
    Add,
    Apply,
    Bind,
    Function,
    LCastL,
    LCastR,
    LFst,
    LInl,
    LPair,
    LSnd,
    LUnit,
    LZero,
    Pure,
    Run,
    Scope,
    zero,
)
from transforms.chad.types import (
    INTEGER,
    LREAL,
    LUNIT,
    NO_SLOTS,
    REAL,
    UNIT,
    extend,
    linear_coproduct,
    linear_product,
    product,
)
from transforms.chad.values import Left, Right, size

X, D, U = Var("x", REAL), Var("d", LREAL), Var("u", UNIT)
PAIRS, SUMS = linear_product(LREAL, LREAL), linear_coproduct(LREAL, LREAL)
E, F, S = Var("e", PAIRS), Var("f", PAIRS), Var("s", SUMS)
ONE, TWO, SUM = extend(NO_SLOTS, LREAL), extend(NO_SLOTS, PAIRS), extend(NO_SLOTS, SUMS)
ABSENT = LZero(PAIRS)
A, B = Var("a", UNIT), Var("b", UNIT)


@pytest.mark.parametrize(
    ("term", "cost"),
    [
        (X, 1),
        (Unit(), 1),
        (Pair(X, X), 3),
        (Fst(Pair(X, X)), 4),
        (Inl(X, UNIT), 2),
        (Prim(ADD, Pair(X, X)), 4),
        (Prim(literal(2.0), Unit()), 2),
        (Let(Var("y", REAL), X, X), 3),
        (Case(Inl(Unit(), UNIT), A, Pair(A, A), B, Pair(B, B)), 1 + 2 + 3),
        (Function((X,), D, Pair(X, D)), 2),
        (Function((), D, D), 1),
        (Apply(Function((X,), D, Pair(X, D)), D), 1 + 2 + 1 + 3),
        (zero(LREAL), 2),
        (zero(LUNIT), 1),
        (zero(PAIRS), 1),
        (zero(SUMS), 1),
        (LFst(E), 2),
        (LSnd(E), 2),
        (LFst(ABSENT), 3),
        (LSnd(ABSENT), 3),
        (LCastL(S), 2),
        (LCastL(LZero(SUMS)), 3),
        (LCastR(LZero(SUMS)), 3),
        (Run(Pure(NO_SLOTS, Unit()), Unit()), 1 + 2 + 1 + (1 + 0 + 1)),
        (Run(Add(ONE, 0, D), Pair(D, Unit())), 1 + 2 + 3 + (1 + 1 + 1 + 1)),
        (Run(Add(TWO, 0, E), Pair(F, Unit())), 1 + 2 + 3 + (1 + 1 + 1 + 3)),
        (Run(Add(TWO, 0, E), Pair(ABSENT, Unit())), 1 + 2 + 3 + (1 + 1 + 1 + 1)),
        (Run(Add(TWO, 0, ABSENT), Pair(E, Unit())), 1 + 2 + 3 + (1 + 1 + 1 + 1)),
        (Run(Add(SUM, 0, S), Pair(S, Unit())), 1 + 2 + 3 + (1 + 1 + 1 + 2)),
        (
            Run(Bind(Add(ONE, 0, D), Function((D,), U, Add(ONE, 0, D))), Pair(D, Unit())),
            1 + (1 + 2 + 2) + 3 + (1 + 1 + (1 + 2 + 2 + 2)),
        ),
        (
            Let(
                Var("c", Scope(D, Pure(ONE, Unit())).type),
                Scope(D, Pure(ONE, Unit())),
                Unit(),
            ),
            1 + (1 + 1 + 2) + 1,
        ),
    ],
)
def test_cost(term, cost):
    inputs = {X: 2.0, D: 1.0, E: (1.0, 2.0), F: (3.0, 4.0), S: Left(1.0)}
    assert evaluate(term, inputs).cost == cost


def test_a_run_adds_to_its_slots_outermost_first():
    slots = extend(ONE, LREAL)
    both = Bind(Add(slots, 1, D), Function((D,), U, Add(slots, 1, D)))
    assert evaluate(Run(both, Pair(D, Pair(D, Unit()))), {D: 2.0}).value == (2.0, (6.0, ()))


def test_a_scope_returns_what_arrived_in_its_slot():
    inner = Scope(zero(LREAL), Add(extend(ONE, LREAL), 1, D))
    s = Var("s", inner.type.result)
    term = Run(Bind(inner, Function((), s, Add(ONE, 0, Fst(s)))), Pair(D, Unit()))
    assert evaluate(term, {D: 2.0}).value == (4.0, ())


def test_sums_of_linear_values_are_sparse():
    total = Run(Add(TWO, 0, E), Pair(F, Unit()))
    assert evaluate(total, {E: (1.0, 2.0), F: (3.0, 4.0)}).value == ((4.0, 6.0), ())
    assert evaluate(total, {E: None, F: None}).value == (None, ())
    assert evaluate(LPair(LUnit(), ABSENT), {}).value == ((), None)


def test_a_linear_value_of_the_wrong_side_is_refused():
    with pytest.raises(WrongAlternative, match="expected a Right, found a Left"):
        evaluate(LCastR(S), {S: Left(1.0)})
    with pytest.raises(WrongAlternative, match="expected a Left, found a Right"):
        evaluate(Run(Add(SUM, 0, S), Pair(LInl(D, LREAL), Unit())), {S: Right(1.0), D: 1.0})


@pytest.mark.parametrize(("x", "branch"), [(-1.0, -1), (1.0, 1), (0.0, 0), (-0.0, 0), (float("nan"), 0)])
def test_sign_of_nan_is_the_zero_branch(x, branch):
    y, z = Var("y", Inl(Unit(), UNIT).type), Var("z", UNIT)
    minus, plus, none = (Prim(literal(k), Unit()) for k in (-1, 1, 0))
    term = Case(Prim(SIGN_OF, X), y, Case(y, A, minus, B, plus), z, none)
    assert evaluate(term, {X: x}).value == branch


def test_integers_wrap_around():
    n = Var("n", INTEGER)
    assert evaluate(Prim(IADD, Pair(n, n)), {n: 2**62}).value == -(2**63)


def test_the_size_of_a_linear_value_counts_its_nodes():
    assert size(()) == size(1.0) == size(None) == 1
    assert size((1.0, None)) == 3
    assert size(Left((1.0, ()))) == 4
    assert product(REAL, REAL).linear is PAIRS
