"""Which leaf a mutant replaces, its text before and after, and where it stands."""

from dataclasses import replace

from harness.checks.subject import UNMUTATED
from mutants.catalogue.all import CATALOGUE
from mutants.leaves import ROOT, place, replaced, source
from mutants.mutant import rule
from tests.mutants import fakes
from transforms.chad.transform import EFFICIENT
from transforms.composed_rules import COMPOSED
from transforms.cotangents.accumulator import accumulator
from transforms.machines.counting import Counting
from transforms.reverse import CLAUSES
from transforms.rules import mul_pullback
from transforms.syntax import Let


def leaves(change):
    return replaced(UNMUTATED, UNMUTATED.changed("changed", change))


def text(where):
    return "\n".join((ROOT / where.path).read_text().split("\n")[where.start - 1 : where.end])


def test_nothing_differs_from_itself():
    assert replaced(UNMUTATED, UNMUTATED) == []
    assert leaves(replace) == []


def test_a_field_of_a_rule():
    (leaf,) = leaves(fakes.OWN.change)
    assert leaf.path == "rules.mul.pullback"
    assert leaf.before is mul_pullback and leaf.after is fakes.own_operand
    assert source(leaf.after) == "def own_operand(m, ct, r, a, b):\n    return m.mul(ct, a), m.mul(ct, b)"
    assert place(leaf).path == "transforms/rules.py"
    assert text(place(leaf)) == source(leaf.before)


def test_a_field_that_is_no_function_stands_in_its_row():
    (leaf,) = leaves(rule("matmul", c="{0}"))
    assert leaf.path == "rules.matmul.c"
    assert source(leaf.after) == "{0}"
    assert place(leaf).path == "transforms/array_rules.py"
    assert 'Rule("matmul"' in text(place(leaf))


def test_a_clause():
    (leaf,) = leaves(fakes.CLAUSE.change)
    assert leaf.path == "clauses.Let"
    assert leaf.before is CLAUSES[Let]
    assert text(place(leaf)).startswith("def let(")


def test_one_function_of_one_representation():
    def forgetting(machine):
        made = accumulator(machine)
        return replace(made, plus=lambda u, v: u)

    def change(judged):
        return replace(judged, representation=forgetting) if judged.representation is accumulator else judged

    (leaf,) = leaves(change)
    assert leaf.path == "representation.accumulator.plus"
    assert place(leaf).path == "transforms/cotangents/accumulator.py"
    assert "lambda u, v: u" in source(leaf.after)


def test_one_operation_of_the_machine():
    class Forgetful(Counting):
        def given(self, value):
            return super().given(value)

    (leaf,) = leaves(lambda judged: replace(judged, machine=Forgetful))
    assert leaf.path == "machine.given"
    assert place(leaf).path == "transforms/machines/counting.py"
    assert "super().given(value)" in source(leaf.after)


def test_a_driver():
    (leaf,) = leaves(fakes.SEED.change)
    assert leaf.path == "drivers.seed"
    assert place(leaf).path == "transforms/drivers.py"


def test_a_row_that_is_added_and_a_table_that_answers_for_every_name():
    spare = replace(UNMUTATED.transformations["pointwise"].rules["mul"], name="spare")
    (leaf,) = leaves(lambda judged: replace(judged, rules={**judged.rules, "spare": spare}))
    assert (leaf.path, leaf.before) == ("rules.spare", None)

    class Guessing(dict):
        """Has a row for everything."""

    (leaf,) = leaves(lambda judged: replace(judged, rules=Guessing(judged.rules)))
    assert leaf.path == "rules"
    assert "Has a row for everything" in source(leaf.after)
    assert place(leaf).path.startswith("transforms/")


def test_a_clause_of_the_theorem():
    core = replace(EFFICIENT, let=fakes.forgetful)
    (leaf,) = replaced(UNMUTATED, replace(UNMUTATED, core=core))
    assert leaf.path == "core.let"
    assert place(leaf).path == "transforms/chad/transform.py"


def test_a_row_of_a_composition_is_compared_with_the_one_that_it_replaces():
    composed = [mutant for mutant in CATALOGUE if mutant.target.split(".")[1] in COMPOSED]
    assert composed
    for mutant in composed:
        (leaf,) = leaves(mutant.change)
        assert leaf.path == mutant.target and leaf.before is not None


def test_no_text_of_a_leaf_holds_an_address():
    class Callable:
        def __call__(self) -> None: ...

    assert "0x" in repr(Callable())
    assert source(Callable()).endswith(" at 0x...>")
