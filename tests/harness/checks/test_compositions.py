"""Rows that stand for compositions: right to the last places at logits far apart, if they are shifted row by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from harness.checks.accuracy import CHECKS
from harness.checks.check import Outcome, judge
from harness.checks.compositions import LEVELS, examples
from harness.checks.subject import UNMUTATED
from transforms.composed_rules import COMPOSED

(ACCURACY,) = CHECKS
PREPARED = ACCURACY.prepare(3)


def softmax(name: str, evaluate):
    row = {name: replace(COMPOSED[name], evaluate=evaluate)}
    return UNMUTATED.changed("wrong", lambda judged: replace(judged, rules={**judged.rules, **row}))


def test_the_expected_values_are_soft_maxima():
    (soft, value, slopes), (logarithm, logs, _) = examples(5)
    x, ct = soft.point["x"], soft.cotangent
    e = np.exp(x - x.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    assert np.allclose(value, p.ravel(), rtol=1e-13)
    jacobian_products = [d @ (np.diag(row) - np.outer(row, row)) for d, row in zip(ct, p, strict=True)]
    assert np.allclose(slopes, np.concatenate(jacobian_products), rtol=1e-12)
    y = logarithm.point["x"]
    assert np.allclose(np.exp(logs).reshape(y.shape).sum(axis=1), 1.0, rtol=1e-13)


def test_rows_are_where_exponentials_overflow_vanish_and_neither():
    with np.errstate(over="ignore"):
        e = np.exp(np.array(LEVELS))
    assert e[0] == np.inf and e[1] == 0.0 and 0.0 < e[2] < np.inf


@pytest.mark.parametrize("shift", [0.0, 1024.0])
def test_one_shift_for_all_rows_is_noticed(shift: float):
    def wrong(a):
        e = np.exp(a - shift)
        return e / e.sum(axis=1, keepdims=True)

    assert judge(ACCURACY, softmax("softmax", wrong), PREPARED).outcome is Outcome.VALUE


def test_a_loss_in_single_precision_is_noticed():
    exp = UNMUTATED.matrices().rules["exp"]
    single = replace(exp, evaluate=lambda a: np.float64(np.exp(np.float32(a))) if np.ndim(a) else exp.evaluate(a))
    wrong = UNMUTATED.changed("wrong", lambda judged: replace(judged, rules={**judged.rules, "exp": single}))
    only_losses = replace(PREPARED, answers=[], forwards=[], compositions=[])
    found = judge(ACCURACY, wrong, only_losses)
    assert found.outcome is Outcome.VALUE
    assert "the loss of" in found.where
