"""What shows in matrix programs alone is found in them."""

from dataclasses import replace

from harness.checks.subject import UNMUTATED
from mutants.differences import difference
from transforms.mountain_goat.lines import needed
from transforms.syntax import Var


def found(**drivers):
    def change(judged):
        return replace(judged, drivers=replace(judged.drivers, **drivers))

    return difference(UNMUTATED, UNMUTATED.changed("mutant", change), 0) or {}


def test_a_step_of_descent():
    record = found(step=lambda machine, parameter, ct, rate: parameter)
    assert record["differs"] == "value"
    assert record["label"] == "two steps of descent in x and w"


def test_lines_that_nothing_needs():
    record = found(
        prune=lambda lines, results: needed(lines, [Var(name) for name, _ in lines]) | needed(lines, results)
    )
    assert record["differs"] == "cost"
    assert record["program"].startswith("let x = [[")


def test_a_second_differentiation():
    record = found(hvp=lambda judged: replace(judged, rules={}))
    assert record["label"] == "Hessian-vector product in x and w"
    assert record["after"] != record["before"]
