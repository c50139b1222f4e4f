"""Kernels compute what the plain program computes, wherever rows are written out, loops go on and kernels are cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness import callgrind, native
from harness.compiled import plain
from harness.compiled import straight as compiled
from harness.errors import ToolMissing
from tests.transforms.simplify.programs import identical, random_programs, results, straight
from tests.transforms.simplify.test_levels import cache, compiles  # noqa: F401
from transforms.kernels.plan import FUSION, LIMITS, Fusion, Limits
from transforms.kernels.program import emit
from transforms.kernels.schedule import schedule
from transforms.kernels.views import graph, strides
from transforms.machines.syntax import binding
from transforms.mountain_goat.lines import unchain
from transforms.syntax import Op, Tuple, Var

LIMITED = {
    "nothing written out": Limits(short=1, product=1, step=1),
    "rows of 2": Limits(short=2, product=5, step=2, nodes=7, entries=20, kept=3),
    "loops by 3": replace(LIMITS, short=1, step=3),
    "as usual": LIMITS,
}


@compiles
@pytest.mark.parametrize("limits", LIMITED)
def test_kernels_compute_what_the_plain_program_computes_to_the_last_bit(limits):
    programs = [line for line in random_programs(300, 50) if line.stop is None]
    found = results(programs, lambda machine, line: emit(machine, line, LIMITED[limits]))
    for line, a, b in zip(programs, results(programs, plain), found, strict=True):
        assert identical(b, a), line.program.source


KERNELS_APART = Fusion(within=lambda graph, node, k: False)
LOOPS_APART = Fusion(goes_along=lambda value, limits: False)


@compiles
@pytest.mark.parametrize("limits", LIMITED)
def test_what_may_go_in_one_loop_need_not(limits):
    """The kernels of one value each, and the loops of one each, compute the same."""
    programs = [line for line in random_programs(400, 10) if line.stop is None]
    expected = results(programs, plain)
    for apart in (KERNELS_APART, LOOPS_APART):
        found = results(programs, lambda machine, line, apart=apart: emit(machine, line, LIMITED[limits], apart))
        assert all(map(identical, found, expected))


@compiles
@pytest.mark.parametrize("entry", ["-0.0", "0.0", "1e308"])
def test_long_sums_and_maxima_start_from_their_first_entry(entry):
    """Of -0.0 alone a sum is -0.0, and a product of matrices 0.0."""
    a = f"[{', '.join([f'[{chr(44).join([entry] * 40)}]'] * 40)}]"
    line = straight(
        f"let a = {a}\nprint row_sum(a)\nprint col_sum(a)\nprint row_max(a)\nprint col_max(a)\nprint a @ a\n"
    )
    (found,), (expected,) = results([line], emit), results([line], plain)
    assert identical(found, expected)
    assert np.all(np.signbit(found[0]) == entry.startswith("-"))


@compiles
@pytest.mark.parametrize("limits", LIMITED)
def test_where_entries_lie_is_not_confused(limits):
    """Sums of rows that are a row, a literal of both zeros, and a cube that is added to itself in another order."""
    matrices = straight(
        f"let a = {matrix(3, 3)}\nlet e = exp(a / 9.0)\nprint e - transpose(row_sum(e))\n"
        "let d = [[2.0, 3.0]]\nprint d / [[0.0, -0.0]]\n"
    )
    cubes = straight(f"let b = {matrix(2, 6)}\nlet c = reshape(b, 2, 2, 3)\nprint c\nprint permute(c, 1, 0, 2)\n")
    lines, printed = unchain(cubes.program.term)
    assert isinstance(printed, Tuple)
    added = binding([*lines, ("d", Op("add", printed.parts))], Tuple((Var("d"),)))
    programs = [matrices, replace(cubes, program=replace(cubes.program, term=added))]
    found = results(programs, lambda machine, line: emit(machine, line, LIMITED[limits]))
    expected = results(programs, plain)
    assert all(map(identical, found, expected))
    assert expected[0][1].tolist() == [[np.inf, -np.inf]]


def kernels(source: str, limits: Limits = LIMITS, fusion: Fusion = FUSION):
    line = straight(source)
    lines, printed = unchain(line.program.term)
    assert isinstance(printed, Tuple)
    values = graph(line.point, lines, printed.parts, {})
    return values, schedule(values, limits, fusion)


def matrix(rows: int, columns: int) -> str:
    return str([[float(i * columns + j + 1) for j in range(columns)] for i in range(rows)])


def test_rearrangements_are_not_computed():
    values, _ = kernels(
        f"let a = {matrix(2, 3)}\nlet b = {matrix(1, 3)}\nprint transpose(a * b) @ reshape(permute(a, 1, 0), 2, 3)\n"
    )
    # A transposed matrix in another shape is the one thing here that no strides say: it is copied.
    assert [node.kind for node in values.nodes] == ["given", "given", "map", "map", "product"]
    values, _ = kernels(f"let a = {matrix(2, 3)}\nprint transpose(a) @ a\nprint a - row_max(a)\n")
    assert [node.kind for node in values.nodes] == ["given", "product", "reduce", "map"]


def test_a_softmax_is_one_kernel_and_its_rows_are_all_that_is_kept():
    softmax = "let e = exp(a - row_max(a))\nprint e / row_sum(e)\n"
    _, made = kernels(f"let a = {matrix(4, 3)}\n{softmax}")
    assert len(made.kernels) == 1 and len(made.kernels[0].segments) == 1
    _, made = kernels(f"let a = {matrix(4, 30)}\n{softmax}")
    # Three loops along a row: the maximum, the exponentials and their sum, the quotients.
    assert [segment.length for segment in made.kernels[0].segments] == [30, 30, 30]
    _, made = kernels(f"let a = {matrix(4, 30)}\n{softmax}", fusion=LOOPS_APART)
    assert [segment.length for segment in made.kernels[0].segments] == [30, 30, 30, 30, 30]
    _, made = kernels(f"let a = {matrix(4, 30)}\n{softmax}", fusion=KERNELS_APART)
    assert len(made.kernels) == 5


def test_what_a_product_needs_whole_is_in_a_kernel_before():
    _, made = kernels(f"let a = {matrix(3, 3)}\nlet b = exp(a)\nprint b @ b\n")
    assert [place.kernel for place in made.places] == [-1, 0, 1]
    _, made = kernels(f"let a = {matrix(3, 3)}\nlet b = exp(a)\nprint b @ a\n")
    assert [place.kernel for place in made.places] == [-1, 0, 0]


def test_strides_are_those_of_rows_one_after_the_other():
    assert strides((2, 3, 4)) == (12, 4, 1)
    assert strides((2, 1, 4)) == (4, 0, 1)


@compiles
def test_costs_are_found_at_their_lines():
    """A product on line 4 costs more than a map on line 3, at either level."""
    source = f"let a = {matrix(20, 20)}\n# a comment\nlet b = a * 2.0\nprint a @ b\n"
    program = compiled(straight(source), "exact").source()
    try:
        counted = callgrind.count(native.build(program, "O0", lines=True))
    except ToolMissing as missing:
        pytest.skip(str(missing))
    by_line = callgrind.of_file(counted, "p.mg")
    assert by_line[4] > by_line[3] > 400


@compiles
def test_memory_is_that_of_whole_arrays_and_rows():
    """A quotient is needed whole for a product, 400 doubles, beside the result, 400; what is divided is not."""
    line = straight(f"let a = {matrix(20, 20)}\nlet b = exp(a - 400.0) / (a + 1.0)\nprint b @ b\n")
    assert native.peak_memory(native.build(compiled(line, "exact").source(memory=True))) == 8 * 800
    assert native.peak_memory(native.build(compiled(line).source(memory=True))) == 8 * 1200
