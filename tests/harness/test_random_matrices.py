"""Random programs of Mountain Goat: what they are, and that every piece of the language agrees on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness import compiled, native, reference
from harness.matrix_statistics import FORMS, STRETCHES, statistics
from harness.random_matrices import MatrixSample, random_matrices
from harness.valued_matrices import LIMIT
from transforms.errors import AdjudgeError
from transforms.machines.syntax import binding
from transforms.mountain_goat import mlir
from transforms.mountain_goat.gradients import gradient
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lines import Line, needed, renamed, substituted, unchain
from transforms.mountain_goat.located import located
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.write import write
from transforms.syntax import Program, Tuple, Var

TIE = 1e-6
"""How far programs stay away from ties and kinks."""

RANDOM = st.randoms(use_true_random=True)


def straight(source: str) -> Straight:
    return inline(lower(source, "p.mg"), source)


def every_value(line: Straight) -> dict[str, np.ndarray]:
    """The value of each variable of a straight line."""
    lines, _ = unchain(line.program.term)
    names = [name for name, _ in (*line.program.context, *lines)]
    program = Program(line.program.context, binding(lines, Tuple(tuple(map(Var, names)))))
    return dict(zip(names, run(replace(line, program=program)), strict=True))


def agree(found: Sequence[np.ndarray], expected: Sequence[np.ndarray], tolerance: float) -> bool:
    return len(found) == len(expected) and all(
        a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance)) for a, b in zip(found, expected, strict=True)
    )


def rounding(line: Straight) -> float:
    """What two ways of running a program may differ by: 1e-12 of the largest intermediate."""
    return 1e-12 * max(float(np.max(np.abs(value))) for value in every_value(line).values())


# What holds of every program.


def prints_what_its_maker_computed(sample: MatrixSample, line: Straight) -> None:
    assert agree(run(line), sample.values, rounding(line))


def stays_away_from_ties(line: Straight) -> None:
    values = every_value(line)
    for _, operation in unchain(line.program.term)[0]:
        a, *others = [values[x.name] if isinstance(x, Var) else np.asarray(x.value) for x in operation.args]  # type: ignore[union-attr]
        statics = dict(operation.statics)
        if operation.name == "relu":
            assert np.min(np.abs(a)) > TIE
        elif operation.name == "ge":
            assert np.min(np.abs(a - others[0])) > TIE
        elif operation.name == "reduce" and statics["kind"] == "max":
            *_, second, first = [-np.inf, *np.moveaxis(np.sort(a, statics["axis"]), statics["axis"], 0)]
            assert np.min(first - second) > TIE


def reads_back(source: str) -> None:
    """In both languages: the text of what is read is the text, and prints the same numbers to the bit."""
    line, module = straight(source), lower(source, "p.mg")
    text, dialect = write(line), mlir.write(module)
    assert write(straight(text)) == text
    assert mlir.write(mlir.read(dialect)) == dialect
    printed = [value.tobytes() for value in run(line)]
    for again in (straight(text), inline(mlir.read(dialect))):
        assert [value.tobytes() for value in run(again)] == printed


def slopes_are_those_of_the_reference(sample: MatrixSample, line: Straight) -> Straight:
    """The gradient at every entry, through text; returns its program."""
    generated = gradient(line, sample.wrt, sample.loss).straight
    reads_back(write(generated))
    loss, *found = run(generated)
    assert loss.tobytes() == run(line)[sample.loss].tobytes()
    seed = tuple([np.full(value.shape, float(k == sample.loss)) for k, value in enumerate(sample.values)])
    exact, scale = [function(line.program, line.point, seed) for function in (reference.vjp, reference.magnitude)]
    for name, slope in zip(located(line, sample.wrt, line.prints[sample.loss]), found, strict=True):
        expected = np.array(exact[name], dtype=float)
        assert np.all(np.abs(slope - expected) <= 1e-10 * np.array(scale[name])), name
    return generated


@settings(max_examples=40)
@given(RANDOM, st.integers(4, 30))
def test_every_piece_agrees_on_random_programs(rng: Random, size: int):
    sample = random_matrices(rng, size=size)
    line = straight(sample.source)
    prints_what_its_maker_computed(sample, line)
    stays_away_from_ties(line)
    reads_back(sample.source)
    slopes_are_those_of_the_reference(sample, line)


def joined(lines: Iterable[Straight]) -> Straight:
    """Programs one after the other as one, so that one compilation does for all."""
    context, point, bound, printed = [], {}, list[Line](), []
    for k, line in enumerate(lines):
        inside, results = unchain(line.program.term)
        names: dict[str, Any] = {name: Var(f"p{k}_{name}") for name, _ in (*line.program.context, *inside)}
        context += [(names[name].name, type_) for name, type_ in line.program.context]
        point |= {names[name].name: value for name, value in line.point.items()}
        bound += renamed(inside, names)
        printed += [substituted(part, names) for part in results.parts]  # type: ignore[union-attr]
    return Straight(Program(tuple(context), binding(bound, Tuple(tuple(printed)))), point, {}, (0,) * len(printed))


def runs_natively_as_in_numpy(lines: Sequence[Straight]) -> None:
    whole = compiled.straight(joined(lines))
    for level in native.LEVELS:
        found = list(whole.run(level))
        for line in lines:
            expected = run(line)
            here, found = [np.asarray(value) for value in found[: len(expected)]], found[len(expected) :]
            assert agree(here, expected, rounding(line)), write(line)
        assert not found


def compiler() -> str:
    try:
        return native.toolchain().command
    except AdjudgeError:
        return ""


@pytest.mark.slow
@pytest.mark.skipif(not compiler(), reason="no C compiler")
def test_every_piece_and_native_code_agree_on_300_programs_with_20_of_every_operation(tmp_path, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path))
    sources = []

    @settings(max_examples=30, phases=[Phase.generate])  # a smaller seed is no smaller program
    @given(RANDOM)
    def holds(rng: Random) -> None:
        lines = []
        for sample in [random_matrices(rng) for _ in range(10)]:
            sources.append(sample.source)
            line = straight(sample.source)
            prints_what_its_maker_computed(sample, line)
            stays_away_from_ties(line)
            reads_back(sample.source)
            lines += [line, slopes_are_those_of_the_reference(sample, line)]
        runs_natively_as_in_numpy(lines)

    holds()
    assert len(set(sources)) >= 300
    is_varied(sources)


# What the programs are.


def is_varied(sources: Iterable[str]) -> None:
    """300 programs have 20 of every operation, of every form of stretching, and 5 of each form with each operation."""
    found = statistics(sources)
    forms = Counter[tuple[str, str]]()
    for stretch, count in found.stretches.items():
        a, _, b = stretch.split()
        forms[a, b] += count
    assert [form for form in FORMS if found.forms[form] < 20] == []
    assert len(forms) == 12 and min(forms.values()) >= 20
    assert [stretch for stretch in STRETCHES if found.stretches[stretch] < 5] == []
    assert min(found.ranks[rank] for rank in (1, 2, 3, 4, 5)) >= 20
    assert min(found.seen[what] for what in ("functions", "calls", "literals", "shadowing")) >= 20


@pytest.fixture(scope="module")
def samples() -> list[MatrixSample]:
    return [random_matrices(Random(seed)) for seed in range(300)]


def test_samples_are_varied(samples):
    is_varied(sample.source for sample in samples)


def test_most_programs_have_a_loss_that_most_of_them_goes_into(samples):
    """Half of the lines at least, in half of the programs; and every loss varies with an input."""
    assert all(sample.wrt and sample.values[sample.loss].shape == (1, 1) for sample in samples)
    shares = []
    for sample in samples:
        lines, printed = unchain(straight(sample.source).program.term)
        shares.append(len(needed(lines, [printed.parts[sample.loss]])) / len(lines))  # type: ignore[union-attr]
    assert np.median(shares) >= 0.5


def test_values_are_moderate(samples):
    for sample in samples[:100]:
        for value in every_value(straight(sample.source)).values():
            assert np.all(np.abs(value) <= LIMIT**2)


def test_a_seed_fixes_the_program():
    first, second, other = (random_matrices(Random(seed)).source for seed in (7, 7, 8))
    assert first == second != other


def test_the_size_is_about_the_number_of_operations(samples):
    short, long = [[random_matrices(Random(seed), size=size).source for seed in range(50)] for size in (5, 50)]
    assert sum(statistics(long).forms.values()) > 3 * sum(statistics(short).forms.values())


def test_statistics_count_what_a_reader_counts():
    found = statistics(
        [
            "def f(a: tensor[1x3], b: tensor[2x1]) = a * b - [[1], [2]]\n"
            "let k = 2.0 * 3.0\nlet x = [[1, 2, 3]]\nlet y = f(x, [[1], [2]])\n"
            "let x = -k / row_sum(-y + k)\nprint ge(y, x)\n",
            "let t = reshape([[1, 2]], 1, 2, 1)\nprint contract(t, (0, 1), t, (0, 1))\n",
        ]
    )
    assert found.forms == Counter(
        ["a * b", "a - b", "k * k", "-a", "-k", "a + k", "row_sum", "k / a", "ge", "reshape", "contract"]
    )
    assert found.stretches == {"1xn * mx1": 1, "mxn - mx1": 1, "mxn ge mx1": 1}
    assert found.seen == {"functions": 1, "calls": 1, "literals": 3, "shadowing": 1}
    assert found.ranks[3] == 2  # what is reshaped, and what a contraction permutes of it
