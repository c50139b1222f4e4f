"""What each construct needs of the theorem's constant, measured while transformed programs run.

The need of an executed construct is its own cost, without its sub-terms', plus the change in potential that it makes.
The potential is 1 for each node of a linear value: cotangents passed on to sub-terms count for it, the one received
against it, and what it puts into the slots or takes from them counts as it goes. So the potential that one construct
takes another gives, and the sum of the needs, 1, size(d) and 4 for each variable together bound a program's cost.

`profile` runs the evaluator's own rules, and charges what they charge to the source construct whose clause made the
target term at work. It takes nothing from the cost table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

from harness.random_core import random_sample
from harness.records import Record
from transforms.chad.evaluate import LEAVES, RULES, Adding, Rule, Scoping
from transforms.chad.syntax import Node, Prim, Program, Var
from transforms.chad.target import Add, Bind, Function, Pure, Scope
from transforms.chad.theorem import CONSTANT
from transforms.chad.transform import CLAUSE, EFFICIENT, Clauses, Where, whole
from transforms.chad.types import linear
from transforms.chad.values import size

NAMED = ("add", "mul", "neg", "literal", "sign")
"""The primitives that have a cost of their own; the others share one by the number of their arguments."""

SIZES = (5, 20, 60)

Kind = tuple[str, str]
"""A construct, and whether the cotangent that it receives is `present` or `absent`."""

PAIR_AT_ABSENT: Kind = ("pair", "absent")


@dataclass(slots=True)
class Need:
    """One executed construct; `cost` is its own, `change` that of the potential."""

    construct: str
    cotangent: str = "present"
    cost: int = 0
    change: int = 0

    @property
    def total(self) -> int:
        return self.cost + self.change


@dataclass(slots=True)
class _Activation:
    """A rule at work, the construct that it works for, and how large the slot was that it adds to."""

    rule: Rule
    owner: Need
    subject: Any
    place: Any
    before: int = 0


def construct(term: Node) -> str:
    """The name of a source construct in the table of needs."""
    if not isinstance(term, Prim):
        return CLAUSE[type(term)]
    if term.op.name in NAMED:
        return term.op.name
    if not term.op.derivatives:
        return "integer unary" if term.op.name == "ineg" else "integer binary"
    return "other unary" if len(term.op.derivatives) == 1 else "other binary"


def profile(program: Program, inputs: Sequence[Any], cotangent: Any, clauses: Clauses = EFFICIENT) -> list[Need]:
    """The needs of all executed constructs of a checked program; that of `whole` is the last, for what runs it."""
    d = Var("d", linear(program.term.type))
    watched = _Watched(clauses)
    target = whole(program, d, watched.clauses())
    needs = _run(target, {**dict(zip(program.context, inputs, strict=True)), d: cotangent}, watched)
    return [need for need in needs if need.cost]


class _Watched:
    """Clauses that note which construct each target term belongs to, and where its backpropagator begins."""

    def __init__(self, clauses: Clauses) -> None:
        self.original = clauses
        self.needs: list[Need] = []
        self.owners: dict[Any, Need] = {}
        self.backs: dict[Any, tuple[Need, Var]] = {}

    def clauses(self) -> Clauses:
        names = [field.name for field in fields(Clauses) if field.name != "pullbacks"]
        return replace(self.original, **{name: self._watched(getattr(self.original, name)) for name in names})

    def _watched(self, clause: Any) -> Any:
        def watched(term: Node, where: Where, *derived: Any) -> Node:
            target = clause(term, where, *derived)
            need = Need(construct(term))
            self.needs.append(need)
            todo = [target]
            while todo:
                node = todo.pop()
                if isinstance(node, Var) or node in self.owners:
                    continue
                self.owners[node] = need
                todo += [part for part, _ in node.parts()]
                if isinstance(node, Function):
                    todo.append(node.body)
                    if node.x.type is linear(term.type):
                        self.backs[node.body] = need, node.x
            return target

        return watched


def _run(term: Node, frame: dict[Var, Any], watched: _Watched) -> list[Need]:
    """As the evaluator runs a term, with an account for each construct."""
    owners, backs = watched.owners, watched.backs
    root = Need("whole")
    waiting: list[_Activation] = []
    request: Any = (term, frame)
    while True:
        asker = waiting[-1].owner if waiting else root
        value = None
        if isinstance(request, int):
            asker.cost += request
        else:
            subject, place = request
            owner = asker if isinstance(subject, tuple) else owners.get(subject, asker)
            if isinstance(subject, Node) and subject in backs:
                received, x = backs[subject]
                received.cotangent = "absent" if place[x] is None else "present"
                received.change -= size(place[x])
                asker.change += size(place[x])
            owner.cost += 1
            leaf = LEAVES.get(type(subject))
            if leaf is None:
                rule = RULES[type(subject)](subject, place)
                waiting.append(_Activation(rule, owner, subject, place, _started(owner, subject, place)))
            else:
                value = leaf(subject, place)
        while True:
            if not waiting:
                return [*watched.needs, root]
            try:
                request = waiting[-1].rule.send(value)
                break
            except StopIteration as finished:
                value = finished.value
                _finished(waiting.pop(), value, owners)


def _started(owner: Need, subject: Any, slots: Any) -> int:
    """A scope opens a slot; the size of a slot before something is added to it."""
    if isinstance(subject, Scoping):
        owner.change += size(subject.start)
    return size(slots[subject.level]) if isinstance(subject, Adding) else 0


def _finished(done: _Activation, value: Any, owners: dict[Any, Need]) -> None:
    """A scope closes its slot, a slot has grown, and a computation works for the construct that made it."""
    match done.subject:
        case Scoping():
            done.owner.change -= size(value[0])
        case Adding(level=level):
            done.owner.change += size(done.place[level]) - done.before
        case Pure() | Bind() | Add() | Scope():
            owners[value] = done.owner


def measured(seed: int, programs: int, clauses: Clauses = EFFICIENT) -> dict[Kind, Need]:
    """The construct that needs most, of each kind that occurs in random programs."""
    worst: dict[Kind, Need] = {}
    for need in _executed(seed, programs, clauses):
        kind = need.construct, need.cotangent
        if kind not in worst or need.total > worst[kind].total:
            worst[kind] = need
    return dict(sorted(worst.items()))


def _executed(seed: int, programs: int, clauses: Clauses) -> Iterator[Need]:
    for k in range(programs):
        sample = random_sample(Random(f"{seed}/{k}/needs"), size=SIZES[k % len(SIZES)])
        yield from profile(sample.program, sample.inputs, sample.cotangent, clauses)[:-1]


def table(suite: str, case: str, programs: int, seed: int, clauses: Clauses = EFFICIENT) -> list[Record]:
    """The needs, one record for each kind, and which of them sets the constant."""
    worst = measured(seed, programs, clauses)
    records: list[Record] = [
        {
            "kind": "need", "suite": suite, "case": case, "construct": name, "cotangent": cotangent,
            "cost": need.cost, "change": need.change, "value": need.total, "limit": CONSTANT,
            "holds": need.total <= CONSTANT,
        }
        for (name, cotangent), need in worst.items()
    ]  # fmt: skip
    largest = worst[PAIR_AT_ABSENT].total
    others = max(need.total for kind, need in worst.items() if kind != PAIR_AT_ABSENT)
    sizes = {"programs": programs}
    claims = (
        ("need of a pair at an absent cotangent, and 1 to run the program", CONSTANT, largest + 1),
        ("largest need of any other construct, below a pair's at an absent cotangent", largest - 1, others),
    )
    return records + [
        {
            "kind": "bound", "suite": suite, "case": case, "sizes": sizes,
            "claim": claim, "limit": limit, "value": value, "holds": value <= limit,
        }
        for claim, limit, value in claims
    ]  # fmt: skip
