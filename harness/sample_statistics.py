"""What random programs contain: evidence that a sample of them exercises what it is meant to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.random_terms import Sample
from transforms.syntax import Case, Let, Match, Op, Program, Term, Tuple, Var, children, free_variables, subterms

LARGE = 30
"""A program with more operations than this is large."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What some samples contain, in all of them together unless it is said otherwise.

    `share_large` is the share of programs with more than LARGE operations. `shared` counts the occurrences of variables
    beyond the first of each; `dead_lets` and `unused_inputs` the variables that do not occur at all; `shadowing` the
    binders of a name that is in scope already. `cancellations` counts differences of terms that are one operation at
    most, in which the variables on the right all stand on the left too.
    """

    samples: int
    mean_operations: float
    share_large: float
    primitives: Mapping[str, int]
    lets: int
    dead_lets: int
    tuples: int
    cases: int
    matches: int
    shared: int
    shadowing: int
    unused_inputs: int
    cancellations: int


def statistics(samples: Iterable[Sample]) -> Statistics:
    """Count what the samples, at least one, contain."""
    sizes: list[int] = []
    primitives: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for sample in samples:
        before = primitives.total()
        for term in subterms(sample.program.term):
            seen[type(term).__name__] += 1
            if isinstance(term, Op):
                primitives[term.name] += 1
                seen["cancellation"] += term.name == "sub" and _cancels(*term.args)
        sizes.append(primitives.total() - before)
        _count_uses(sample.program, seen)
    return Statistics(
        samples=len(sizes),
        mean_operations=sum(sizes) / len(sizes),
        share_large=sum(size > LARGE for size in sizes) / len(sizes),
        primitives=primitives,
        lets=seen[Let.__name__],
        dead_lets=seen["dead let"],
        tuples=seen[Tuple.__name__],
        cases=seen[Case.__name__],
        matches=seen[Match.__name__],
        shared=seen["shared"],
        shadowing=seen["shadowing"],
        unused_inputs=seen["unused input"],
        cancellations=seen["cancellation"],
    )


def _cancels(left: Term, right: Term) -> bool:
    lost = set(free_variables(right))
    return left.depth <= 1 >= right.depth and bool(lost) and lost <= set(free_variables(left))


def _count_uses(program: Program, seen: Counter[str]) -> None:
    """Count what the uses of variables tell: sharing, shadowing, and what is never used."""
    uses: list[int] = []  # by binder

    def bind(names: Iterable[str], scope: dict[str, int]) -> dict[str, int]:
        for name in names:
            seen["shadowing"] += name in scope
            scope = scope | {name: len(uses)}
            uses.append(0)
        return scope

    def walk(term: Term, scope: dict[str, int]) -> None:
        match term:
            case Let(name=name, bound=bound, body=body):
                walk(bound, scope)
                binder = len(uses)
                walk(body, bind([name], scope))
                seen["dead let"] += not uses[binder]
            case Case(names=names, bound=bound, body=body):
                walk(bound, scope)
                walk(body, bind(names, scope))
            case Match(bound=bound, names=names, branches=branches):
                walk(bound, scope)
                for name, branch in zip(names, branches, strict=True):
                    walk(branch, bind([name], scope))
            case Var(name=name):
                uses[scope[name]] += 1
            case _:
                for child in children(term):
                    walk(child, scope)

    inputs = bind([name for name, _ in program.context], {})
    walk(program.term, inputs)
    seen["shared"] += sum(count - 1 for count in uses if count)
    seen["unused input"] += uses[: len(inputs)].count(0)
