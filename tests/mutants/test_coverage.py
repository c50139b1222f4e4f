"""Which leaves a check calls."""

from harness.checks.subject import UNMUTATED
from mutants.coverage import called, reaches
from tests.mutants.fakes import GRADIENT


def test_a_check_calls_what_its_program_needs_and_nothing_else():
    paths = called([(GRADIENT, GRADIENT.prepare(0))], UNMUTATED)["gradient"]  # let z = x * y in z + x
    assert {"rules.mul.pullback", "rules.add.evaluate", "clauses.Let", "clauses.Var", "drivers.seed", "machine"} <= set(
        paths
    )
    assert {"representation.pointwise.scope", "representation.accumulator.inject"} <= set(paths)
    assert not {"rules.sin.pullback", "rules.mul.tangent", "clauses.Case"} & set(paths)
    assert paths == sorted(paths)


def test_a_leaf_is_reached_through_its_parts_and_through_what_it_is_a_part_of():
    paths = ["machine", "rules.mul.pullback"]
    assert reaches(paths, "rules.mul.pullback")
    assert reaches(paths, "rules")  # the whole table
    assert reaches(paths, "machine.apply")
    assert reaches(paths, "rules.mul.c")  # no function: with its row
    assert not reaches(paths, "rules.mul_k.pullback")
    assert not reaches(paths, "rules.mul.tangent")
    assert not reaches(paths, "drivers.seed")
