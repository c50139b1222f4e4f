"""Texts of core terms."""

from transforms.chad.pretty import FORMS, show, show_program
from transforms.chad.primitives import MUL, SIN, literal
from transforms.chad.syntax import SOURCE, Case, Inl, Pair, Prim, Program, Unit, Var
from transforms.chad.target import Add, Function, zero
from transforms.chad.types import LREAL, NO_SLOTS, REAL, extend

X, Y = Var("x", REAL), Var("y", REAL)
TWO = Prim(literal(-2.0), Unit())


def test_programs_show_their_context():
    term = Case(Inl(Prim(SIN, X), REAL), X, Prim(MUL, Pair(X, TWO)), Y, TWO)
    shown = show_program(Program((X,), term))
    assert shown == "x: real |- case inl (sin x) of inl x -> (mul (x, -2.0)) | inr y -> -2.0"


def test_closures_show_what_they_capture():
    d, u = Var("d", LREAL), Var("u", LREAL)
    assert show(Function((d,), u, Add(extend(NO_SLOTS, LREAL), 0, d))) == r"\[d]u. add 0 d"
    assert show(zero(LREAL)) == "lzero lunit"


def test_every_source_construct_has_a_form():
    assert set(FORMS) | {Var} >= set(SOURCE)
