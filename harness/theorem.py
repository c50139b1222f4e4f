"""Cases of the suite `theorem`: the efficiency theorem's bound, in its own cost model.

    5 + 34 * cost(t) + size(d) + 4 * n

Families and reference programs are elaborated into the core language; random programs are made there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from harness import families
from harness.core_costs import sum_of_constructs
from harness.core_edits import shrunk
from harness.fit import TOLERANCE, growth, polynomial
from harness.random_core import Sample, random_sample
from harness.records import Record, bounded
from transforms.chad.elaborate import elaborate, elaborate_value
from transforms.chad.pretty import show_program
from transforms.chad.primitives import MUL, NEG, literal
from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Pair, Prim, Program, Snd, Unit, Var
from transforms.chad.theorem import CONSTANT, Verdict, judge
from transforms.chad.transform import EFFICIENT, Clauses
from transforms.chad.types import REAL, product
from transforms.chad.values import Left
from transforms.drivers import TRANSFORMATIONS, counts
from transforms.parse import parse
from transforms.syntax import Program as FragmentProgram
from transforms.typecheck import typecheck
from transforms.types import full

BOUND = "transformed cost <= 5 + 34 cost(t) + size(d) + 4n"
RATIO = "measured constant: ratio (transformed cost - 5 - size(d) - 4n) / cost(t)"

SIZES = (5, 20, 60, 100)
"""Of random programs, in constructs, in turn."""

GROWING: dict[str, tuple[str, str, dict[str, int], int, tuple[float | None, float | None]]] = {
    "product-in-n": ("product", "n", {}, 2, (1, 1)),
    "square-in-m": ("square", "m", {"n": 64}, 1, (1, 1)),
    "square-in-n": ("square", "n", {"m": 8}, 1, (0, 1)),
    "sigmoid-square-in-n": ("sigmoid-square", "n", {}, 2, (0, 1)),
    "doubling-in-k": ("doubling", "k", {}, 1, (1, 1)),
    "projection-in-k": ("projection", "k", {}, 2, (2, 2)),
    "jacobian-in-m": ("jacobian", "m", {"n": 16}, 16, (1, 1)),
}
"""Of each case: the family, the size that grows, the others, the first of nine consecutive sizes, and the exponents
of source and transformed cost that are expected."""


def judged(program: FragmentProgram, clauses: Clauses = EFFICIENT) -> Verdict:
    """The theorem on a program of the fragment, at the point and the cotangent of ones."""
    ones = elaborate_value(full(typecheck(program), 1.0))
    inputs = [elaborate_value(value) for value in families.at_ones(program).values()]
    return judge(elaborate(program), inputs, ones, clauses)


def growing(suite: str, case: str, sizes: dict[str, list[int]], clauses: Clauses = EFFICIENT) -> list[Record]:
    """Both measures of the families, source and transformed, at growing sizes: counts, growth, bound, constant."""
    return [record for name, chosen in sizes.items() for record in _family(suite, name, chosen, clauses)]


def _family(suite: str, case: str, sizes: Sequence[int], clauses: Clauses) -> list[Record]:
    family, against, fixed, start, exponents = GROWING[case]
    small = range(start, start + 9)
    values: dict[tuple[str, str], dict[int, int]] = {}
    kinds: dict[tuple[str, int], Mapping[str, int]] = {}
    bounds: list[Record] = []
    for n in sorted({*small, *sizes}):
        program = families.FAMILIES[family](**fixed, **{against: n})
        verdict, operations = judged(program, clauses), counts(TRANSFORMATIONS["accumulator"], program)
        for subject, metric, value in (
            ("source", "operations", operations.primal_operations),
            ("accumulator", "operations", operations.operations),
            ("source", "model_cost", verdict.source_cost),
            ("accumulator", "model_cost", verdict.cost),
        ):
            values.setdefault((subject, metric), {})[n] = value
        kinds |= {("source", n): operations.primal, ("accumulator", n): operations.by_kind}
        if n in sizes or not verdict.holds:
            at = {**fixed, against: n}
            shown = {} if verdict.holds else {"program": show_program(elaborate(program))}
            bounds += [
                bounded(suite, case, at, BOUND, verdict.bound, verdict.cost, **shown),
                bounded(suite, case, at, RATIO, CONSTANT, verdict.constant, **shown),
            ]
    measured = [
        {
            **_measurement(suite, case, {**fixed, against: n}, subject, metric, found[n], values["source", metric][n]),
            **({"by_kind": kinds[subject, n]} if metric == "operations" else {}),
        }
        for n in sizes
        for (subject, metric), found in values.items()
    ]
    expected = {"source": exponents[0], "accumulator": exponents[1]}
    fits = [
        _fit(suite, case, subject, metric, against, found, sizes, small, expected[subject])
        for (subject, metric), found in values.items()
    ]
    return measured + fits + bounds


def _measurement(
    suite: str, case: str, sizes: dict[str, int], subject: str, metric: str, value: int, source: int
) -> Record:
    return {
        "kind": "measurement", "suite": suite, "case": case, "sizes": sizes, "subject": subject, "metric": metric,
        "value": value, "unit": "operations" if metric == "operations" else "cost", "source_value": source,
        "ratio": value / source if source else None,
    }  # fmt: skip


def _fit(
    suite: str,
    case: str,
    subject: str,
    metric: str,
    against: str,
    values: dict[int, int],
    sizes: Sequence[int],
    small: Sequence[int],
    expected: float | None,
) -> Record:
    """Growth at the sizes; only costs in the model have an exponent to expect, for operations are claimed elsewhere."""
    slope = growth(sizes, [values[n] for n in sizes])
    found = polynomial(small[0], [values[n] for n in small])
    if found and any(found(n) != v for n, v in values.items()):
        found = None
    claim = expected if metric == "model_cost" else None
    return {
        "kind": "fit", "suite": suite, "case": case, "subject": subject, "metric": metric, "against": against,
        "points": len(sizes), "expected": claim,
        "exponent": slope and slope.exponent, "low": slope and slope.low, "high": slope and slope.high,
        "holds": None if claim is None else bool(slope and abs(slope.exponent - claim) <= TOLERANCE),
        "polynomial": found and found.text(against),
    }  # fmt: skip


def drawn(suite: str, case: str, programs: int, seed: int, clauses: Clauses = EFFICIENT) -> list[Record]:
    """Random programs: the cost is the independent sum, the bound holds, and the largest constant, shrunk."""
    different: list[str] = []
    broken: list[str] = []
    worst: Sample | None = None
    largest = 0.0
    for k in range(programs):
        sample = random_sample(Random(f"{seed}/{k}/core"), size=SIZES[k % len(SIZES)])
        verdict = _judge(sample, clauses)
        if verdict.cost != sum_of_constructs(sample.program, sample.inputs, sample.cotangent):
            different.append(show_program(sample.program))
        if not verdict.holds:
            broken.append(show_program(sample.program))
        if worst is None or verdict.constant > largest:
            worst, largest = sample, verdict.constant
    sizes = {"programs": programs}
    records = [
        bounded(suite, case, sizes, claim, 0, len(found), **({"program": min(found, key=len)} if found else {}))
        for claim, found in (
            ("programs whose cost is not the sum over their executed constructs", different),
            (f"programs that break {BOUND}", broken),
        )
    ]
    if worst is not None:
        worst = shrunk(worst, lambda smaller: _judge(smaller, clauses).constant >= largest)
        verdict = _judge(worst, clauses)
        records.append(
            bounded(
                suite,
                case,
                {**sizes, "cost": verdict.source_cost, "transformed": verdict.cost},
                f"largest {RATIO}",
                CONSTANT,
                verdict.constant,
                program=show_program(worst.program),
            )
        )
    return records


def _judge(sample: Sample, clauses: Clauses) -> Verdict:
    return judge(sample.program, sample.inputs, sample.cotangent, clauses)


X, Y, P, A, B = Var("x", REAL), Var("y", REAL), Var("p", product(REAL, REAL)), Var("a", REAL), Var("b", REAL)
SQUARES = A, Prim(MUL, Pair(A, A)), B, Prim(MUL, Pair(B, B))
TWO_RESULTS = elaborate(parse("<x1*x2, x1+x2>"))

FIGURES: tuple[tuple[str, Program, Any, int, int], ...] = (
    *(
        (f"t_{n}", elaborate(families.product(n)), 1.0, source, cost)
        for n, source, cost in ((2, 6, 119), (3, 11, 221), (6, 26, 527), (12, 56, 1139), (24, 116, 2363))
    ),
    ("t_48", elaborate(families.product(48)), 1.0, 236, 4811),
    *(
        (f"s_{m}, n = {n}", elaborate(families.square(m, n)), 1.0, source, cost)
        for m, n, source, cost in ((8, 1, 41, 801), (8, 64, 41, 1053), (8, 256, 41, 1821), (64, 64, 321, 6541))
    ),
    ("<x1*x2, x1+x2>, d = (1, 0)", TWO_RESULTS, (1.0, 0.0), 9, 176),
    ("<x1*x2, x1+x2>, d absent", TWO_RESULTS, None, 9, 178),
    ("-x", Program((X,), Prim(NEG, X)), 1.0, 2, 34),
    ("2*x", Program((X,), Prim(MUL, Pair(Prim(literal(2.0), Unit()), X))), 1.0, 5, 95),
    ("fst p", Program((P,), Fst(P)), 1.0, 2, 30),
    ("inl x", Program((X,), Inl(X, REAL)), Left(1.0), 2, 29),
    ("case inl x of inl a -> a*a", Program((X,), Case(Inl(X, REAL), *SQUARES)), 1.0, 7, 128),
    ("case inr x of inr b -> b*b", Program((X,), Case(Inr(X, REAL), *SQUARES)), 1.0, 7, 128),
    (
        "let p = <x,y> in fst p * snd p",
        Program((X, Y), Let(P, Pair(X, Y), Prim(MUL, Pair(Fst(P), Snd(P))))),
        1.0,
        10,
        185,
    ),
)
"""Reference programs: the source cost and the transformed cost, worked out by hand."""


def figures(suite: str, case: str, clauses: Clauses = EFFICIENT) -> list[Record]:
    """The reference programs' costs, equal to the figures."""
    records = []
    for name, program, cotangent, source, cost in FIGURES:
        inputs = [(2.0, 3.0) if x.type is P.type else 2.0 for x in program.context]
        verdict = judge(program, inputs, cotangent, clauses)
        for what, figure, value in (("cost(t)", source, verdict.source_cost), ("transformed cost", cost, verdict.cost)):
            record = bounded(suite, case, {}, f"{name}: {what}", figure, value)
            records.append({**record, "holds": value == figure})
        shown = {} if verdict.holds else {"program": show_program(program)}
        records.append(bounded(suite, case, {}, f"{name}: {BOUND}", verdict.bound, verdict.cost, **shown))
    return records
