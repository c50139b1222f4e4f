"""Programs in which something is used several times, for every rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from harness.checks.examples import FEW_USES, Example, alone, direction
from harness.reference_double import evaluate
from transforms.syntax import Let, Op, Program, Term, Tuple, Var


def shared(seed: int) -> Iterator[Example]:
    """For every rule f: f(x) + x, f(x) + f(x), x used three times, and f in a diamond."""
    for use in FEW_USES:
        example = alone(use, seed)
        f, x = example.program.term, Var("x0")
        if use.shapes[0] == ():
            yield _as(example, "f(x) + x", _add(f, x), seed)
        yield _as(example, "f(x) + f(x), x again, and again", Tuple((_add(f, f), x, Op("neg", (x,)))), seed)
        yield _as(example, "a diamond", _diamond(f), seed)


def _diamond(f: Term) -> Term:
    """`let u = f(x) in let p = u + u in let q = u * u in p * q`: two ways from u, and each of them twice."""
    u, p, q = Var("u"), Var("p"), Var("q")
    return Let("u", f, Let("p", _add(u, u), Let("q", Op("mul", (u, u)), Op("mul", (p, q)))))


def _add(a: Term, b: Term) -> Term:
    return Op("add", (a, b))


def _as(example: Example, form: str, term: Term, seed: int) -> Example:
    """The form as a program, at the example's point."""
    program = Program(example.program.context, term)
    rng = Random(f"{seed}/{example.label}/{form}")
    cotangent: Any = direction(evaluate(program, example.point), rng)
    return replace(example, label=f"{example.label}, {form}", program=program, cotangent=cotangent)
