"""The search finds where a planted survivor differs, and nothing where there is nothing to find."""

from harness.checks.subject import UNMUTATED
from harness.values import show
from mutants.differences import difference
from mutants.mutant import rule
from tests.mutants import fakes
from transforms.drivers import gradient
from transforms.parse import parse, parse_point, parse_value


def found(change):
    return difference(UNMUTATED, UNMUTATED.changed("mutant", change), 0) or {}


def test_a_planted_survivor_differs_on_one_operation():
    record = found(fakes.SURVIVOR.change)
    assert record["program"] == "context: x0: real |-\nsin(x0)"
    assert record["differs"] == "value"


def test_the_program_and_the_point_show_the_difference_when_they_are_tried_again():
    record = found(fakes.SURVIVOR.change)
    program = parse(record["program"])
    point = parse_point(", ".join(f"{name}={value}" for name, value in record["point"].items()))
    mutated = UNMUTATED.changed("mutant", fakes.SURVIVOR.change).transformations
    runs = [
        gradient(subject["pointwise"], program, point, parse_value(record["cotangent"])).cotangent
        for subject in (UNMUTATED.transformations, mutated)
    ]
    assert runs[0] != runs[1]


def test_a_difference_at_a_special_point_alone():
    def pullback(m, ct, r, a):
        sign = m.sgn(a)
        return (m.mul(ct, m.add(sign, m.sub(m.constant_like(a, 1.0), m.mul(sign, sign)))),)  # 1 at 0

    record = found(rule("abs", pullback=pullback))
    assert record["program"].endswith("abs(x0)")
    assert record["point"] == {"x0": show(0.0)}


def test_a_difference_in_the_last_bits_and_one_in_the_cost():
    def by_three(m, ct, r, a):
        return (m.div(m.mul(m.mul(ct, m.constant_like(a, 3.0)), m.cos(a)), m.constant_like(a, 3.0)),)

    assert found(rule("sin", pullback=by_three))["differs"] == "last bits"
    assert found(fakes.DEAR.change)["differs"] == "cost"


def test_a_crash_and_a_refusal_are_differences():
    assert "nothing to divide" in found(fakes.CRASH.change)["after"]
    assert "refused" in found(fakes.REFUSAL.change)["after"]


def test_nothing_is_found_where_there_is_nothing():
    assert found(fakes.SAME.change) == {}
