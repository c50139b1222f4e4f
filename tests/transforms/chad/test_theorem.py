"""The cost model against its published figures, against the independent sum, and against the bound."""

import sys
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.core_costs import sum_of_constructs
from harness.random_core import random_sample
from transforms import syntax as fragment
from transforms.chad.elaborate import elaborate
from transforms.chad.primitives import ADD, MUL, NEG, literal
from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Pair, Prim, Program, Snd, Unit, Var
from transforms.chad.target import Add, Bind, Function, LPair, zero
from transforms.chad.theorem import judge
from transforms.chad.transform import EFFICIENT, fst, snd
from transforms.chad.types import REAL, LProduct, linear, product
from transforms.chad.values import Left, Right
from transforms.types import REAL as REAL_SHAPE

X, Y = Var("x", REAL), Var("y", REAL)


def named(op, *names):
    return fragment.Op(op, tuple(fragment.Var(name) for name in names))


def in_reals(n, term):
    return elaborate(fragment.Program(tuple((f"x{k}", REAL_SHAPE) for k in range(1, n + 1)), term))


def chain(bindings, result):
    term = fragment.Var(result)
    for name, bound in reversed(bindings):
        term = fragment.Let(name, bound, term)
    return term


def t(n):
    products = [(f"y{k}", named("mul", f"y{k - 1}" if k > 2 else "x1", f"x{k}")) for k in range(2, n + 1)]
    return in_reals(n, chain(products, f"y{n}"))


def s(m, n):
    squares = [(f"y{k}", named("mul", *[f"y{k - 1}" if k > 1 else "x1"] * 2)) for k in range(1, m + 1)]
    return in_reals(n, chain(squares, f"y{m}"))


def projection(k):
    """`let r = <x1, ..., xk> in` the sum of k cases that take one part each."""
    parts = fragment.Tuple(tuple(fragment.Var(f"x{j}") for j in range(1, k + 1)))
    names = tuple(f"a{j}" for j in range(1, k + 1))
    total = fragment.Case(fragment.Var("r"), names, fragment.Var("a1"))
    for name in names[1:]:
        total = fragment.Op("add", (total, fragment.Case(fragment.Var("r"), names, fragment.Var(name))))
    return in_reals(k, fragment.Let("r", parts, total))


TWO_RESULTS = in_reals(2, fragment.Tuple((named("mul", "x1", "x2"), named("add", "x1", "x2"))))


@pytest.mark.parametrize(
    ("program", "d", "source_cost", "cost", "bound"),
    [
        (t(2), 1.0, 6, 119, 218),
        (t(3), 1.0, 11, 221, 392),
        (t(6), 1.0, 26, 527, 914),
        (t(12), 1.0, 56, 1139, 1958),
        (t(24), 1.0, 116, 2363, 4046),
        (t(48), 1.0, 236, 4811, 8222),
        (s(8, 1), 1.0, 41, 801, 1404),
        (s(8, 64), 1.0, 41, 1053, 1656),
        (s(8, 256), 1.0, 41, 1821, 2424),
        (s(64, 64), 1.0, 321, 6541, 11176),
        (TWO_RESULTS, (1.0, 0.0), 9, 176, 322),
    ],
)
def test_reference_figures(program, d, source_cost, cost, bound):
    verdict = judge(program, [2.0] * len(program.context), d)
    assert (verdict.source_cost, verdict.cost, verdict.bound) == (source_cost, cost, bound)
    assert verdict.holds


P, A, B = Var("p", product(REAL, REAL)), Var("a", REAL), Var("b", REAL)
SQUARES = A, Prim(MUL, Pair(A, A)), B, Prim(MUL, Pair(B, B))


@pytest.mark.parametrize(
    ("context", "term", "inputs", "d", "total"),
    [
        ([X], Prim(NEG, X), [2.0], 1.0, 34),
        ([X], Prim(MUL, Pair(Prim(literal(2.0), Unit()), X)), [2.0], 1.0, 95),
        ([P], Fst(P), [(2.0, 3.0)], 1.0, 30),
        ([X], Inl(X, REAL), [2.0], Left(1.0), 29),
        ([X], Case(Inl(X, REAL), *SQUARES), [2.0], 1.0, 128),
        ([X], Case(Inr(X, REAL), *SQUARES), [2.0], 1.0, 128),
        ([X, Y], Let(P, Pair(X, Y), Prim(MUL, Pair(Fst(P), Snd(P)))), [2.0, 3.0], 1.0, 185),
        (TWO_RESULTS.context, TWO_RESULTS.term, [2.0, 3.0], None, 178),
    ],
)
def test_reference_totals(context, term, inputs, d, total):
    assert judge(Program(tuple(context), term), inputs, d).cost == total


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([5, 20, 60]))
def test_random_programs_cost_the_sum_of_their_constructs_and_keep_the_bound(random, size):
    sample = random_sample(random, size)
    verdict = judge(sample.program, sample.inputs, sample.cotangent)
    assert verdict.cost == sum_of_constructs(sample.program, sample.inputs, sample.cotangent)
    assert verdict.holds


def test_a_variable_that_adds_zeros_to_every_slot_breaks_the_bound():
    def everywhere(term, where):
        d = Var("d", linear(term.type))
        computation = Add(where.slots, where.levels[term], d)
        for level in range(where.slots.size):
            zeros = Add(where.slots, level, zero(where.slots[level]))
            computation = Bind(zeros, Function((d,), Var("u", zeros.type.result), computation))
        return Pair(term, Function((), d, computation))

    verdict = judge(s(8, 64), [1.0] * 64, 1.0, replace(EFFICIENT, variable=everywhere))
    assert verdict.gradient == (256.0,) + (0.0,) * 63
    assert not verdict.holds


def test_a_projection_that_injects_full_zero_tuples_breaks_the_bound():
    def full(type_):
        return LPair(full(type_.left), full(type_.right)) if isinstance(type_, LProduct) else zero(type_)

    def with_full_zeros(clause):
        def clause_with_full_zeros(term, where, de):
            let = clause(term, where, de)
            pair, function = let.body.left, let.body.right
            left, right = (
                full(part.type) if part is not function.x else part
                for part in (function.body.argument.left, function.body.argument.right)
            )
            body = replace(function.body, argument=LPair(left, right))
            return replace(let, body=Pair(pair, replace(function, body=body)))

        return clause_with_full_zeros

    wrong = replace(EFFICIENT, fst=with_full_zeros(fst), snd=with_full_zeros(snd))
    right, broken = (judge(projection(60), [1.0] * 60, 1.0, clauses) for clauses in (EFFICIENT, wrong))
    assert right.gradient == broken.gradient == (1.0,) * 60
    assert right.holds
    assert not broken.holds


def test_the_verdict_reports_the_constant_it_needs():
    verdict = judge(Program((X,), Prim(NEG, X)), [2.0], 1.0)
    assert verdict.constant == (34 - 5 - 1 - 4) / 2


def test_nothing_recurses():
    ordinary = sys.getrecursionlimit()
    nested = Prim(ADD, Pair(X, X))
    for _ in range(3000):
        nested = Prim(ADD, Pair(Prim(NEG, nested), X))
    sys.setrecursionlimit(500)
    try:
        assert judge(t(2000), [1.0] * 2000, 1.0).cost == 4 * 2000 + 98 * 1999 + 13
        assert judge(s(2000, 1), [1.0], 1.0).holds
        assert judge(projection(60), [1.0] * 60, 1.0).holds
        assert judge(Program((X,), nested), [1.0], 1.0).gradient == (2.0,)
    finally:
        sys.setrecursionlimit(ordinary)


@pytest.mark.slow
@pytest.mark.parametrize("family", [t, lambda n: s(n, 1)], ids=["product", "square"])
def test_time_is_linear_in_the_cost(family):
    def seconds(n):
        program = family(n)
        inputs = [1.0] * len(program.context)
        assert abs(judge(program, inputs, 1.0).source_cost - 5 * n) <= 4
        times = []
        for _ in range(3):
            start = time.process_time()
            judge(program, inputs, 1.0)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(20_000) <= 12 * seconds(2_000)


def test_a_sum_in_the_context_receives_a_cotangent_of_its_own_side():
    e = Var("e", Inl(X, REAL).type)
    program = Program((e,), Case(e, *SQUARES))
    for side in (Left, Right):
        (received,) = judge(program, [side(3.0)], 1.0).gradient
        assert type(received) is side
        assert received.value == 6.0


def test_nested_products_keep_absent_parts_absent():
    tree = Var("r", product(product(REAL, REAL), product(REAL, REAL)))
    program = Program((tree,), Snd(Fst(tree)))
    assert judge(program, [((1.0, 2.0), (3.0, 4.0))], 1.0).gradient == (((0.0, 1.0), None),)
