"""Compiled code is judged by an evaluator that shares nothing with it."""

from dataclasses import replace

import pytest

from harness import native
from harness.checks.check import Outcome, judge
from harness.checks.native import CHECKS
from harness.checks.subject import UNMUTATED
from harness.errors import ToolMissing
from mutants.mutant import drivers, rule
from transforms.kernels.program import emit

AGREES, KERNELS = CHECKS


@pytest.fixture(scope="module")
def compiler():
    try:
        native.toolchain()
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def prepared(compiler):
    return AGREES.prepare(0)


@pytest.fixture(scope="module")
def programs(compiler):
    return KERNELS.prepare(0)


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


def printed(programs, change):
    """What is found of kernels whose results are changed."""

    def kernels(machine, straight, limits):
        return tuple([change(machine, number) for number in emit(machine, straight, limits)])

    return judge(KERNELS, UNMUTATED.changed("wrong", drivers(kernels=kernels)), programs)


@pytest.mark.parametrize("seed", range(3))
def test_the_kernels_pass(compiler, seed):
    assert judge(KERNELS, UNMUTATED, KERNELS.prepare(seed)).outcome is Outcome.PASS


def test_every_matrix_that_is_off_by_a_bit_is_counted_and_an_entry_named(programs):
    result = printed(programs, lambda machine, a: machine.apply("mul_k", a, k=1.0 + 2.0**-52))
    numbers = [number for found in programs.expected for number in found]
    assert result.outcome is Outcome.VALUE and len(numbers) < (result.error or 0.0) <= 2 * len(numbers)
    assert "print 0 of 'let e = exp(w - row_max(w))" in result.where and "entry 0 is 0." in result.where


def test_a_zero_of_the_other_sign_is_another_number(programs):
    result = printed(programs, lambda machine, a: machine.apply("add", a, machine.constant_like(a, 0.0)))
    assert result.outcome is Outcome.VALUE and "is 0.0, expected -0.0" in result.where


def test_entries_in_another_shape_are_noticed(programs):
    result = printed(programs, lambda machine, a: replace(a, type=replace(a.type, shape=(a.type.size,))))
    assert "shape (120,), expected (4, 30)" in result.where
