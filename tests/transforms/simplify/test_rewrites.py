"""Each rewrite does what it is for, on a program that is different without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.transforms.simplify.programs import straight
from transforms.mountain_goat.gradients import gradient
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.simplify.exact import EXACT
from transforms.simplify.gradients import reassociated_gradient
from transforms.simplify.levels import LEVELS, simplified
from transforms.simplify.recognise import RECOGNISED, RULES, recognised
from transforms.simplify.rewrite import Rewrite

INPUTS = """\
let a = [[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]]
let b = [[0.5, 4.0, -3.0], [2.0, -0.125, 1.0]]
let r = [[2.0, -1.0, 0.5]]
let c = [[0.75], [-2.5]]
let s = [[3.0]]
"""

EXAMPLES = [
    ("constants", "exp(a + [[1.0, 2.0, 3.0]] * [[0.0, 1.0, 1.0]])", "add exp"),
    ("rearrangements of rearrangements", "transpose(transpose(a)) * a", "mul"),
    ("rearrangements of rearrangements", "reshape(reshape(a, 3, 2), 1, 6)", "reshape"),
    ("rearrangements of rearrangements", "permute(permute(reshape(a, 1, 2, 3), 1, 2, 0), 2, 0, 1)", "reshape"),
    ("sums of one entry", "row_sum(c) * col_max(c - c)", "sub reduce broadcast mul"),
    ("scalar forms", "a * [[2.0]] - [[1.0]]", "mul_k sub_k"),
    ("identities", "(a * 1.0 - 0.0) / [[1.0]]", ""),
    ("identities", "a @ transpose(b) + 0.0", "transpose matmul"),
    ("signs", "a - -b", "add"),
    ("signs", "(-a) * b + a", "mul sub"),
    ("signs of scalar forms", "-(a * 3.0)", "mul_k"),
    ("comparisons that are known", "a + ge([[0.0]], exp(a) + 1.0) * b * [[1.0]]", "mul_k add"),
    ("stretching last", "exp(r * [[2.0], [2.0]] - s)", "mul_k broadcast sub exp broadcast"),
    ("stretching after sums", "row_max(c * [[1.0, 1.0, 1.0]])", ""),
    ("rearranging last", "exp(transpose(a)) + transpose(b)", "exp add transpose"),
    ("transposing after sums", "row_sum(transpose(a))", "reduce reshape"),
    ("transposed products", "transpose(a @ transpose(b))", "transpose matmul"),
]

REASSOCIATED = [
    ("one scalar", "a / 4.0 * 3.0", "mul_k"),
    ("scalars out of factors", "(a * 3.0) * (b * 2.0)", "mul mul_k"),
    ("scalars out of sums", "row_sum(a * 3.0)", "reduce mul_k"),
    ("common scalars", "a * 3.0 - b * 3.0", "sub mul_k"),
    ("scalars out of products", "transpose(c * 3.0) @ c", "reshape matmul mul_k"),
    ("scalars into products", "(c @ r) * 3.0", "mul_k matmul"),
    ("factors of rows", "row_sum(a * c)", "reduce mul"),
    ("chains of products", "(c @ r) @ transpose(a)", "transpose matmul matmul"),
]


def operations(line: Straight) -> str:
    return " ".join(bound.name for _, bound in unchain(line.program.term)[0])


def check(name: str, expression: str, expected: str, rewrites: Sequence[Rewrite]) -> None:
    line = straight(f"{INPUTS}print {expression}\n")
    found, applied = simplified(line, rewrites)
    without, _ = simplified(line, [rewrite for rewrite in rewrites if rewrite.name != name])
    assert operations(found) == expected
    assert applied[name]
    assert operations(without) != expected
    np.testing.assert_allclose(run(found)[0], run(line)[0], rtol=1e-15)


@pytest.mark.parametrize(("name", "expression", "expected"), EXAMPLES)
def test_exact(name, expression, expected):
    check(name, expression, expected, LEVELS["exact"])


@pytest.mark.parametrize(("name", "expression", "expected"), REASSOCIATED)
def test_reassociating(name, expression, expected):
    check(name, expression, expected, LEVELS["reassociate"])


def test_every_rewrite_has_an_example_a_justification_and_its_level():
    shown = [name for name, _, _ in (*EXAMPLES, *REASSOCIATED)]
    assert {rewrite.name for rewrite in LEVELS["reassociate"]} == set(shown)
    assert {rewrite.level for rewrite in EXACT} == {"exact"}
    assert {rewrite.level for rewrite in LEVELS["reassociate"][len(EXACT) :]} == {"reassociate"}
    measures = ("work", "turning", "scaling", "moving", "spelling")
    assert all(any(measure in rewrite.why for measure in measures) for rewrite in LEVELS["reassociate"])


@pytest.mark.parametrize(
    "expression",
    [
        "a + 0.0",  # -0.0 + 0.0 is 0.0
        "a * 0.0",  # infinities, NaN and signs
        "a - [[0.0, 0.0, -0.0]]",
        "-(a - b)",  # where a is b, -0.0
        "row_sum(-a)",  # 1 - 1 is 0.0, not -0.0
        "exp(a * 2.0) / 3.0",
        "a / 3.0 * 3.0",
        "ge(a, a)",  # NaN
        "ge([[0.0]], a * a + b)",
        "ge([[0.0]], a * a)",  # which may underflow to 0
        "(a - b) * (b - a)",
    ],
)
def test_what_might_change_a_bit_stays(expression):
    line = straight(f"{INPUTS}print {expression}\n")
    found, _ = simplified(line, EXACT)
    kept = [bound.name for _, bound in unchain(found.program.term)[0]]
    before = [bound.name for _, bound in unchain(line.program.term)[0] if bound.name != "broadcast"]
    assert len([name for name in kept if name != "broadcast"]) == len(before), (kept, before)


def test_common_subexpressions_are_computed_once_and_dead_code_never():
    line = straight(f"{INPUTS}let d = log(a)\nprint (a + b) * (b + a)\nlet a = b\nprint a + b\n")
    found, applied = simplified(line, EXACT)
    assert operations(found) == "add mul add"
    assert (applied["common subexpressions"], applied["dead code"]) == (1, 1)
    assert operations(simplified(line, EXACT, share=False)[0]) == "add add mul add"
    for a, b in zip(run(found), run(line), strict=True):
        assert a.tolist() == b.tolist()


COMPOSITIONS = [
    ("softmax", "let e = exp(a - row_max(a))\nlet y = e / row_sum(e)\n", "softmax"),
    ("log-softmax", "let d = a - row_max(a)\nlet y = d - log(row_sum(exp(d)))\n", "log_softmax"),
    (
        "layer norm",
        "let d = a - row_mean(a)\nlet y = d / sqrt(row_mean(d * d) + 0.00001)\n",
        "normalise",
    ),
]


@pytest.mark.parametrize(("name", "text", "operation"), COMPOSITIONS)
def test_compositions_are_recognised_and_their_gradients_are_those_of_their_parts(name, text, operation):
    assert name in [rewrite.name for rewrite in RECOGNISED]
    source = f"{INPUTS}{text}print col_sum(row_sum(y * b))\n"
    line = straight(source)
    assert operations(recognised(line)).split()[0] == operation
    expected, found = (run(differentiate(line, ["a"]).straight) for differentiate in (gradient, reassociated_gradient))
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "let e = exp(a - row_max(b))\nlet y = e / row_sum(e)\n",
        "let e = exp(a - row_max(a))\nlet y = e / col_sum(e)\n",
        "let e = exp(a - row_max(a))\nlet y = e / row_sum(b)\n",
        "let d = a - row_max(a)\nlet y = b - log(row_sum(exp(d)))\n",
        "let d = a - row_mean(b)\nlet y = d / sqrt(row_mean(d * d) + 0.00001)\n",
        "let d = a - row_mean(a)\nlet y = d / sqrt(row_mean(d * b) + 0.00001)\n",
        "let d = a - row_mean(a)\nlet y = d / sqrt(row_sum(d * d) / 2.0 + 0.00001)\n",
        "let d = a - row_mean(a)\nlet y = d / sqrt(row_mean(d * d) - 0.00001)\n",
    ],
)
def test_what_is_almost_a_composition_is_none(text):
    line = straight(f"{INPUTS}{text}print y\n")
    assert not {"softmax", "log_softmax", "normalise"} & set(operations(recognised(line)).split())


def test_recognised_programs_typecheck_with_the_rows_of_compositions():
    assert {"softmax", "log_softmax", "deviation", "normalise"} <= set(RULES)
