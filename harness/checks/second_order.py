"""Hessian-vector products: the gradient of a gradient, against high-precision second differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

from harness import reference
from harness.checks.check import Check, Measured, Question
from harness.checks.comparison import shown
from harness.checks.subject import Subject
from harness.workload_suite import straight
from transforms.drivers import Point, hessian_products
from transforms.mountain_goat.gradients import hvp
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.parse import parse
from transforms.syntax import Let, Match, Program

DIRECTIONS = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A program with directions, and for each direction the product of the Hessian with it, all numbers in one row."""

    text: str
    program: Program | Straight
    point: Point
    directions: Sequence[Mapping[str, Any]]
    expected: Sequence[np.ndarray]


TERMS: tuple[tuple[str, dict[str, float]], ...] = (
    # Second derivatives that are not 0 where the first, or the value, is.
    ("x*y", {"x": 0.0, "y": 1.0}),
    ("x*x*y*z - x*z", {"x": 1.5, "y": 2.0, "z": 0.0}),
    # Each operation that a pullback contains, next to what does not vanish.
    ("sin(x*y) * cos(y) + tanh(x*y)", {"x": 0.7, "y": -1.3}),
    ("exp(x*y) / (x + y)", {"x": 0.7, "y": 1.3}),
    ("log(x*y) * (x - y) + sqrt(x*y) * (-x)", {"x": 0.7, "y": 1.3}),
    ("sigmoid(x - y*y) + pow(x, y) * y", {"x": 1.7, "y": -0.6}),
    # Masks, on each side of the kink.
    ("relu(x)*x*y", {"x": 0.8, "y": 1.1}),
    ("relu(x)*x*y + y*y", {"x": -0.8, "y": 1.1}),
    ("max(x*y, y)*x + min(x*y, y)*abs(x)", {"x": -0.8, "y": 1.1}),
    # The exponent and the base at 0 and 1, the exponent a literal.
    ("pow(x, 2)*y", {"x": 0.0, "y": 1.5}),
    ("pow(x, 3)*y + pow(x, 1)*y", {"x": 0.0, "y": 1.5}),
    ("pow(x, 0)*y*y", {"x": 0.0, "y": 1.5}),
    ("pow(x, y)*x", {"x": 1.0, "y": 0.0}),
    # Lets, tuples and branches on the way.
    ("let u = x*y in case <u, x> of <a, b> -> a*b*u", {"x": 0.7, "y": 1.3}),
    ("match sign x with inl s -> x*x*y | inr z -> 0", {"x": 0.7, "y": 1.3}),
)
"""Terms of at most three variables, at points where they are twice differentiable."""

CONVENTIONS: tuple[tuple[str, dict[str, float], list[list[float]]], ...] = (
    ("pow(x, y)", {"x": 0.0, "y": 2.0}, [[2.0, 0.0], [0.0, 0.0]]),
    ("pow(x, y)", {"x": 0.0, "y": 3.0}, [[0.0, 0.0], [0.0, 0.0]]),
    ("pow(x, y)", {"x": -3.0, "y": 2.0}, [[2.0, 0.0], [0.0, 0.0]]),
    ("abs(x)*x*y", {"x": 0.0, "y": 1.0}, [[0.0, 0.0], [0.0, 0.0]]),
)
"""Hessians that hold by convention: the exponent of a base that is not positive counts as constant, a step as flat."""

MATRICES: tuple[tuple[str, str], ...] = (
    ("products", "row_sum(reshape(contract(w, (0), x, (1)) * d_x, 1, 4) * exp(reshape(transpose(g_x), 1, 4)))"),
    ("quotients", "col_sum(row_sum(log(col_sum(exp(w * row_sum(x * x)))) / sqrt(x * x + 0.5)))"),
    ("masks and stretches", "col_sum(row_max(relu(x @ w) * ge(x, [[0.1]])) * row_mean(col_sum(x) * w - 2.0 / w))"),
)  # fmt: skip
"""Losses of two 2x2 matrices x and w; in the first one, other names are those that gradients are given."""


def asked(seed: int) -> list[Asked]:
    found = [_of_term(text, point, Random(f"{seed}/{text}/{point}")) for text, point in TERMS]
    found += [
        _by_convention(text, point, np.array(rows), Random(f"{seed}/{text}")) for text, point, rows in CONVENTIONS
    ]
    return found + [_of_matrices(name, loss, Random(f"{seed}/{name}")) for name, loss in MATRICES]


def _directions(names: Sequence[str], rng: Random) -> list[dict[str, float]]:
    return [{name: rng.choice((-1.0, 1.0)) * rng.uniform(0.5, 2.0) for name in names} for _ in range(DIRECTIONS)]


def _of_term(text: str, point: dict[str, float], rng: Random) -> Asked:
    program, directions = parse(text), _directions(list(point), rng)
    expected = [_row(reference.hessian_product(program, point, direction).values()) for direction in directions]
    return Asked(text, program, point, directions, expected)


def _by_convention(text: str, point: dict[str, float], hessian: np.ndarray, rng: Random) -> Asked:
    directions = _directions(list(point), rng)
    expected = [hessian @ list(direction.values()) for direction in directions]
    return Asked(text, parse(text), point, directions, expected)


def _of_matrices(name: str, loss: str, rng: Random) -> Asked:
    lets = [f"let {matrix} = {_literal(rng)}" for matrix in ("x", "w")]
    if "g_x" in loss:
        lets += ["let g_x = x @ w", "let d_x = g_x * x"]
    program = straight("\n".join([*lets, f"print {loss}"]) + "\n", f"{name}.mg")
    directions = [{matrix: _matrix(rng) for matrix in ("x", "w")} for _ in range(DIRECTIONS)]
    expected = [_row(reference.hessian_product(program.program, program.point, d).values()) for d in directions]
    return Asked(f"{name}: {loss}", program, program.point, directions, expected)


def _matrix(rng: Random) -> np.ndarray:
    return np.array([[rng.choice((-1.0, 1.0)) * rng.uniform(0.3, 1.5) for _ in range(2)] for _ in range(2)])


def _literal(rng: Random) -> str:
    return str(_matrix(rng).tolist())


def _row(nests: Any) -> np.ndarray:
    return np.concatenate([np.array(nest, dtype=float).ravel() for nest in nests])


def products(subject: Subject, questions: Sequence[Asked]) -> Measured:
    """The largest error of a product, over max(1, |expected|), and of the Hessian's symmetry."""
    worst = Measured(0.0)
    for question in questions:
        for name, found in _found(subject, question):
            errors = [
                (np.abs(mine - theirs) / np.maximum(1.0, np.abs(theirs))).max()
                for mine, theirs in zip(found, question.expected, strict=True)
            ]
            rows = [_row(direction.values()) for direction in question.directions]
            pairs = combinations(zip(found, rows, strict=True), 2)
            errors += [abs(hv @ w - hw @ v) / max(1.0, abs(hv @ w)) for (hv, v), (hw, w) in pairs]
            error = float(np.max(errors))  # NaN, if there is one
            worst = worst.worse(Measured(error, f"{question.text}, {name}, at {shown(question.point)}"))
    return worst


def _found(subject: Subject, question: Asked) -> list[tuple[str, list[np.ndarray]]]:
    """What a subject finds for each direction, by representation: both of them where variables are bound."""
    if isinstance(question.program, Straight):
        return [("matrices", _matrix_products(subject, question.program, question.directions))]
    program, point, directions = question.program, question.point, question.directions
    judged = subject.transformations if isinstance(program.term, (Let, Match)) else {"accumulator": subject.matrices()}
    return [
        (name, [_row(found.values()) for found in hessian_products(one, program, point, directions)])
        for name, one in judged.items()
    ]


def _matrix_products(subject: Subject, program: Straight, directions: Sequence[Mapping[str, Any]]) -> list[np.ndarray]:
    """The products by the program that is generated for the first direction, run with each of them."""
    judged, names = subject.matrices(), list(directions[0])
    generated = hvp(program, names, list(directions[0].values()), judged=judged).straight
    along = [name for name, _ in generated.program.context if name not in program.point]
    products = []
    for direction in directions:
        moved = dict(zip(along, direction.values(), strict=True))
        products.append(_row(run(replace(generated, point={**generated.point, **moved}), judged)[1:]))
    return products


CHECKS = (
    Check(
        "second-order", Question.RIGHT,
        "Hessian-vector products are those of the high-precision Hessian, in three directions, and it is symmetric",
        1e-10, "of max(1, |expected|); a few dozen operations on moderate numbers",
        asked, products,
    ),
)  # fmt: skip
