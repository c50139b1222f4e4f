import re
from dataclasses import fields, replace

import pytest

from harness.checks.subject import UNMUTATED
from mutants.catalogue.all import CATALOGUE, NATIVE
from mutants.leaves import replaced
from mutants.mutant import NothingChanged
from transforms.array_rules import TABLE
from transforms.mountain_goat.judged import MATRICES

EVERY = (*CATALOGUE, *NATIVE)
FIELDS = ("evaluate", "tangent", "pullback", "shape", "cost", "c")
REPORT = re.compile(r"[\w.-]+/[\w.-]+(#\d+|@[0-9a-f]{7})")

COURSE = (
    "mul.own-operand", "sub.second-sign", "div.denominator-sign", "div.by-b-for-b-squared", "k_sub.sign",
    "k_div.sign", "mul_k.k-ignored", "neg.sign", "matmul.left-without-transpose", "matmul.right-by-transposed-left",
    "transpose.not-undone", "reshape.not-undone", "exp.by-the-input", "log.multiplies", "sqrt.without-the-2",
    "relu.without-a-mask", "reduce.sum-not-spread", "reduce.ties-each-full", "accumulator.second-replaces",
    "broadcast.column-axis", "drivers.seed-2",
)  # fmt: skip


def test_each_mutant_has_a_name_of_its_own():
    names = [mutant.id for mutant in EVERY]
    assert len(CATALOGUE) >= 80 and len(set(names)) == len(names)


@pytest.mark.parametrize("field", FIELDS)
def test_every_rule_has_a_mutant_in_each_of_its_fields(field):
    targets = {mutant.target for mutant in EVERY}
    assert {f"rules.{name}.{field}" for name in TABLE} <= targets


def test_the_mutants_of_the_course_are_there_by_name():
    found = {mutant.id: mutant for mutant in CATALOGUE}
    assert all(found[name].source == "the course" and found[name].caught_by for name in COURSE)


def test_at_least_fifteen_are_modelled_on_reports_that_they_cite():
    cited = {mutant.source for mutant in CATALOGUE} - {"the course", "ours", "an exercise"}
    assert len(cited) >= 15 and all(REPORT.fullmatch(source) for source in cited)


def test_a_mutant_replaces_what_it_says():
    for mutant in EVERY:
        leaves = [leaf.path for leaf in replaced(UNMUTATED, mutant.applied(UNMUTATED))]
        assert any(f"{mutant.target}.".startswith(f"{path}.") or path.startswith(mutant.target) for path in leaves), (
            mutant.id, mutant.target, leaves,
        )  # fmt: skip


def test_a_mutant_that_changes_nothing_is_an_error():
    mutant = next(mutant for mutant in CATALOGUE if mutant.id == "mul.own-operand")
    with pytest.raises(NothingChanged, match=r"mul\.own-operand changes nothing of rules\.mul\.pullback"):
        replace(mutant, change=lambda judged: judged).applied(UNMUTATED)
    with pytest.raises(NothingChanged):
        mutant.applied(mutant.applied(UNMUTATED))


def test_the_drivers_have_a_mutant_each():
    assert {mutant.target for mutant in EVERY} >= {f"drivers.{field.name}" for field in fields(MATRICES.drivers)}
