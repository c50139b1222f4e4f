"""Each row of the rule table, alone, against an evaluator that shares no code with it."""

from __future__ import annotations

import math
import random
import shutil
import subprocess
import sys
from dataclasses import fields
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from harness import reference
from harness.reference_tape import Undefined
from transforms import numeric
from transforms.errors import ShapeMismatch
from transforms.machines.counting import Counting
from transforms.rules import OPERATIONS, REALS, RULES, Minus, Rule, arity, elementwise
from transforms.syntax import Op, Var
from transforms.types import REAL, Array, Product

NAMES = sorted(RULES)
TINY, HUGE = sys.float_info.min, sys.float_info.max
ULPS = {name: 4 if name in ("add", "sub", "mul", "div", "neg") else 8 for name in NAMES}


def derivatives(
    rule: Rule, args: tuple[float, ...], ct: float = 1.0
) -> tuple[list[float], list[float], dict[str, int]]:
    """From one pullback and one tangent for each argument: the partial derivatives, and the pullback's operations."""
    m = Counting(RULES)
    given = [m.constant(arg) for arg in args]
    result = m.constant(rule.evaluate(*args))
    parts = [
        -part.ct.value if isinstance(part, Minus) else part.value
        for part in rule.pullback(m, m.constant(ct), result, *given)
    ]
    by_kind = dict(m.by_kind)
    tangents = []
    for j in range(len(args)):
        unit = [m.constant(ct if k == j else 0.0) for k in range(len(args))]
        tangents.append(rule.tangent(m, result, *given, *unit).value)
    return parts, tangents, by_kind


def inside(name: str, args: tuple[float, ...]) -> bool:
    return bool(RULES[name].domain.contains(*args))


def arguments(name: str, seed: int, count: int) -> list[tuple[float, ...]]:
    """Arguments over the whole range of doubles, where the primitive is defined and has one derivative."""
    rng = random.Random(f"{name}/{seed}")

    def draw() -> float:
        kind = rng.random()
        if kind < 0.4:
            size = rng.uniform(0.01, 5.0)
        elif kind < 0.7:
            size = rng.uniform(5.0, 720.0)
        else:
            size = math.exp(rng.uniform(math.log(TINY), math.log(HUGE)))
        return math.copysign(size, rng.random() - 0.5)

    found = []
    for _ in range(100 * count):
        if len(found) == count:
            return found
        args = tuple(draw() for _ in range(arity(RULES[name].evaluate)))
        if name == "pow":
            base = abs(args[0])
            exponents = (rng.uniform(-1.0, 1.0) * 720.0 / abs(math.log(base)), rng.uniform(-4.0, 4.0))
            args = base, rng.choice(exponents)
        if name in ("sin", "cos") and abs(args[0]) > 1e6:  # the reference would need the whole expansion of pi
            continue
        if inside(name, args):
            found.append(args)
    pytest.fail(f"{name} is hardly anywhere defined")


def normal(x: float) -> bool:
    return TINY <= abs(x) <= HUGE


def test_a_rule_without_restrictions_is_defined_everywhere():
    assert REALS.contains(-0.5) is True
    assert REALS.contains(np.zeros(3), math.inf, k=math.nan) is True


@pytest.mark.parametrize("name", NAMES)
def test_no_field_is_missing(name: str):
    rule = RULES[name]
    assert rule.name == name
    for field in fields(rule):
        assert getattr(rule, field.name) is not None
    assert rule.c and rule.domain.text and rule.shape(*[REAL] * arity(rule.evaluate)) == REAL


@pytest.mark.parametrize("name", NAMES)
def test_an_array_has_the_values_of_its_entries_at_the_ends_of_the_range_too(name: str):
    ends = (-math.inf, -HUGE, -1.0, -0.0, 0.0, TINY, 1.0, HUGE, math.inf, math.nan)
    evaluate = RULES[name].evaluate
    points = list(product(ends, repeat=arity(evaluate)))
    with np.errstate(all="ignore"):
        found = evaluate(*np.array(points).T)
    assert_allclose(found, [evaluate(*args) for args in points], rtol=1e-14, atol=0)


@pytest.mark.parametrize("name", NAMES)
def test_values_and_derivatives_are_right_to_a_few_ulp_over_the_whole_range(name: str):
    limit = ULPS[name] * sys.float_info.epsilon
    variables = [f"x{k}" for k in range(arity(RULES[name].evaluate))]
    term = Op(name, tuple(Var(x) for x in variables))
    checked = 0
    for args in arguments(name, 0, 150):
        value = float(reference.evaluate(term, dict(zip(variables, args, strict=True))))
        if normal(value):
            assert RULES[name].evaluate(*args) == pytest.approx(value, rel=limit, abs=0), args
        parts, tangents, _ = derivatives(RULES[name], args)
        for j, found in enumerate(parts):
            expected = float(reference.partial(name, args, j))
            if normal(expected):
                checked += 1
                assert found == pytest.approx(expected, rel=limit, abs=0), (args, j)
                assert tangents[j] == pytest.approx(expected, rel=limit, abs=0) or not normal(args[j]), (args, j)
    assert checked >= 40


@pytest.mark.parametrize("name", NAMES)
def test_the_counter_agrees_with_the_claimed_cost(name: str):
    rule = RULES[name]
    types = [REAL] * arity(rule.evaluate)
    for args in arguments(name, 1, 5):
        assert derivatives(rule, args)[2] == dict(rule.cost(*types))


@pytest.mark.parametrize("name", NAMES)
def test_the_claimed_cost_is_that_of_a_real_for_each_entry(name: str):
    rule = RULES[name]
    count = arity(rule.evaluate)
    one, six = rule.cost(*[REAL] * count), rule.cost(*[Array((2, 3))] * count)
    assert six == {kind: 6 * n for kind, n in one.items()}
    assert all(isinstance(n, int) for n in six.values())


def test_shapes_that_elementwise_rows_refuse_are_named():
    with pytest.raises(ShapeMismatch, match=r"^expected real or an array, found \(real, real\)$"):
        elementwise(Product((REAL, REAL)))
    with pytest.raises(ShapeMismatch, match=r"^expected arguments of one shape, found real\[2,3\] and real$"):
        elementwise(Array((2, 3)), REAL)


CLAIMED = {
    "add": 0, "sub": 0, "neg": 0, "mul": 2, "div": 2, "sin": 2, "cos": 2, "exp": 1, "log": 1, "sqrt": 2,
    "sigmoid": 4, "tanh": 8, "abs": 2, "relu": 2, "max": 5, "min": 5, "pow": 8,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_claimed_cost_is_within_its_limit(name: str):
    types = [REAL] * arity(RULES[name].evaluate)
    assert sum(RULES[name].cost(*types).values()) <= CLAIMED[name]


CONVENTIONS = [(name, convention) for name, rule in RULES.items() for convention in rule.conventions]


@pytest.mark.parametrize(("name", "convention"), CONVENTIONS)
def test_conventions_hold_in_both_modes(name: str, convention):
    parts, tangents, _ = derivatives(RULES[name], convention.at)
    expected = pytest.approx(list(convention.partials), rel=1e-15)
    assert parts == expected
    assert tangents == expected


def test_kinks_are_the_stated_ones():
    stated = {(name, convention.at): convention.partials for name, convention in CONVENTIONS}
    assert stated["abs", (0.0,)] == (0.0,)
    assert stated["relu", (0.0,)] == (1.0,)
    assert stated["sqrt", (0.0,)] == (math.inf,)
    assert stated["max", (2.0, 2.0)] == stated["min", (2.0, 2.0)] == (0.5, 0.5)
    assert stated["pow", (0.0, 0.0)][0] == 0.0
    assert stated["pow", (0.0, 1.0)] == (1.0, 0.0)


@pytest.mark.parametrize(("name", "at"), [("sqrt", (0.0,)), ("pow", (0.0, 0.5))])
def test_a_zero_cotangent_passes_zero_through_an_infinite_derivative(name: str, at: tuple[float, ...]):
    parts, tangents, _ = derivatives(RULES[name], at, ct=0.0)
    assert parts[0] == tangents[0] == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_domains_contain_what_the_reference_can_evaluate(name: str):
    variables = [f"x{k}" for k in range(arity(RULES[name].evaluate))]
    term = Op(name, tuple(Var(x) for x in variables))
    grid = (-2.5, -1.0, 0.0, 0.5, 2.0)
    for args in [(a,) for a in grid] if len(variables) == 1 else [(a, b) for a in grid for b in grid]:
        try:
            reference.evaluate(term, dict(zip(variables, args, strict=True)))
            defined = True
        except Undefined:
            defined = False
        assert inside(name, args) == defined, args


def test_ieee_results_where_python_raises():
    assert numeric.div(1.0, 0.0) == math.inf and numeric.div(-1.0, 0.0) == -math.inf
    assert math.isnan(numeric.div(0.0, 0.0))
    assert numeric.exp(1e3) == math.inf and numeric.cosh(1e3) == math.inf
    assert numeric.log(0.0) == -math.inf and math.isnan(numeric.log(-1.0)) and math.isnan(numeric.sqrt(-1.0))
    assert numeric.pow(0.0, -1.0) == math.inf and numeric.pow(-1e200, 3.0) == -math.inf
    assert math.isnan(numeric.sin(math.inf)) and math.isnan(numeric.cos(math.nan))


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler: install one with apt-get install gcc")
def test_c_templates_compute_what_evaluate_does(tmp_path: Path):
    """Every row's C expression, compiled, at ordinary and extreme arguments."""
    cases = []
    for name, row in {**RULES, **OPERATIONS}.items():
        count = arity(row.evaluate)
        grid = (-700.0, -2.0, -0.5, 0.0, 0.25, 1.0, 3.0, 1e-300, 1e300)
        cases += [
            (name, args) for args in ([(a,) for a in grid] if count == 1 else [(a, b) for a in grid for b in grid])
        ]
    lines = []
    for name, args in cases:
        row = RULES[name] if name in RULES else OPERATIONS[name]
        lines.append(f'printf("%a\\n", (double)({row.c.format(*[f"x[{k}]" for k in range(len(args))])}));')
        lines[-1] = f"x[0] = {args[0].hex()}; x[1] = {args[-1].hex()}; " + lines[-1]
    source = tmp_path / "templates.c"
    source.write_text(
        "#include <math.h>\n#include <stdio.h>\nvolatile double x[2];\nint main(void) {\n" + "\n".join(lines) + "\n}\n"
    )
    subprocess.run(
        ["cc", "-std=c11", "-O0", "-ffp-contract=off", source, "-o", tmp_path / "templates", "-lm"], check=True
    )
    printed = subprocess.run([tmp_path / "templates"], capture_output=True, text=True, check=True).stdout.split()
    assert len(printed) == len(cases) > 500
    for (name, args), text in zip(cases, printed, strict=True):
        row = RULES[name] if name in RULES else OPERATIONS[name]
        expected, found = row.evaluate(*args), float.fromhex(text)
        assert found == pytest.approx(expected, rel=1e-14, abs=1e-320, nan_ok=True), (name, args)
