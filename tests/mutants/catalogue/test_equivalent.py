"""What is said of mutants that no check can tell apart."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from harness.checks.subject import UNMUTATED
from mutants.catalogue import native
from mutants.catalogue.all import CATALOGUE, NATIVE
from transforms.array_rules import TABLE
from transforms.drivers import gradient
from transforms.machines.emit_c import EmitC
from transforms.syntax import Op, Program, Var
from transforms.types import Array

FOUND = {mutant.id: mutant for mutant in (*CATALOGUE, *NATIVE)}


def test_every_mutant_that_is_called_equivalent_has_a_test_here():
    ours = {"broadcast.axes-backwards", "reshape.c.native"}
    assert {name for name, mutant in FOUND.items() if mutant.equivalent} == ours


@pytest.mark.parametrize(("rows", "columns"), [*product((1, 3), (1, 4))])
def test_a_sum_over_both_axes_is_the_same_in_either_order(rows, columns):
    ct = np.random.default_rng(5).normal(size=(3, 4))
    program = Program((("x", Array((rows, columns))),), Op("broadcast", (Var("x"),), (("shape", (3, 4)),)))
    wrong = FOUND["broadcast.axes-backwards"].applied(UNMUTATED)
    for name, judged in UNMUTATED.transformations.items():
        right = gradient(judged, program, {"x": np.ones((rows, columns))}, ct)
        found = gradient(wrong.transformations[name], program, {"x": np.ones((rows, columns))}, ct)
        assert found.counts == right.counts
        assert np.allclose(found.cotangent["x"], right.cotangent["x"], rtol=1e-14, atol=1e-14)


def emitted(rules, name, args, statics):
    machine = EmitC(rules)
    return machine.source(machine.apply(name, *[machine.given(arg) for arg in args], **statics))


def test_reshape_emits_no_code_for_its_expression():
    wrong = next(iter(FOUND["reshape.c.native"].applied(UNMUTATED).transformations.values())).rules
    args, statics = [np.arange(6.0).reshape(2, 3)], {"shape": (3, 2)}
    assert emitted(wrong, "reshape", args, statics) == emitted(TABLE, "reshape", args, statics)


MATRIX = np.arange(1.0, 5.0).reshape(2, 2)
STATICS = {
    "permute": {"permutation": (1, 0)}, "broadcast": {"shape": (3, 2)},
    **{name: {"k": 2.5} for name in TABLE if name.endswith("_k") or name.startswith("k_")},
}  # fmt: skip


@pytest.mark.parametrize("kind", ["sum", "max"])
def test_a_reduction_is_emitted_from_its_row(kind):
    rules = {**TABLE, "reduce": replace(TABLE["reduce"], c="{r} + first * {0}; {r} + second * {0}")}
    text = emitted(rules, "reduce", [MATRIX], {"axis": 1, "kind": kind})
    assert ("first" in text, "second" in text) == (kind == "sum", kind == "max")


@pytest.mark.parametrize("mutant", [m for m in native.MUTANTS if not m.equivalent], ids=lambda m: m.id)
def test_every_other_expression_is_emitted(mutant):
    name = mutant.target.split(".")[1]
    rules = next(iter(mutant.applied(UNMUTATED).transformations.values())).rules
    args = [MATRIX[:1] if name == "broadcast" else MATRIX] * sum(f"{{{k}}}" in TABLE[name].c for k in (0, 1))
    statics = STATICS.get(name, {"axis": 0, "kind": "sum"} if name == "reduce" else {})
    assert emitted(rules, name, args, statics) != emitted(TABLE, name, args, statics)
