"""Every rewrite has a mutant, and the check of simplification catches each, whatever its inputs."""

from __future__ import annotations

import pytest

from harness.checks.check import Outcome, judge
from harness.checks.simplification import CHECKS
from harness.checks.subject import UNMUTATED
from mutants.catalogue import reassociation, recognition, simplification, subexpressions
from transforms.simplify.exact import EXACT
from transforms.simplify.reassociate import REASSOCIATING
from transforms.simplify.recognise import RECOGNISED

(CHECK,) = CHECKS
PREPARED = [CHECK.prepare(seed) for seed in range(3)]


@pytest.mark.parametrize(
    ("rewrites", "rows"),
    [(EXACT, simplification.WRONG), (REASSOCIATING, reassociation.WRONG), (RECOGNISED, recognition.RECOGNITIONS)],
    ids=["exact", "reassociating", "recognised"],
)
def test_every_rewrite_has_a_mutant(rewrites, rows):
    assert {rewrite.name for rewrite in rewrites} == {name for name, *_ in rows}


@pytest.mark.parametrize(
    "mutant",
    [mutant for group in (simplification, reassociation, subexpressions, recognition) for mutant in group.MUTANTS],
    ids=lambda mutant: mutant.id,
)
def test_each_is_caught(mutant):
    wrong = mutant.applied(UNMUTATED)
    assert all(judge(CHECK, wrong, prepared).outcome is not Outcome.PASS for prepared in PREPARED)
