"""What is read off a matrix, on matrices small enough to read it off by eye, or to try every set."""

from itertools import combinations
from random import Random

from mutants import matrix

CHECKS = ("a", "b", "c", "d")
ROWS = {
    "m1": frozenset("ab"),
    "m2": frozenset("b"),
    "m3": frozenset("ab"),
    "m4": frozenset("cd"),
    "m5": frozenset("bcd"),
    "m6": frozenset(),
}


def test_the_worth_of_a_check():
    assert matrix.solo(ROWS, "b") == 4 / 6
    assert matrix.unique(ROWS, "b") == ["m2"]
    assert matrix.unique(ROWS, "a") == []
    assert matrix.without(ROWS, "b") == 4 / 6
    assert matrix.without(ROWS, "a") == 5 / 6


def test_groups_are_the_distinct_rows_of_what_is_killed():
    assert matrix.groups(ROWS) == [("m1", "m3"), ("m2",), ("m4",), ("m5",)]


def test_whatever_kills_the_subsuming_mutants_kills_all():
    # {b} is in {a, b} and {b, c, d}; {c, d} contains no other.
    assert matrix.subsuming(ROWS) == ("m2", "m4")


def test_difficulty_is_the_share_of_checks_that_kill():
    assert matrix.difficulty(ROWS, "m1", CHECKS) == 0.5
    assert matrix.difficulty(ROWS, "m6", CHECKS) == 0.0


def test_the_smallest_set_of_checks():
    assert matrix.smallest(ROWS, CHECKS) == ("b", "c")
    assert matrix.smallest({"m": frozenset()}, CHECKS) == ()


def test_the_smallest_set_is_as_small_as_trying_every_set_finds():
    rng = Random(0)
    for _ in range(60):
        checks = "abcdefgh"[: rng.randint(1, 8)]
        rows = {f"m{k}": frozenset(rng.sample(checks, rng.randint(0, len(checks)))) for k in range(rng.randint(1, 12))}
        found = set(matrix.smallest(rows, tuple(checks)))
        assert all(row & found for row in rows.values() if row)
        smaller = combinations(checks, len(found) - 1) if found else ()
        assert not any(all(row & set(tried) for row in rows.values() if row) for tried in smaller)
