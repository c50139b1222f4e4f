"""How many mutants replace each field of each rule."""

from mutants.summary import by_rule


def test_mutants_are_counted_by_the_field_that_their_targets_name():
    targets = ["rules.mul.pullback", "rules.mul.pullback", "rules.sin.c", "rules", "clauses.Let", "rules.other.cost"]
    found = by_rule(targets, ["mul", "sin"])
    assert found["mul"] == {"evaluate": 0, "tangent": 0, "pullback": 2, "shape": 0, "cost": 0, "c": 0}
    assert found["sin"]["c"] == 1
    assert set(found) == {"mul", "sin"}
