"""What each level of simplification promises, on random programs and on the workloads."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from harness import native
from harness.compiled import plain
from harness.compiled import straight as compiled
from harness.magnitudes import close, magnitudes
from harness.workload_suite import WORKLOADS
from harness.workloads import attention
from tests.transforms.simplify.programs import identical, random_programs, results, straight
from transforms.array_rules import TABLE
from transforms.errors import AdjudgeError
from transforms.kernels.plan import LIMITS
from transforms.kernels.program import emit
from transforms.machines.emit_c import EmitC
from transforms.mountain_goat.gradients import descend
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.run import run
from transforms.simplify.levels import LEVELS, simplified, simplify


def compiler() -> bool:
    try:
        return bool(native.toolchain())
    except AdjudgeError:
        return False


compiles = pytest.mark.skipif(not compiler(), reason="no C compiler")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))


def exact(machine, line):
    return emit(machine, simplify(line, "exact"))


def reassociated(machine, line):
    return emit(machine, simplify(line, "reassociate"), replace(LIMITS, zero=False))


def check(first: int, count: int, level: str) -> None:
    programs = [line for line in random_programs(first, count) if line.stop is None]
    expected = results(programs, plain, level)
    for line, a, b, c in zip(
        programs, expected, results(programs, exact, level), results(programs, reassociated, level), strict=True
    ):
        assert identical(b, a), line.program.source
        for x, y, magnitude in zip(c, a, magnitudes(line), strict=True):
            assert np.all(close(x, y, magnitude, 1e-12)), line.program.source


@compiles
def test_random_programs_compute_the_same_at_either_level():
    check(0, 100, "O0")


@compiles
@pytest.mark.slow
@pytest.mark.parametrize("level", native.LEVELS)
def test_a_thousand_random_programs_compute_the_same_at_either_level(level):
    for first in range(1000, 1500, 50):
        check(first, 100, level)


@compiles
@pytest.mark.parametrize("name", WORKLOADS)
def test_simplified_workloads_print_the_same_numbers_to_the_last_bit(name):
    line = straight(WORKLOADS[name].hand_derived())
    assert identical(compiled(line, "exact").run(), compiled(line).run())


def test_simplifying_again_changes_nothing():
    for line in random_programs(0, 60):
        for rewrites in LEVELS.values():
            once, _ = simplified(line, rewrites)
            _, applied = simplified(once, rewrites)
            assert not any(applied.values()), line.program.source


def test_inputs_are_never_folded():
    """A literal that a `let` binds stays an input, one inside an expression does not: 2 operations against none."""
    bound = simplify(straight("let a = [[1.0, 1.0]]\nlet b = [[2.0, 2.0]]\nprint a * b + b\n"))
    inside = simplify(straight("print [[1.0, 1.0]] * [[2.0, 2.0]] + [[2.0, 2.0]]\n"))
    assert len(unchain(bound.program.term)[0]) == 2
    assert len(unchain(inside.program.term)[0]) == 0
    assert run(inside)[0].tolist() == [[4.0, 4.0]]


@pytest.mark.slow
def test_simplifying_and_emitting_a_descent_takes_time_linear_in_its_length():
    line = straight(attention.value())

    def seconds(steps: int) -> float:
        program = descend(line, attention.PARAMETERS, steps, 3.0).straight
        start = process_time()
        machine = EmitC(TABLE)
        machine.source(emit(machine, simplify(program)))
        return process_time() - start

    seconds(5)
    assert seconds(200) < 1.6 * 4 * seconds(50)
