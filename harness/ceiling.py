"""How much of the constant a whole program can need, from the needs of its constructs.

A program is a tree of executed constructs, and not every construct can stand below every other: a pair has two parts,
so whatever repeats it also repeats what its other part ends in, and a variable needs little. The most that a tree of a
given source cost can need is found by dynamic programming over what kind of cotangent arrives where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

PRESENT, ABSENT = "present", "absent"
ZEROS = ("real", "unit", "no product", "no sum")
"""What arrives at a part of what is absent."""

STATES = (*ZEROS, "reals", "product", "sum")
"""The cotangent that arrives at a term: `reals` is a present pair of two, and `no product` one that is absent."""

# fmt: off
PARTS: Mapping[str, tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]] = {
    "variable":       tuple((state, ()) for state in STATES),
    "unit":           (("unit", ()),),
    "let":            tuple((state, (STATES, (state,))) for state in STATES),
    "case":           tuple((state, (("sum",), (state,))) for state in STATES),
    "fst":            tuple((state, (("product", "reals"),)) for state in STATES),
    "snd":            tuple((state, (("product", "reals"),)) for state in STATES),
    "pair":           (("reals", (("real",),) * 2), ("product", (STATES,) * 2), ("no product", (ZEROS,) * 2)),
    "inl":            (("sum", (STATES,)), ("no sum", (ZEROS,))),
    "inr":            (("sum", (STATES,)), ("no sum", (ZEROS,))),
    "sign":           (("sum", (("real",),)), ("no sum", (("real",),))),
    "literal":        (("real", (("unit",),)), ("unit", (("unit",),))),
    "neg":            (("real", (("real",),)),),
    "other unary":    (("real", (("real",),)),),
    "add":            (("real", (("reals",),)),),
    "mul":            (("real", (("reals",),)),),
    "other binary":   (("real", (("reals",),)),),
    "integer unary":  (("unit", (("unit",),)),),
    "integer binary": (("unit", (("product",),)),),
}
"""For each construct: the cotangents that it may receive, each with those that its executed parts may."""
# fmt: on


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of constructs: what they need together, and how many of each there are."""

    need: int
    constructs: Counter[str]


@dataclass(frozen=True, slots=True)
class Link:
    """What the neediest trees repeat as they grow."""

    constructs: Counter[str]
    need: int

    @property
    def cost(self) -> int:
        return self.constructs.total()

    @property
    def share(self) -> Fraction:
        return Fraction(self.need, self.cost)


def neediest(needs: Mapping[tuple[str, str], int], cost: int, barred: str = "") -> list[Tree | None]:
    """The tree that needs most for every source cost up to `cost`; `barred` is a construct to leave out."""
    most: dict[str, list[Tree | None]] = {state: [None] * (cost + 1) for state in STATES}
    for total in range(1, cost + 1):
        for name, forms in PARTS.items():
            for state, parts in forms:
                key = name, ABSENT if state.startswith("no ") else PRESENT
                if key not in needs or _labelled(*key) == barred:
                    continue
                below = _most_below(most, parts, total - 1)
                if below is not None:
                    need = needs[key] + below.need
                    old = most[state][total]
                    if old is None or need > old.need:
                        label = Counter({_labelled(*key): 1})
                        most[state][total] = Tree(need, below.constructs + label)
    return [_best(most, STATES, total) for total in range(cost + 1)]


def link(trees: list[Tree | None], last: int = 12) -> Link:
    """What is added to the neediest tree again and again: the shortest step that the last trees all agree on."""
    for step in range(1, last + 1):
        larger, smaller = trees[-last:], trees[-last - step : -step]
        added = {
            (a.need - b.need, tuple(sorted((a.constructs - b.constructs).items())))
            for a, b in zip(larger, smaller, strict=True)
            if a and b
        }
        if len(added) == 1:
            need, constructs = added.pop()
            return Link(Counter(dict(constructs)), need)
    raise ValueError(f"no step up to {last} repeats among {len(trees)} trees")


def _labelled(name: str, cotangent: str) -> str:
    return f"{name} at an absent cotangent" if cotangent == ABSENT else name


def _most_below(most: dict[str, list[Tree | None]], parts: tuple[tuple[str, ...], ...], cost: int) -> Tree | None:
    """The neediest parts of a construct whose costs add up to `cost`."""
    if not parts:
        return Tree(0, Counter()) if cost == 0 else None
    if len(parts) == 1:
        return _best(most, parts[0], cost)
    found: Tree | None = None
    for first in range(1, cost):
        left, right = _best(most, parts[0], first), _best(most, parts[1], cost - first)
        if left and right and (found is None or left.need + right.need > found.need):
            found = Tree(left.need + right.need, left.constructs + right.constructs)
    return found


def _best(most: dict[str, list[Tree | None]], states: tuple[str, ...], cost: int) -> Tree | None:
    trees = [tree for state in states if (tree := most[state][cost])]
    return max(trees, key=lambda tree: tree.need, default=None)
