"""Cost mutants leave values as they are, accuracy mutants leave them within a loose tolerance at ordinary points."""

from random import Random

import numpy as np
import pytest

from harness.checks.compositions import knowing
from harness.checks.subject import UNMUTATED
from harness.families import projection
from harness.theorem import FIGURES
from mutants.catalogue.all import CATALOGUE
from transforms.array_rules import TABLE
from transforms.chad.elaborate import elaborate
from transforms.chad.theorem import judge
from transforms.chad.types import REAL as CORE_REAL
from transforms.composed_rules import COMPOSED
from transforms.drivers import counts, gradient
from transforms.parse import parse
from transforms.syntax import Op, Program, Var
from transforms.types import REAL, Array

TEXTS = (
    "let u = x * y in let v = u + u in v * v - 2 * x",
    "let p = <x, x - y, y> in case p of <a, b, c> -> case p of <d, e, f> -> a * f",
    "let dead = sqrt(x * x) in exp(-y) / (x + 3) * relu(x)",
    "match sign x with inl s -> x * y | inr n -> y",
)
POINT = {"x": 1.3, "y": -0.7}
SUM = Op("reduce", (Op("matmul", (Var("a"), Var("b"))),), (("axis", 0), ("kind", "sum")))
ARRAYS = Program(
    (("a", Array((2, 3))), ("b", Array((3, 1)))),
    Op("mul", (
        Op("broadcast",
           (SUM,), (("shape", (3, 2)),)),
        Op("transpose", (Var("a"),)),
    )),
)  # fmt: skip
MATRICES = {"a": np.array([[1.0, -2.0, 0.5], [0.3, 1.1, -0.9]]), "b": np.array([[0.7], [-1.2], [2.0]])}


def gradients(subject):
    for judged in subject.transformations.values():
        for text in TEXTS:
            yield from gradient(judged, parse(text), POINT, -1.7).cotangent.values()
        ct = np.arange(1.0, 7.0).reshape(3, 2)
        yield from (entry for part in gradient(judged, ARRAYS, MATRICES, ct).cotangent.values() for entry in part.flat)


RIGHT = list(gradients(UNMUTATED))
PROJECTIONS = elaborate(projection(5)), 1.0
COST = [mutant for mutant in CATALOGUE if mutant.breaks == "cost"]


@pytest.mark.parametrize("mutant", [m for m in COST if m.change_core is None], ids=lambda m: m.id)
def test_cost_mutants_compute_the_same(mutant):
    assert list(gradients(mutant.applied(UNMUTATED))) == pytest.approx(RIGHT, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("mutant", [m for m in COST if m.change_core is not None], ids=lambda m: m.id)
def test_costlier_clauses_of_the_theorem_compute_the_same_and_cost_more(mutant):
    clauses = mutant.applied(UNMUTATED).core
    more = 0
    for program, cotangent in (*[(program, d) for _, program, d, *_ in FIGURES], PROJECTIONS):
        inputs = [2.0 if x.type is CORE_REAL else (2.0, 3.0) for x in program.context]
        right, found = judge(program, inputs, cotangent), judge(program, inputs, cotangent, clauses)
        assert found.gradient == right.gradient
        more += found.cost - right.cost
    assert more > 0


ACCURACY = [m for m in CATALOGUE if m.breaks == "accuracy" and m.target.startswith("rules.")]


def of_composition(mutant):
    return mutant.target.split(".")[1] in COMPOSED


@pytest.mark.parametrize("mutant", [m for m in ACCURACY if of_composition(m)], ids=lambda m: m.id)
def test_accuracy_mutants_of_compositions_are_right_where_rows_are_alike(mutant):
    program = Program((("x", Array((2, 3))),), Op(mutant.target.split(".")[1], (Var("x"),)))
    ct = np.array([[1.5, 0.0, -2.0], [0.5, 0.25, 1.0]])

    def found(subject):
        judged = knowing(subject).transformations["accumulator"]
        return gradient(judged, program, {"x": MATRICES["a"]}, ct)

    wrong, right = found(mutant.applied(UNMUTATED)), found(UNMUTATED)
    assert np.allclose(wrong.primal, right.primal, rtol=1e-14)
    assert np.allclose(wrong.cotangent["x"], right.cotangent["x"], rtol=1e-13)


@pytest.mark.parametrize("mutant", [m for m in ACCURACY if not of_composition(m)], ids=lambda m: m.id)
def test_accuracy_mutants_are_right_to_nine_digits_at_ordinary_points(mutant):
    name, rng = mutant.target.split(".")[1], Random(3)
    statics = {"k": 1.7} if name.startswith("k_") or name.endswith("_k") else {}
    arity = 2 if name in ("div", "max", "min", "pow") else 1
    context = tuple([(f"x{k}", REAL) for k in range(arity)])
    program = Program(context, Op(name, tuple([Var(x) for x, _ in context]), tuple(statics.items())))
    wrong = next(iter(mutant.applied(UNMUTATED).transformations.values()))
    right = next(iter(UNMUTATED.transformations.values()))
    for _ in range(20):
        point = {x: rng.uniform(0.5, 3.0) for x, _ in context}
        one, other = (gradient(judged, program, point, 1.3) for judged in (right, wrong))
        assert other.primal == pytest.approx(one.primal, rel=1e-9)
        assert other.cotangent == pytest.approx(one.cotangent, rel=1e-9)


def test_the_mutants_of_counts_count_otherwise():
    names = {"machine.free-writes", "let.per-path", "op.computed-again"}
    program = parse("let u = x * 0 in <u * (x + y), u>")
    for mutant in CATALOGUE:
        if mutant.id in names:
            wrong = mutant.applied(UNMUTATED).transformations
            assert any(
                counts(wrong[name], program, {"x": 0.0, "y": 2.0}) != counts(judged, program, {"x": 0.0, "y": 2.0})
                for name, judged in UNMUTATED.transformations.items()
            ), mutant.id


def test_the_table_is_what_is_mutated():
    assert all(judged.rules is TABLE for judged in UNMUTATED.transformations.values())
