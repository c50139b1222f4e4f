import re
from dataclasses import fields, replace

import pytest

from harness.checks.subject import UNMUTATED
from mutants.catalogue.all import CATALOGUE, NATIVE
from mutants.leaves import replaced
from mutants.mutant import NothingChanged
from transforms.array_rules import TABLE
from transforms.composed_rules import COMPOSED
from transforms.derivative_rules import DERIVATIVE_RULES
from transforms.mountain_goat.judged import MATRICES

EVERY = (*CATALOGUE, *NATIVE)
FIELDS = ("evaluate", "tangent", "pullback", "shape", "cost", "c")
REPORT = re.compile(r"[\w.-]+/[\w.-]+(#\d+|@[0-9a-f]{7})")

MODELS = ("hand-attention", "hand-transformer", "training")
HANDS = ("hand-attention", "hand-layernorm", "hand-transformer")
RULES_OF_THE_COURSE = {
    **dict.fromkeys(
        ("mul.own-operand", "sub.second-sign", "div.denominator-sign", "div.by-b-for-b-squared",
         "accumulator.second-replaces"), (*HANDS, "training")),
    **dict.fromkeys(("mul_k.k-ignored", "exp.by-the-input", "log.multiplies"), MODELS),
    **dict.fromkeys(
        ("k_sub.sign", "k_div.sign", "neg.sign", "matmul.left-without-transpose", "matmul.right-by-transposed-left",
         "reshape.not-undone", "reduce.sum-not-spread", "broadcast.column-axis"), ()),
    "transpose.not-undone": ("hand-attention",),
    "sqrt.without-the-2": ("hand-layernorm", "hand-transformer"),
    "relu.without-a-mask": ("hand-transformer",),
    "reduce.ties-each-full": ("ties-and-kinks",),
}  # fmt: skip
"""The checks that notice each of the course's wrong rules, besides `reference`, which notices all of them."""

FIRST_ORDER = {
    **{name: ("reference", *others) for name, others in RULES_OF_THE_COURSE.items()},
    "drivers.names-by-value": ("hand-transformer",),
    **dict.fromkeys(("drivers.descent-adds", "drivers.descent-ignores-rate", "drivers.descent-stays"), ("training",)),
    "drivers.seed-2": ("reference", "ties-and-kinks", *HANDS, "training"),
}
SECOND_ORDER = {
    **dict.fromkeys(
        ("again.ge-passes", "again.relu-mask", "again.mul-own-operand", "again.div-by-b", "again.exp-by-input",
         "again.log-multiplies", "again.sqrt-without-2", "again.matmul-untransposed", "again.contribution-replaces",
         "again.broadcast-axis"), ("second-order",)),
    "again.sum-not-spread": (),
}  # fmt: skip
"""Where the second differentiation alone is wrong. What a sum's argument receives there need not show."""


def test_each_mutant_has_a_name_of_its_own():
    names = [mutant.id for mutant in EVERY]
    assert len(CATALOGUE) >= 80 and len(set(names)) == len(names)


@pytest.mark.parametrize("field", FIELDS)
def test_every_rule_has_a_mutant_in_each_of_its_fields(field):
    targets = {mutant.target for mutant in EVERY}
    assert {f"rules.{name}.{field}" for name in TABLE} <= targets


def test_a_composition_that_is_recognised_has_a_mutant_of_its_pullback():
    targets = {mutant.target for mutant in CATALOGUE}
    recognised = COMPOSED.keys() - {"deviation"}  # which stands in what `normalise` receives alone
    assert {f"rules.{name}.pullback" for name in recognised} <= targets


def test_rows_that_gradients_alone_contain_are_mutated_where_gradients_are_differentiated():
    changed = set()
    for mutant in CATALOGUE:
        if mutant.target == "drivers.hvp":
            judged = mutant.applied(UNMUTATED).transformations["accumulator"]
            rules = judged.drivers.hvp(judged).rules
            changed |= {name for name, row in DERIVATIVE_RULES.items() if rules[name] != row}
    assert changed - TABLE.keys() == {"cosh", "mul0", "pow_da"}


def test_the_mutants_of_the_course_are_there_by_name_with_the_checks_that_must_notice_them():
    assert (len(FIRST_ORDER), len(SECOND_ORDER)) == (25, 11)
    found = {mutant.id: set(mutant.caught_by) for mutant in CATALOGUE if mutant.source == "the course"}
    assert found == {name: set(checks) for name, checks in (FIRST_ORDER | SECOND_ORDER).items()}


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
