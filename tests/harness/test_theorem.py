"""The suite `theorem`: figures, growth, bounds that can break, and gradients that agree."""

from dataclasses import replace
from random import Random

import pytest

from harness import bench, families, theorem
from harness.random_terms import random_program
from harness.records import to_json
from harness.suites import SUITES
from transforms.chad.elaborate import elaborate, elaborate_value, read_cotangent
from transforms.chad.syntax import Pair, Var
from transforms.chad.target import Add, Bind, Function, zero
from transforms.chad.theorem import judge
from transforms.chad.transform import EFFICIENT
from transforms.chad.types import linear
from transforms.drivers import TRANSFORMATIONS, gradient
from transforms.typecheck import typecheck
from transforms.types import full

SMALL = {
    "product": {"n": 6},
    "square": {"m": 5, "n": 3},
    "sigmoid-square": {"n": 4},
    "doubling": {"k": 6},
    "projection": {"k": 5},
    "jacobian": {"n": 3, "m": 4},
}


def zeros_everywhere(term, where):
    """A variable's clause that adds a zero to every slot besides."""
    d = Var("d", linear(term.type))
    computation = Add(where.slots, where.levels[term], d)
    for level in range(where.slots.size):
        zeros = Add(where.slots, level, zero(where.slots[level]))
        computation = Bind(zeros, Function((d,), Var("u", zeros.type.result), computation))
    return Pair(term, Function((), d, computation))


BROKEN = replace(EFFICIENT, variable=zeros_everywhere)


def value(records, case, subject, metric, **sizes):
    (found,) = [
        r["value"]
        for r in records
        if r["kind"] == "measurement"
        and (r["case"], r["subject"], r["metric"]) == (case, subject, metric)
        and r["sizes"] == sizes
    ]
    return found


def test_families_have_the_reference_costs_and_the_bounds_hold():
    records = theorem.growing(
        "theorem", "families", {"product-in-n": [12, 24, 48], "square-in-n": [64, 256, 4096, 16384]}
    )
    assert bench.findings(records) == []
    assert value(records, "product-in-n", "source", "model_cost", n=48) == 236
    assert value(records, "product-in-n", "accumulator", "model_cost", n=48) == 4811
    assert value(records, "product-in-n", "accumulator", "operations", n=48) == 3 * 48 - 3
    assert value(records, "square-in-n", "accumulator", "model_cost", m=8, n=256) == 1821
    bounds = {(r["case"], r["sizes"].get("n")): r["limit"] for r in records if r.get("claim") == theorem.BOUND}
    assert bounds["product-in-n", 48] == 8222 and bounds["square-in-n", 64] == 1656


def test_figures_are_reproduced_and_a_dearer_transformation_misses_them():
    assert bench.findings(theorem.figures("theorem", "figures")) == []
    assert bench.findings(theorem.figures("theorem", "figures", BROKEN))


def test_a_transformation_that_adds_zeros_breaks_the_bound_and_its_program_is_shown():
    for records in (
        theorem.growing("theorem", "families", {"square-in-n": [64, 256]}, BROKEN),
        theorem.figures("theorem", "figures", BROKEN),
    ):
        broken = [r for r in bench.findings(records) if r.get("claim", "").endswith(theorem.BOUND)]
        assert broken and all("|-" in r["program"] for r in broken)
    random = theorem.drawn("theorem", "random", 60, 0, BROKEN)
    assert random[0]["holds"] is random[1]["holds"] is False and random[0]["program"]


def test_random_programs_hold_and_the_record_shows_the_neediest():
    records = theorem.drawn("theorem", "random", 100, 3)
    assert bench.findings(records) == []
    largest = records[-1]
    sizes = largest["sizes"]
    assert 17 < largest["value"] < 22.75 and "|-" in largest["program"]
    assert sizes["transformed"] >= largest["value"] * sizes["cost"] + 5


@pytest.mark.parametrize(
    "case", [case for case in SUITES if case.suite == "theorem" and case.draws], ids=lambda c: c.id
)
def test_a_seed_fixes_the_records(case):
    few = {"programs": 40, "climbs": 1, "steps": 20}
    small = replace(case, quick={key: few.get(key, value) for key, value in case.quick.items()})
    assert to_json(small.records(True, 5)) == to_json(small.records(True, 5))


def check_gradients_agree(program, point, cotangent):
    verdict = judge(elaborate(program), [elaborate_value(v) for v in point.values()], elaborate_value(cotangent))
    for judged in TRANSFORMATIONS.values():
        expected = gradient(judged, program, point, cotangent).cotangent
        for (name, type_), found in zip(program.context, verdict.gradient, strict=True):
            assert numbers(read_cotangent(type_, found)) == pytest.approx(numbers(expected[name]), rel=1e-9, abs=1e-9)


def numbers(value):
    return [number for part in value for number in numbers(part)] if isinstance(value, tuple) else [float(value)]


@pytest.mark.parametrize("name", families.FAMILIES)
def test_the_gradients_of_families_are_those_of_both_representations(name):
    program = families.FAMILIES[name](**SMALL[name])
    check_gradients_agree(program, families.at_ones(program), full(typecheck(program), 1.0))


def test_the_gradients_of_random_programs_are_those_of_both_representations():
    for seed in range(60):
        sample = random_program(Random(seed), result=None)
        check_gradients_agree(sample.program, sample.point, sample.cotangent)
