"""The adversarial search: a climb over core programs that drives the measured constant up.

Each step edits the best program so far: a sub-term grows anew, gives way to a copy of another or to a part of itself.
What costs no less of the constant is kept. Steps alternate with new cotangents, so absent ones are tried too.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from harness.ceiling import Link, Tree, link, neediest
from harness.core_edits import Place, copied, free, places, replaced, shrunk
from harness.needs import Kind, measured
from harness.random_core import Grower, Sample, random_cotangent, random_value
from harness.records import Record, bounded
from transforms.chad.evaluate import evaluate
from transforms.chad.pretty import show_program
from transforms.chad.syntax import Node, Program
from transforms.chad.theorem import CONSTANT, Verdict, judge
from transforms.chad.transform import EFFICIENT, Clauses
from transforms.chad.types import INTEGER, REAL, coproduct, product

CONTEXT = (REAL, product(REAL, REAL), coproduct(REAL, REAL), product(product(REAL, REAL), INTEGER))
"""The types of the variables that a search may use; those that it does not use are dropped at the end."""

STARTS = 30
"""The programs of which a climb starts from the neediest."""

CEILED = 60
"""The source cost up to which the neediest trees are found."""


def search(
    suite: str, case: str, climbs: int, steps: int, largest: int, programs: int, seed: int, clauses: Clauses = EFFICIENT
) -> list[Record]:
    """The largest constant that `climbs` climbs of so many steps find, in programs of a source cost up to `largest`.

    It is compared with the theorem's, and with the most that any program can need, by needs on random `programs`.
    """
    found = [climb(Random(f"{seed}/{k}/climb"), steps, largest, clauses) for k in range(climbs)]
    best = max(found, key=lambda sample: verdict(sample, clauses).constant)
    reached = verdict(best, clauses).constant
    best = shrunk(best, lambda smaller: verdict(smaller, clauses).constant >= reached)
    final = verdict(best, clauses)
    needs = {kind: need.total for kind, need in measured(seed, programs, clauses).items()}
    trees = neediest(needs, CEILED)
    repeated, absent = link(trees), link(neediest(needs, CEILED, barred="pair"))
    sizes = {"climbs": climbs, "steps": steps, "cost": final.source_cost, "transformed": final.cost}
    return [
        bounded(
            suite, case, sizes, f"largest {claim}", limit, final.constant,
            program=show_program(best.program), explanation=text,
        )
        for claim, limit, text in (
            ("measured constant found: ratio to cost(t)", CONSTANT, ""),
            (
                "measured constant found, of what repeating the neediest constructs approaches",
                float(repeated.share),
                explanation(needs, trees, final, repeated, absent),
            ),
        )
    ]  # fmt: skip


def verdict(sample: Sample, clauses: Clauses = EFFICIENT) -> Verdict:
    return judge(sample.program, sample.inputs, sample.cotangent, clauses)


def climb(random: Random, steps: int, largest: int, clauses: Clauses) -> Sample:
    """From the neediest of a few small random programs upwards."""
    grower = Grower(random)
    context = tuple(grower.fresh(type_) for type_ in CONTEXT)
    inputs = tuple(random_value(random, x.type, special=False) for x in context)
    terms = [grower.term(grower.type(2), context, 10) for _ in range(STARTS)]
    samples = [_with_cotangent(random, Sample(Program(context, term), inputs, None)) for term in terms]
    best = max(samples, key=lambda sample: verdict(sample, clauses).constant)
    height = verdict(best, clauses)
    for _ in range(steps):
        edited = _edit(random, grower, best.program)
        if len(places(edited.term, context)) > 2 * largest:
            continue
        tried = _with_cotangent(random, replace(best, program=edited))
        reached = verdict(tried, clauses)
        if reached.constant >= height.constant and reached.source_cost <= largest:
            best, height = tried, reached
    return best


def explanation(needs: dict[Kind, int], trees: list[Tree | None], final: Verdict, repeated: Link, absent: Link) -> str:
    """Why a whole program comes no nearer to the constant, in sentences made from the needs."""
    (name, cotangent), dearest = max(needs.items(), key=lambda item: item[1])
    most = {cost: (1 + tree.need) / cost for cost, tree in enumerate(trees) if tree}
    ends = max(needs["variable", "present"], needs["unit", "present"])
    return (
        f"Of the {CONSTANT}, a {name} at {'an absent' if cotangent == 'absent' else 'a present'} cotangent needs "
        f"{dearest}, but no program consists of it: each construct of two parts brings one more end, and an end needs "
        f"at most {ends}. Dearest to repeat: {_words(repeated)}. Where every pair is at an absent cotangent: "
        f"{_words(absent)}. The search came to {final.constant:.2f} at source cost {final.source_cost}, where the "
        f"needs allow {most[final.source_cost]:.2f}; up to source cost {max(most)} they allow {max(most.values()):.2f}."
    )


def _words(repeated: Link) -> str:
    parts = " + ".join(f"{count} {name}" for name, count in sorted(repeated.constructs.items()))
    return f"{parts}, needing {repeated.need} for a source cost of {repeated.cost}, or {float(repeated.share):.2f} each"


def _with_cotangent(random: Random, sample: Sample) -> Sample:
    """The program with a new cotangent of its result, absent or present where it has parts."""
    program = sample.program
    primal = evaluate(program.term, dict(zip(program.context, sample.inputs, strict=True))).value
    return replace(sample, cotangent=random_cotangent(random, program.term.type, primal))


def _edit(random: Random, grower: Grower, program: Program) -> Program:
    """A program with one sub-term changed; the whole may change its type."""
    everywhere = places(program.term, program.context)
    place = random.choice(everywhere)
    kind = random.choice(("grow", "copy", "copy", "part"))
    if kind == "grow":
        goal = place.term.type if place.path else grower.type(2)
        return _with(program, place, grower.term(goal, place.bound, random.randint(1, 6)))
    others = places(place.term, place.bound)[1:] if kind == "part" else everywhere
    fitting = [
        other.term
        for other in others
        if (not place.path or other.term.type is place.term.type) and free(other.term) <= set(place.bound)
    ]
    return _with(program, place, copied(random.choice(fitting))) if fitting else program


def _with(program: Program, place: Place, new: Node) -> Program:
    return Program(program.context, replaced(program.term, place.path, new))
