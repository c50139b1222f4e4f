from __future__ import annotations

from dataclasses import replace

import pytest

from harness.checks.check import Outcome, judge
from harness.checks.second_order import CHECKS
from harness.checks.subject import UNMUTATED
from transforms.drivers import once_more
from transforms.rules import Minus

(CHECK,) = CHECKS
PREPARED = CHECK.prepare(1)


@pytest.mark.parametrize("seed", range(3))
def test_the_transformation_passes(seed: int):
    result = judge(CHECK, UNMUTATED, CHECK.prepare(seed))
    assert result.outcome == Outcome.PASS, result.where


SCALAR = ("exp", "log", "sqrt", "sin", "cos", "sigmoid", "cosh", "pow", "pow_da", "pow_db", "mul0", "div0")
ARRAY = ("matmul", "transpose", "reshape", "reduce", "broadcast", "relu")


def nothing(m, ct, r, *args, **statics):
    return (None,) * len(args)


@pytest.mark.parametrize(
    ("name", "pullback"),
    [
        ("mul", lambda m, ct, r, a, b: (m.mul(ct, a), m.mul(ct, b))),
        ("neg", lambda m, ct, r, a: (ct,)),
        ("div", lambda m, ct, r, a, b: (m.div(ct, b), Minus(m.mul(ct, r)))),
        *[(name, nothing) for name in (*SCALAR, *ARRAY)],
    ],
)  # fmt: skip
def test_a_rule_that_is_wrong_the_second_time_only_is_caught(name: str, pullback):
    def wrong(judged):
        judged = once_more(judged)
        return replace(judged, rules={**judged.rules, name: replace(judged.rules[name], pullback=pullback)})

    subject = UNMUTATED.changed("wrong", lambda judged: replace(judged, drivers=replace(judged.drivers, hvp=wrong)))
    assert judge(CHECK, subject, PREPARED).outcome != Outcome.PASS
