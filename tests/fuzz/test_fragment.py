"""Hostile terms of the fragment."""

from __future__ import annotations

from random import Random

from harness.random_terms import random_program
from tests.fuzz.mutations import damaged, mutated
from tests.fuzz.trial import command, limits, tries
from transforms.drivers import TRANSFORMATIONS, gradient, value
from transforms.errors import AdjudgeError
from transforms.parse import parse
from transforms.pretty import pretty_program
from transforms.typecheck import typecheck
from transforms.types import full, layout, marked

PROGRAMS = [
    "let y = sigmoid(x1 * x1) in\ncase <y, y> of <a, b> -> <a * y, -b>",
    "context: x1: real, p: (real, real), w: real[2,3], s: (real + (real, ())) |-  # a comment\n"
    "match s with inl a -> inr (a*x1) | inr q -> case q of <b, c> -> inl <b, p, w * w>",
    "match sign(x) with inl a -> match a with inl b -> -x | inr b -> pow(x, 2.5e-1) | inr a -> .5",
    "let a = <x, x> in let b = <a, a> in let c = <b, b> in let d = inl c in d",
    "case <x, <>> of <y, u> -> case u of <> -> max(y, 0) / (y - 1.0)",
    "<x1*x2, x1+x2>",
    *[
        pretty_program(random_program(Random(f"term/{seed}"), size=8, result=None, branching=seed % 2 > 0).program)
        for seed in range(20)
    ],
]
WORDS = (
    "let", "in", "case", "of", "->", "match", "with", "inl", "inr", "|", "sign", "context:", "|-", "real", "real[2,3]",
    "(real + real)", "real[3162,3162]", "<>", "<x, x>", "exp(", "sign(", "relu(x)", "unknown(x)", "ge(x, x)", "()", "x",
    "div0(x, x)", "add(x, y)", "let x = <x, x> in ", "let x = inl x in ", "let x = <> in ", "let x = <x> in ", "y",
    "let x = ", "inl ", "sign ", "case x of <x, y> -> ",
)  # fmt: skip


def term(rng: Random) -> str:
    return mutated(rng, PROGRAMS, WORDS)


def differentiated(text: str) -> str:
    """What typechecks reads back as it prints, and is run forward and backward at a point, which may not suit it."""
    program = parse(text)
    type_ = typecheck(program)
    assert typecheck(parse(pretty_program(program))) == type_
    if len(text) > 2_000:  # the pointwise gradient is quadratic
        return "read"
    point = {name: full(type_, 0.5) for name, type_ in program.context}
    primal, _ = value(program, point)
    cotangent = marked(full(layout(primal), 1.0), primal)
    for judged in TRANSFORMATIONS.values():
        gradient(judged, program, point, cotangent)
    return "differentiated"


@limits
def test_terms_are_refused_or_read_back_and_differentiated():
    outcomes = tries(term, differentiated, (AdjudgeError,))
    assert min(outcomes["differentiated"], outcomes["refused"]) > outcomes.total() / 20


@limits
def test_the_commands_diagnose_terms():
    def asked(rng: Random) -> tuple[str, bytes]:
        data = term(rng).encode()
        return rng.choice(("grad", "explain")), damaged(rng, data) if rng.random() < 0.1 else data

    outcomes = tries(asked, lambda given: command(given[0], "-", stdin=given[1]))
    assert outcomes["GOOD"] and outcomes["FINDING"]
