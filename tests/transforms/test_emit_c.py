"""The C machine: what the C program computes is what the table says, and its text holds nothing of the user's."""

from __future__ import annotations

import re
import subprocess
from itertools import permutations, product
from math import inf, nan
from random import Random
from typing import Any

import numpy as np
import pytest

from harness import families, native
from harness.compiled import Emitted, gradient, value
from harness.random_terms import random_program
from transforms.array_rules import TABLE
from transforms.drivers import TRANSFORMATIONS, counts
from transforms.drivers import gradient as interpreted_gradient
from transforms.errors import AdjudgeError, NeedsPoint
from transforms.machines.c_nests import NESTS
from transforms.machines.c_text import PART, escaped, literal
from transforms.machines.emit_c import EmitC
from transforms.parse import parse
from transforms.rules import OPERATIONS, Rule, arity

ROWS = {**OPERATIONS, **TABLE}
ELEMENTWISE = [name for name in ROWS if name not in NESTS and name != "reshape"]
NUMBERS = [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, -2.5, 3.0, 20.0, 1e-300, -1e300, 5e-324, 710.0, -746.0, inf, -inf, nan]
AXES = tuple(permutations(range(3)))
BOTH = pytest.mark.parametrize("name", TRANSFORMATIONS)


def compiler() -> bool:
    try:
        return bool(native.toolchain())
    except AdjudgeError:
        return False


compiles = pytest.mark.skipif(not compiler(), reason="no C compiler")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))


@compiles
def test_every_elementwise_row_computes_in_c_what_it_evaluates_to():
    """At zeros, infinities, NaN and the ends of the range, to 4 units in the last place."""
    machine = EmitC(TABLE)
    grid = np.array(list(product(NUMBERS, NUMBERS)))
    arrays = [machine.given(np.ascontiguousarray(column)) for column in grid.T]
    statics = {name: {"k": -2.5} if "k" in name.split("_") else {} for name in ELEMENTWISE}
    results = [machine.apply(n, *arrays[: arity(ROWS[n].evaluate)], **statics[n]) for n in ELEMENTWISE]
    for name, found in zip(ELEMENTWISE, Emitted(machine, tuple(results)).run(), strict=True):
        row = ROWS[name]
        for point, entry in zip(grid.tolist(), found.tolist(), strict=True):
            args = [np.array(x) if statics[name] else x for x in point[: arity(row.evaluate)]]
            if isinstance(row, Rule) and not np.all(row.domain.contains(*args, **statics[name])):
                continue
            with np.errstate(all="ignore"):
                expected = float(row.evaluate(*args, **statics[name]))
            same = entry == expected or abs(entry - expected) <= 4 * np.spacing(abs(expected))
            assert same or (np.isnan(entry) and np.isnan(expected)), (name, args, entry, expected)


@compiles
@pytest.mark.parametrize("level", ["O0", "O2"])
def test_every_other_row_goes_through_the_right_entries(level: str):
    rng = np.random.default_rng(1)
    cases: list[tuple[str, list[tuple[int, ...]], dict[str, Any]]] = [
        ("matmul", [(2, 3), (3, 4)], {}), ("matmul", [(1, 1), (1, 5)], {}), ("matmul", [(4, 1), (1, 1)], {}),
        ("transpose", [(2, 3)], {}), ("transpose", [(1, 4)], {}), ("transpose", [(1, 1)], {}),
        ("reshape", [(2, 6)], {"shape": (3, 2, 2)}),
        *(("reduce", [shape], {"axis": axis, "kind": kind})
          for shape in [(3, 4), (1, 4), (4, 1)] for axis in (0, 1) for kind in ("sum", "max")),
        *(("broadcast", [shape], {"shape": (3, 4)}) for shape in [(3, 4), (1, 4), (3, 1), (1, 1)]),
        ("broadcast", [(1, 1)], {"shape": (1, 1)}), ("broadcast", [(1, 4)], {"shape": (1, 4)}),
        *(("permute", [(2, 3, 4)], {"permutation": p}) for p in AXES),
        ("permute", [(2, 1, 3, 2, 2)], {"permutation": (4, 1, 2, 3, 0)}), ("permute", [(5,)], {"permutation": (0,)}),
    ]  # fmt: skip
    machine = EmitC(TABLE)
    data = [[rng.standard_normal(shape) for shape in shapes] for _, shapes, _ in cases]
    results = [
        machine.apply(name, *map(machine.given, args), **statics)
        for (name, _, statics), args in zip(cases, data, strict=True)
    ]
    found = Emitted(machine, tuple(results)).run(level)
    for (name, _, statics), args, array in zip(cases, data, found, strict=True):
        assert np.allclose(array, ROWS[name].evaluate(*args, **statics), rtol=1e-14, atol=0), (name, statics)
        assert array.shape == np.shape(ROWS[name].evaluate(*args, **statics))


@compiles
def test_arrays_of_one_literal_take_part_without_storage():
    machine = EmitC(TABLE)
    ones, a = machine.constant(np.ones((2, 3))), machine.given(np.arange(6.0).reshape(2, 3))
    results = machine.add(a, ones), machine.matmul(a, machine.transpose(ones)), machine.reduce(ones, axis=1, kind="sum")
    found = Emitted(machine, (*results, ones)).run()
    expected = ([[1, 2, 3], [4, 5, 6]], [[3, 3], [12, 12]], [[3], [3]], [[1, 1, 1], [1, 1, 1]])
    assert [array.tolist() for array in found] == [*expected]
    assert [s.name for s in machine.storage if s.data is not None] == [a.base]


@compiles
def test_arrays_of_several_literals_are_data():
    machine = EmitC(TABLE)
    found = Emitted(
        machine, tuple([machine.neg(machine.constant(np.array(x))) for x in ([0.0, -0.0], [1.5, 2.0])])
    ).run()
    assert [[str(x) for x in array] for array in found] == [["-0.0", "0.0"], ["-1.5", "-2.0"]]


def test_axes_that_stay_together_are_one_loop():
    machine = EmitC(TABLE)
    a = machine.given(np.zeros((2, 3, 4)))
    loops = {p: machine.permute(a, permutation=p) and machine.statements[-1].text.count("for (") for p in AXES}
    assert loops == {(0, 1, 2): 1, (0, 2, 1): 3, (1, 0, 2): 3, (1, 2, 0): 2, (2, 0, 1): 2, (2, 1, 0): 3}


@compiles
def test_literals_are_the_same_doubles_and_stand_behind_a_minus_sign():
    numbers = [1e308, -1e308, 5e-324, 0.1, -0.0, 1e16, -1.0, 123456789.0, inf, -inf]
    machine = EmitC(TABLE)
    results = tuple([machine.neg(machine.constant(x)) for x in numbers])
    assert [str(x) for x in Emitted(machine, results).run()] == [str(-x) for x in numbers]
    assert literal(nan) == "NAN"


@compiles
@BOTH
def test_arrays_in_the_context_and_nested_tuples(name: str):
    text = "context: w: real[2,3], p: (real[3], (real, ())), u: real[2,3] |- case p of <a, q> -> case q of <b, c> -> "
    program = parse(text + "let y = w * relu(w) in <y, <b * b, a, p>>")
    rng = np.random.default_rng(2)
    w, ct, a, g = (rng.standard_normal(shape) for shape in [(2, 3), (2, 3), (3,), (3,)])
    point = {"w": w, "p": (a, (2.0, ())), "u": w}
    cotangent = (ct, (0.5, g, (a, (3.0, ()))))
    primal, received = gradient(TRANSFORMATIONS[name], program, point, cotangent).run()
    assert np.array_equal(primal[0], w * np.maximum(w, 0.0))
    assert np.array_equal(received[0], np.where(w > 0, 2 * w, 0.0) * ct)
    assert np.array_equal(received[1][0], g + a) and received[1][1] == (2 * 2.0 * 0.5 + 3.0, ())
    assert np.array_equal(received[2], np.zeros((2, 3)))


@BOTH
def test_each_operation_is_one_statement(name: str):
    """Apart from what is written into slots: copies, cleared tuples, and sums of tuples, which are many additions."""
    for seed in range(20):
        sample = random_program(Random(seed), result=None, smooth=False)
        emitted = gradient(TRANSFORMATIONS[name], sample.program, sample.point, sample.cotangent)
        computed = [s for s in emitted.machine.statements if re.match(r"[vg]\d+ = ", s.text)]
        tuples = [int(n) for s in emitted.machine.statements for n in re.findall(r"^sum\(.*, (\d+)\);", s.text)]
        assert len(computed) + sum(tuples) == counts(TRANSFORMATIONS[name], sample.program).operations


@pytest.mark.parametrize(("name", "limit"), [("pointwise", 11), ("accumulator", 5)])
def test_storage_grows_in_proportion_to_the_program(name: str, limit: int):
    """Tuples are as long as the context, but arrays that are not alive together share storage."""
    program = families.product(300)
    source = gradient(TRANSFORMATIONS[name], program, families.at_ones(program), 1.0).source()
    arrays = [int(n) for n in re.findall(r"^double b\d+\[(\d+)\];", source, re.MULTILINE)]
    variables = re.findall(r"^double [vgs]\d+;", source, re.MULTILINE)
    assert sum(arrays) + len(variables) <= limit * 300


@compiles
def test_storage_is_not_shared_while_it_is_alive():
    """Ten arrays, each of another size, summed in the end: any overlap would show."""
    machine = EmitC(TABLE)
    a = machine.given(np.arange(1.0, 4.0).reshape(3, 1))
    stretched = [machine.broadcast(machine.mul_k(a, k=float(k)), shape=(3, k)) for k in range(1, 11)]
    sums = tuple([machine.reduce(machine.reduce(x, axis=1, kind="sum"), axis=0, kind="sum") for x in stretched])
    assert [x.item() for x in Emitted(machine, sums).run()] == [6.0 * k * k for k in range(1, 11)]
    assert [x.item() for x in Emitted(machine, sums[::-1]).run("O2")] == [6.0 * k * k for k in range(10, 0, -1)]


def test_functions_stay_short_and_roi_calls_them_all():
    program = families.doubling(5 * PART)
    source = value(program, {"x": 1.0}).source()
    parts = re.findall(r"^APART void (part\d+)\(void\) \{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL)
    assert len(parts) == 5
    assert all(body.count(";") <= PART for _, body in parts)
    roi = source[source.index("APART void roi") :]
    assert re.findall(r"part\d+", roi) == [name for name, _ in parts]
    assert roi[: roi.index("}")].endswith('\n    __asm__ volatile("" ::: "memory");\n'), "or the last call is a jump"


def test_inputs_are_external_and_not_const():
    source = value(parse("x * y"), {"x": 3.0, "y": 5.0}).source()
    assert re.findall(r"^.*(?:3\.0|5\.0).*$", source, re.MULTILINE) == [
        "double x0 = 3.0; /* x */",
        "double x1 = 5.0; /* y */",
    ]


HOSTILE = '*/ int x; /* "\n#include "/etc/passwd" ??/\\'


def test_no_text_of_the_user_s_gets_into_the_program_unescaped():
    assert re.fullmatch(r"[\w ./+=,:@()\[\]-]*", escaped(HOSTILE))
    assert not re.search(r"[^\x20-\x7e]|[\"*?\\]", escaped(HOSTILE + "é\x00\u2028"))
    machine = EmitC(TABLE)
    machine.line = 7
    result = machine.exp(machine.given(1.0, HOSTILE))
    source = machine.source((result,), file=HOSTILE, stop=HOSTILE)
    text = escaped(HOSTILE)
    assert f'#line 7 "{text}"' in source and f"/* {text} */" in source
    assert "passwd" not in source.replace(text, "")


@compiles
def test_a_hostile_name_compiles_and_a_message_comes_out_as_it_is():
    machine = EmitC(TABLE)
    machine.line = 7
    emitted = Emitted(machine, machine.exp(machine.given(1.0, HOSTILE)), HOSTILE, HOSTILE)
    assert emitted.run() == pytest.approx(np.e, rel=1e-15)
    done = subprocess.run([native.build(emitted.source())], capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (134, HOSTILE + "\n")


def test_branches_are_refused():
    program = parse("match sign x with inl s -> x | inr z -> 2 * x")
    with pytest.raises(NeedsPoint):
        value(program, {"x": 1.0})


@compiles
def test_a_memory_build_counts_the_doubles_alive_at_once():
    """Inputs and literals are none of them; a reshape is not another array; what is printed is alive to the end."""
    machine = EmitC(TABLE)
    a = machine.given(np.ones((2, 3)))  # alive at once:
    b = machine.exp(a)  # 6
    c = machine.reduce(machine.reshape(b, shape=(3, 2)), axis=1, kind="sum")  # 6 + 3
    d = machine.matmul(machine.constant(np.ones((4, 3))), c)  # 3 + 4
    e = machine.broadcast(d, shape=(4, 5))  # 4 + 20
    f = machine.mul(e, e)  # 20 + 20
    for results, expected in (((f,), 40), ((f, b), 46), ((f, c), 43)):
        built = native.build(Emitted(machine, results).source(memory=True))
        assert native.peak_memory(built) == 8 * expected
        assert native.run(built)[0].tolist() == Emitted(machine, results).run()[0].tolist()


@compiles
@BOTH
def test_a_memory_build_computes_the_same(name: str):
    program = families.product(6)
    point = {f"x{k}": 1.0 + k / 8 for k in range(1, 7)}
    emitted = gradient(TRANSFORMATIONS[name], program, point, 2.0)
    found = interpreted_gradient(TRANSFORMATIONS[name], program, point, 2.0)
    numbers = [float(x) for x in native.run(native.build(emitted.source(memory=True)))]
    assert numbers == [found.primal, *found.cotangent.values()]


@compiles
def test_scalars_and_arrays_of_the_same_program_at_both_levels():
    program = parse("context: x: real, w: real[4] |- <sin(x) / x, w * w - w>")
    point = {"x": 0.5, "w": np.array([1.0, -2.0, 0.25, 1e200])}
    low, high = (value(program, point).run(level) for level in ("O0", "O2"))
    assert low[0] == high[0] == pytest.approx(np.sin(0.5) / 0.5, rel=1e-15)
    assert low[1].tolist() == high[1].tolist() == [0.0, 6.0, -0.1875, inf]
