"""How often terms are evaluated and their backpropagators run: counted around the clauses, whatever they do inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from harness.checks.check import Measured
from harness.checks.examples import Example, constructs
from harness.checks.subject import Subject
from harness.families import doubling
from harness.random_terms import random_program
from transforms.drivers import Transformation, gradient
from transforms.pretty import pretty
from transforms.syntax import BINDERS, Term, subterms

RANDOM_PROGRAMS = 6


@dataclass(frozen=True, slots=True)
class Watched:
    """An example, and how often each of its terms occurs in it, by identity: random programs share terms."""

    example: Example
    occurrences: Counter[int]


def programs(seed: int) -> list[Watched]:
    found = [Example("doubling", doubling(8), {"x": 1.5}, 0.5), *constructs(seed)]
    for k in range(RANDOM_PROGRAMS):
        sample = random_program(Random(f"{seed}/{k}/visits"), size=10, result=None, branching=k % 3 == 0)
        found.append(Example(f"random program {k}", sample.program, sample.point, sample.cotangent))
    return [Watched(example, Counter(map(id, subterms(example.program.term)))) for example in found]


def repeated(subject: Subject, prepared: list[Watched]) -> Measured:
    """How often too often the most visited term is evaluated, or the backpropagator of one evaluation is run."""
    worst = Measured(0.0)
    for name, judged in subject.transformations.items():
        for watched in prepared:
            times, term, what = _most(judged, watched)
            if times > worst.error:
                where = f"{pretty(term)} is {what} {times} times too often ({name}; {watched.example.label})"
                worst = Measured(float(times), where)
    return worst


def _most(judged: Transformation, watched: Watched) -> tuple[int, Term, str]:
    """The term that is visited too often most of all, how often, and what was done."""
    example = watched.example
    evaluations = [(0, example.program.term)]
    runs: list[tuple[int, Term]] = []
    left = watched.occurrences.copy()

    def counted(clause: Callable[..., Any]) -> Callable[..., Any]:
        def visit(ad: Any, term: Term, scope: Any) -> Any:
            left[id(term)] -= 1
            if left[id(term)] < 0:
                evaluations.append((-left[id(term)], term))
            k = len(runs)
            runs.append((-1, term))

            def once(run: Callable[..., Any]) -> Callable[..., Any]:
                def counting(ct: Any) -> Any:
                    runs[k] = runs[k][0] + 1, term
                    return run(ct)

                return counting

            first, second = clause(ad, term, scope)
            return (once(first), second) if isinstance(term, BINDERS) else (first, once(second))

        return visit

    clauses = {constructor: counted(clause) for constructor, clause in judged.clauses.items()}
    gradient(replace(judged, clauses=clauses), example.program, example.point, example.cotangent)
    (again, term), (more, whose) = [max(pairs, key=lambda pair: pair[0]) for pairs in (evaluations, runs)]
    return (again, term, "evaluated") if again >= more else (more, whose, "differentiated")
