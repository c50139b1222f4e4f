"""Compiled code is judged by an evaluator that shares nothing with it."""

import pytest

from harness import native
from harness.checks.check import Outcome, judge
from harness.checks.native import CHECKS
from harness.checks.subject import UNMUTATED
from harness.errors import ToolMissing
from mutants.mutant import rule

(AGREES,) = CHECKS


@pytest.fixture(scope="module")
def prepared():
    try:
        native.toolchain()
    except ToolMissing as missing:
        pytest.skip(str(missing))
    return AGREES.prepare(0)


def found(prepared, name, c):
    return judge(AGREES, UNMUTATED.changed("wrong", rule(name, c=c)), prepared)


def test_the_table_passes(prepared):
    assert judge(AGREES, UNMUTATED, prepared).outcome is Outcome.PASS


def test_every_rule_is_used(prepared):
    used = {label.partition("(")[0] for label, _ in prepared.expected}
    assert used == set(UNMUTATED.matrices().rules)


def test_single_precision_is_found_and_named(prepared):
    result = found(prepared, "exp", "expf({0})")
    assert result.outcome is Outcome.VALUE
    assert "exp(" in result.where


def test_an_expression_that_is_wrong_on_a_tie_alone(prepared):
    assert "ge(2.0, 2.0)" in found(prepared, "ge", "({0} > {1} ? 1.0 : 0.0)").where


def test_an_expression_that_c_refuses(prepared):
    assert found(prepared, "add", "{0} plus {1}").outcome is Outcome.REFUSAL
