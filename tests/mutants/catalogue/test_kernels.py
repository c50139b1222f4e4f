"""The check of kernels catches each of their mutants, by what they print, whatever its inputs."""

from __future__ import annotations

import pytest

from harness import native
from harness.checks.check import Outcome, judge
from harness.checks.native import CHECKS
from harness.checks.subject import UNMUTATED
from harness.errors import ToolMissing
from mutants.catalogue.kernels import MUTANTS
from mutants.leaves import place, replaced, source
from transforms.kernels.program import emit

FOUND = {check.id: check for check in CHECKS}


@pytest.fixture(scope="module")
def prepared():
    try:
        native.toolchain()
    except ToolMissing as missing:
        pytest.skip(str(missing))
    return [FOUND["kernels-agree"].prepare(seed) for seed in range(3)]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_each_is_caught(mutant, prepared):
    assert mutant.caught_by == ("kernels-agree",)
    wrong = mutant.applied(UNMUTATED)
    assert {judge(FOUND["kernels-agree"], wrong, asked).outcome for asked in prepared} == {Outcome.VALUE}


def test_each_shows_what_is_wrong_in_place_of_the_kernels():
    texts = []
    for mutant in MUTANTS:
        (leaf,) = replaced(UNMUTATED, mutant.applied(UNMUTATED))
        assert leaf.before is emit and place(leaf).path == "transforms/kernels/program.py"
        texts.append(source(leaf.after))
    assert len(set(texts)) == len(texts) and all(text.startswith(("def ", "class ", "@")) for text in texts)
