"""What both type checkers refuse."""

import pytest

from transforms.chad.errors import IllTyped, OutOfScope
from transforms.chad.primitives import ADD, LNEG, SIN
from transforms.chad.syntax import Case, Fst, Inl, Let, Pair, Prim, Program, Unit, Var
from transforms.chad.target import Add, Apply, Bind, Function, LFst, LPair, LUnit, LZero, Pure, Run, Scope
from transforms.chad.typecheck import check_source, check_target
from transforms.chad.types import INTEGER, LREAL, LUNIT, NO_SLOTS, REAL, UNIT, extend, product

X, Y, D, U, N = Var("x", REAL), Var("y", REAL), Var("d", LREAL), Var("u", UNIT), Var("n", INTEGER)
ONE = extend(NO_SLOTS, LREAL)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Prim(SIN, N),
        lambda: Prim(ADD, X),
        lambda: Fst(X),
        lambda: Let(X, Unit(), X),
        lambda: Case(X, X, X, Y, Y),
        lambda: Case(Inl(X, UNIT), X, X, Y, X),
        lambda: Case(Inl(X, UNIT), X, X, U, U),
        lambda: Apply(X, X),
        lambda: Apply(Function((), D, D), X),
        lambda: Bind(Pure(NO_SLOTS, X), Function((), U, Pure(NO_SLOTS, U))),
        lambda: Bind(Pure(NO_SLOTS, X), Function((), X, Pure(ONE, X))),
        lambda: Bind(Pure(NO_SLOTS, X), Function((), X, X)),
        lambda: Add(ONE, 1, D),
        lambda: Add(ONE, -1, D),
        lambda: Add(ONE, 0, LUnit()),
        lambda: Scope(D, Pure(NO_SLOTS, X)),
        lambda: Scope(LUnit(), Pure(ONE, X)),
        lambda: Run(Pure(ONE, Unit()), Unit()),
        lambda: Run(Pure(NO_SLOTS, X), Unit()),
        lambda: LPair(D, X),
        lambda: LFst(Pair(D, D)),
        lambda: LZero(LUNIT),
    ],
)
def test_constructors_refuse_parts_that_do_not_fit(build):
    with pytest.raises(IllTyped):
        build()


def test_messages_say_what_was_expected_and_found():
    with pytest.raises(IllTyped, match=r"Prim: expected \(real \* real\), found integer"):
        Prim(ADD, N)


@pytest.mark.parametrize(
    "term",
    [
        LUnit(),
        Pure(NO_SLOTS, Unit()),
        Pair(X, D),
        Function((), X, X),
        Prim(LNEG, D),
        Prim(SIN.derivatives[0], X),
    ],
)
def test_target_terms_are_no_source_terms(term):
    with pytest.raises(IllTyped):
        check_source(Program((X,), term))


def test_types_are_returned():
    assert check_source(Program((X,), Pair(X, Unit()))) is product(REAL, UNIT)


def bound(x):
    return Let(x, Unit() if x.type is UNIT else X, x)


@pytest.mark.parametrize(
    "term",
    [
        Y,
        Pair(bound(Y), Y),
        Case(Inl(X, REAL), Y, Y, X, X),
        Let(X, X, X),
        Let(Y, X, Let(Y, X, Y)),
        Function((), D, X),
        Function((X, Y), D, X),
        Function((X, X), D, X),
        Function((X,), D, D),
        Function((X,), X, X),
        Function((X,), D, Let(Y, X, Let(Y, X, Y))),
    ],
)
def test_scopes_and_closure_lists_must_be_exact(term):
    with pytest.raises(OutOfScope):
        check_target(term, (X,))


def test_a_binder_may_be_used_again_beside_its_scope():
    assert check_target(Pair(bound(Y), bound(Y)), (X,)) is product(REAL, REAL)


def test_a_context_names_each_variable_once():
    with pytest.raises(OutOfScope):
        check_source(Program((X, X), X))
