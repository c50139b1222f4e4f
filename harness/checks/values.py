"""Whether gradients are right: checks of values, at every entry, with random cotangents."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np

from harness import reference, reference_double
from harness.checks import linear, taylor
from harness.checks.check import Check, Measured, Needs, Question
from harness.checks.comparison import Answer, Comparison, answered
from harness.checks.examples import Example, constructs, every_rule, signed, small_programs, tied
from harness.checks.sharing import shared
from harness.checks.subject import Subject
from harness.families import doubling


def compared(subject: Subject, answers: Iterable[Answer]) -> Measured:
    """The largest error among what the subject finds."""
    return Comparison().ask(subject, answers).measured()


def exactly(example: Example) -> Answer:
    """The example with its value and gradient in high precision."""
    value = reference.evaluate(example.program.term, example.point)
    return answered(example, value, reference.vjp(example.program, example.point, example.cotangent))


def against_reference(seed: int) -> list[Answer]:
    examples = [*every_rule(seed), *constructs(seed)]
    return [*map(exactly, examples), *map(_shared, tied(seed))]


def _shared(example: Example) -> Answer:
    """A maximum that two entries attain, where differences have no limit: by convention each receives a half."""
    (x,) = example.point.values()
    return answered(example, x.max(), {"x0": example.cotangent * np.where(x == x.max(), 0.5, 0.0)})


def against_differences(seed: int) -> list[Answer]:
    return [_differenced(example) for example in small_programs(seed)]


def _differenced(example: Example) -> Answer:
    program, point = example.program, example.point
    value = reference_double.evaluate(program, point)
    return answered(example, value, reference_double.differences(program, point, example.cotangent))


def several_times(seed: int) -> list[Answer]:
    rng = Random(f"{seed}/doubling")
    x, d = signed(rng, 0.3, 3.0), signed(rng, 0.3, 3.0)
    doublings = answered(Example("doubling", doubling(12), {"x": x}, d), 2.0**12 * x, {"x": 2.0**12 * d})
    return [doublings, *[exactly(example) for example in shared(seed)]]


ROUNDING = "the programs are a few operations on moderate numbers: rounding is 10^4 times smaller, a wrong rule larger"

CHECKS = (
    Check(
        "reference", Question.RIGHT,
        "every rule, alone and inside small programs, and every construct give the high-precision value and gradient",
        1e-10, f"of max(1, |expected|); {ROUNDING}", against_reference, compared, Needs.GRADIENTS,
    ),
    Check(
        "finite-differences", Question.RIGHT,
        "the gradient is the central difference of an independent evaluator in double precision",
        1e-6, "of max(1, |expected|); truncation and rounding of the differences are some 100 times smaller",
        against_differences, compared, Needs.GRADIENTS,
    ),
    Check(
        "dot-product", Question.RIGHT,
        "<d, J v> by the forward macro is <J^t d, v> by the backpropagator",
        1e-10, f"of the sum of |terms|; {ROUNDING}", linear.with_directions, linear.dot_products,
    ),
    Check(
        "taylor", Question.RIGHT,
        "what the gradient leaves of a change of the value shrinks with the square of the step",
        0.25, "by how much the rate may be below 2; a wrong gradient has rate 1",
        taylor.expansions, taylor.remainders, Needs.GRADIENTS,
    ),
    Check(
        "representations", Question.RIGHT,
        "both representations give the same gradient, on random programs too",
        1e-12, "of the sum of |contributions|: only the order of sums differs",
        linear.random_examples, linear.agreement, Needs.SEVERAL,
    ),
    Check(
        "linearity", Question.RIGHT,
        "the backpropagator is linear: b(s d + t e) = s b(d) + t b(e), for s and t of many sizes",
        1e-10, f"of |s b(d)| + |t b(e)|; {ROUNDING}", linear.combinations, linear.combined, Needs.GRADIENTS,
    ),
    Check(
        "sharing", Question.RIGHT,
        "whatever is used several times receives the sum of all contributions, each once",
        1e-10, f"of max(1, |expected|); {ROUNDING}", several_times, compared, Needs.GRADIENTS,
    ),
)  # fmt: skip
