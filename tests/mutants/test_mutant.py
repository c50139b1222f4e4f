"""A mutant whose fields do not fit together is refused."""

import pytest

from mutants.mutant import InconsistentMutant, Mutant, unchanged


def mutant(id_="neg.sign", target="rules.neg.pullback", breaks="value", **fields):
    return Mutant(id_, target, breaks, "the minus sign is lost", "ours", unchanged, **fields)


def test_a_mutant_has_an_id_and_a_target():
    with pytest.raises(InconsistentMutant, match=r"mutant '' of 'rules\.neg\.pullback': expected its id, found none"):
        mutant(id_="")
    with pytest.raises(InconsistentMutant, match=r"mutant 'neg\.sign' of '': expected its target, found none"):
        mutant(target="")


def test_a_mutant_breaks_one_of_three():
    for breaks in ("value", "cost", "accuracy"):
        assert mutant(breaks=breaks).breaks == breaks
    with pytest.raises(InconsistentMutant, match=r"expected it to break value or cost or accuracy, found 'v'"):
        mutant(breaks="v")


def test_nothing_must_catch_what_is_equivalent():
    with pytest.raises(InconsistentMutant, match="expected nothing to catch what is equivalent, found taylor, sharing"):
        mutant(equivalent="-0 equals 0", caught_by=("taylor", "sharing"))
