"""Which mutants a plan runs, and that no two checks can change each other's data."""

import gc
from types import FunctionType, ModuleType

import numpy as np
import pytest

from harness.checks.battery import BATTERY
from harness.checks.battery import NATIVE as battery_native
from harness.checks.subject import UNMUTATED
from harness.select import selector
from mutants.catalogue.all import CATALOGUE
from mutants.catalogue.all import NATIVE as catalogue_native
from mutants.coverage import reaches
from mutants.leaves import replaced
from mutants.plan import Plan, is_native, name, select
from tests.mutants.fakes import CAUGHT, OWN, mutant


def test_mutants_are_selected_by_id_and_by_target():
    assert [m.id for m in select(CAUGHT, selector("dear"))] == ["mul.dear"]
    assert [m.id for m in select(CAUGHT, selector("drivers"))] == ["seed.one"]
    assert [m.id for m in select(CAUGHT, selector("pullback and not mul."))] == []


def test_a_quick_plan_takes_every_sixth():
    assert select(CAUGHT, lambda name: True, quick=True) == CAUGHT[::6]


def test_mutants_of_c_templates_and_of_kernels_are_native():
    assert is_native(mutant("mul.c.twice", "rules.mul.c", None))
    assert is_native(mutant("kernels.stale", "drivers.kernels", None))
    assert not is_native(OWN)
    assert "native" in name(mutant("mul.c.twice", "rules.mul.c", None))
    assert not is_native(mutant("mul.cost.half", "rules.mul.cost", None))


def test_no_two_checks_share_an_array():
    """The cells of a mutant follow each other in one process: one that writes to its inputs must not spoil others."""
    owners = {}
    prepared = {check.id: check.prepare(0) for check in BATTERY}
    for check, data in prepared.items():
        for array in _arrays(data):
            assert owners.setdefault(id(array), check) == check


def _arrays(root):
    """Every array that can be reached from an object, through closures too."""
    todo, seen = [root], set()
    while todo:
        each = todo.pop()
        if id(each) in seen or isinstance(each, (type, ModuleType, str)):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray) and each.flags.writeable:
            yield each
        if isinstance(each, FunctionType):  # not its globals
            todo += [cell.cell_contents for cell in each.__closure__ or ()]
        else:
            todo += gc.get_referents(each)


GROUPS = ((CATALOGUE, BATTERY), (catalogue_native, battery_native))


@pytest.mark.parametrize(("group", "checks"), GROUPS, ids=["matrix", "native"])
def test_the_catalogue_fits_the_battery(group, checks):
    Plan(group, checks)  # ids are unique
    known = {check.id for check in checks}
    assert {m.id: set(m.caught_by) - known for m in group if not set(m.caught_by) <= known} == {}


@pytest.mark.parametrize("group", [CATALOGUE, catalogue_native], ids=["matrix", "native"])
def test_every_mutant_replaces_the_leaf_that_it_names(group):
    for each in group:
        leaves = replaced(UNMUTATED, each.applied(UNMUTATED))
        assert any(reaches([leaf.path], each.target) for leaf in leaves), each.id
