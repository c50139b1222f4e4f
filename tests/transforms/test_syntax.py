"""Terms and types: nothing about them recurses."""

from __future__ import annotations

import copy
import pickle

from transforms.parse import parse
from transforms.pretty import pretty
from transforms.syntax import Let, Lit, Term, bound_names, free_variables, subterms
from transforms.types import REAL, Array, Product, full, units


def _chain(n: int) -> Term:
    return parse("let y = x * x in " * n + "y").term


def test_pickling_equality_hash_and_repr_of_a_long_chain():
    term = _chain(100_000)
    again = pickle.loads(pickle.dumps(term))
    assert sum(isinstance(part, Let) for part in subterms(again)) == 100_000
    assert term == term and term != again
    assert len({term, again}) == 2
    assert len(repr(term)) < 100


def test_pickling_keeps_every_part():
    program = parse("context: p: (real, real) |- case p of <a, b> -> let c = max(a, -b) in <c, 2, <>>")
    assert pretty(pickle.loads(pickle.dumps(program)).term) == pretty(program.term)
    assert pretty(copy.deepcopy(program.term)) == pretty(program.term)


def test_free_variables_respect_scope_and_shadowing():
    assert free_variables(parse("let x = x + y in case <x, z> of <z, w> -> z + w + x").term) == ("x", "y", "z")
    assert bound_names(parse("let x = x in case x of <z, w> -> z").term) == {"x", "z", "w"}


def test_types_nested_deeply_compare_hash_and_print():
    deep, other = REAL, REAL
    for _ in range(10_000):
        deep, other = Product((deep,)), Product((other,))
    assert deep == other and hash(deep) == hash(other)
    assert deep != Product((deep,))
    assert str(deep).count("(") == 10_000


def test_type_text_size_and_basis():
    type_ = Product((REAL, Array((2, 3)), Product(())))
    assert str(type_) == "(real, real[2,3], ())"
    assert type_.size == 7 == len(list(units(type_)))
    assert full(Product((REAL, Product((REAL,)))), 2.0) == (2.0, (2.0,))


def test_literals_compare_by_identity():
    assert Lit(1.0) != Lit(1.0)
