"""The search climbs, and its edits keep programs well-typed."""

from dataclasses import replace
from random import Random

from harness import bench
from harness.core_edits import copied, free, places, replaced, shrunk, smallest
from harness.random_core import random_sample
from harness.search_constant import search, verdict
from transforms.chad.pretty import show
from transforms.chad.syntax import Case, Fst, Let, Pair, Prim, Program, Snd, Var
from transforms.chad.target import Add, Bind, Function, zero
from transforms.chad.transform import EFFICIENT
from transforms.chad.typecheck import check_source
from transforms.chad.types import linear


def test_the_search_comes_nearer_than_random_programs_and_explains_why_no_nearer():
    records = search("theorem", "search", climbs=2, steps=250, largest=24, programs=200, seed=1)
    assert bench.findings(records) == []
    theirs, ceiling = records
    assert 20 < theirs["value"] < ceiling["limit"] < theirs["limit"] == 34
    assert theirs["program"].count("|-") == 1
    assert "33" in ceiling["explanation"] and "22.75" in ceiling["explanation"]
    assert theirs["sizes"]["cost"] <= 24


def test_edits_keep_programs_well_typed():
    for seed in range(60):
        program = random_sample(Random(seed), size=30).program
        copy = copied(program.term)
        assert show(copy) == show(program.term)
        check_source(Program(program.context, copy))
        for place in places(program.term, program.context):
            assert free(place.term) <= set(place.bound)
            edited = replaced(program.term, place.path, smallest(place.term.type))
            check_source(Program(program.context, edited))


def test_shrinking_ends_in_a_smallest_program_that_keeps_what_is_asked():
    def has_case(sample):
        return any(isinstance(place.term, Case) for place in places(sample.program.term, ()))

    large = next(s for seed in range(99) if has_case(s := random_sample(Random(seed), size=60)))
    small = shrunk(large, has_case)
    terms = [place.term for place in places(small.program.term, ())]
    assert sum(isinstance(term, Case) for term in terms) == 1
    assert not any(isinstance(term, Let | Fst | Snd) for term in terms)
    assert {term.op.name for term in terms if isinstance(term, Prim)} <= {"literal"}
    assert set(small.program.context) == free(small.program.term)
    assert verdict(small).holds


def adding_zeros(term, where):
    """A variable's clause that adds thirty zeros to its slot besides."""
    level, d = where.levels[term], Var("d", linear(term.type))
    computation = Add(where.slots, level, d)
    for _ in range(30):
        zeros = Add(where.slots, level, zero(d.type))
        computation = Bind(zeros, Function((d,), Var("u", zeros.type.result), computation))
    return Pair(term, Function((), d, computation))


DEAR = replace(EFFICIENT, variable=adding_zeros)


def test_the_search_finds_what_breaks_the_bound():
    found, _ = search("theorem", "search", climbs=1, steps=60, largest=24, programs=60, seed=0, clauses=DEAR)
    assert found["holds"] is False and "|-" in found["program"]
