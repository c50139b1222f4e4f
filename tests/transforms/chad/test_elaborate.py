"""The fragment in the core language."""

import numpy as np
import pytest

from transforms.chad.elaborate import elaborate, elaborate_type, elaborate_value, read_cotangent
from transforms.chad.errors import NoCounterpart
from transforms.chad.pretty import show, show_program
from transforms.chad.theorem import judge
from transforms.chad.types import REAL as CORE_REAL
from transforms.chad.types import UNIT, product
from transforms.syntax import Case, Let, Lit, Op, Program, Tuple, Var
from transforms.types import REAL, Array, Product

X, Y, Z = Var("x"), Var("y"), Var("z")


def text(term, *context):
    return show(elaborate(Program(context, term)).term)


def test_tuples_are_pairs_nested_to_the_right():
    reals = [(name, REAL) for name in "xyz"]
    assert text(Tuple((X, Y, Z)), *reals) == "(x, (y, z))"
    assert text(Tuple((X,)), *reals) == "x"
    assert text(Tuple(()), *reals) == "()"
    assert elaborate_type(Product((REAL, REAL, REAL))) is product(CORE_REAL, product(CORE_REAL, CORE_REAL))
    assert elaborate_type(Product(())) is UNIT


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((), "let _ = p in x"),
        (("a",), "let a = p in x"),
        (("a", "b"), "let _ = p in let a = fst _ in let b = snd _ in x"),
        (("a", "b", "c"), "let _ = p in let a = fst _ in let _ = snd _ in let b = fst _ in let c = snd _ in x"),
    ],
)
def test_a_case_takes_the_remaining_tail_apart(names, expected):
    assert text(Case(Var("p"), names, X), ("x", REAL), ("p", Product((REAL,) * len(names)))) == expected


def test_a_difference_adds_the_negation():
    assert text(Op("sub", (X, Y)), ("x", REAL), ("y", REAL)) == "add (x, neg y)"


def test_inner_names_shadow_outer_ones():
    inner = Let("x", Op("mul", (X, X)), Op("mul", (X, X)))
    program = elaborate(Program((("x", REAL),), Tuple((inner, X))))
    assert show_program(program) == "x: real |- (let x = mul (x, x) in mul (x, x), x)"
    verdict = judge(program, [3.0], (1.0, 1.0))
    assert verdict.primal == (81.0, 3.0)
    assert verdict.gradient == (109.0,)


def test_an_underscore_is_an_ordinary_name():
    case = Case(Var("p"), ("a", "b"), Var("_"))
    program = elaborate(Program((("_", REAL), ("p", Product((REAL, REAL)))), case))
    assert judge(program, [7.0, (1.0, 2.0)], 1.0).gradient == (1.0, (0.0, 0.0))
    swapped = Case(Var("p"), ("_", "a", "b"), Op("mul", (Var("_"), Var("b"))))
    program = elaborate(Program((("p", Product((REAL,) * 3)),), swapped))
    assert judge(program, [(2.0, (3.0, 5.0))], 1.0).gradient == ((5.0, (0.0, 2.0)),)


def test_a_long_tuple_is_taken_apart_in_linear_cost():
    def cost(k):
        names = tuple(f"a{j}" for j in range(k))
        program = Program((("p", Product((REAL,) * k)),), Case(Var("p"), names, Var(names[-1])))
        return judge(elaborate(program), [elaborate_value((1.0,) * k)], 1.0).cost

    assert cost(300) - cost(200) == cost(200) - cost(100)


def test_values_and_cotangents_are_translated():
    type_ = Product((REAL, Product((REAL, REAL)), Product((REAL,)), Product(())))
    assert elaborate_value((1, (2, 3), (4,), ())) == (1.0, ((2.0, 3.0), (4.0, ())))
    assert read_cotangent(type_, (1.0, ((2.0, 3.0), (4.0, ())))) == (1.0, (2.0, 3.0), (4.0,), ())
    assert read_cotangent(type_, (1.0, (None, None))) == (1.0, (0.0, 0.0), (0.0,), ())
    assert read_cotangent(type_, None) == (0.0, (0.0, 0.0), (0.0,), ())


@pytest.mark.parametrize("term", [Lit(np.zeros(2)), Op("matmul", (X, X))])
def test_arrays_have_no_counterpart(term):
    with pytest.raises(NoCounterpart):
        elaborate(Program((("x", REAL),), term))
    with pytest.raises(NoCounterpart):
        elaborate_type(Array((2,)))
