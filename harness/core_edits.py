"""Edits of core programs: what a search tries, and how a program is shrunk.

An edit replaces one sub-term by another of its type. Terms are trees, so a sub-term that occurs twice is copied with
binders of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from harness.random_core import Sample
from transforms.chad.evaluate import evaluate
from transforms.chad.primitives import literal
from transforms.chad.syntax import Inl, Node, Pair, Prim, Program, Unit, Var
from transforms.chad.types import INTEGER, UNIT, Product, Sum, Type
from transforms.chad.values import Left, Right

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A sub-term: the fields that lead to it, and the variables that are bound on the way."""

    path: Path
    term: Node
    bound: tuple[Var, ...]


def places(term: Node, context: tuple[Var, ...]) -> list[Place]:
    """Every sub-term, the whole first; `bound` begins with the context."""
    found = [Place((), term, context)]
    for place in found:  # it grows while it is read
        for name, part, x in _parts(place.term):
            found.append(Place((*place.path, name), part, (*place.bound, x) if x else place.bound))
    return found


def replaced(term: Node, path: Path, new: Node) -> Node:
    """The term with another sub-term at the end of the path."""
    if not path:
        return new
    return replace(term, **{path[0]: replaced(getattr(term, path[0]), path[1:], new)})


def copied(term: Node, renamed: Mapping[Var, Var] | None = None) -> Node:
    """The same term with new binders."""
    renamed = renamed or {}
    if isinstance(term, Var):
        return renamed.get(term, term)
    binders = {name: Var(x.name, x.type) for name in ("x", "y") if isinstance(x := getattr(term, name, None), Var)}
    fresh = {getattr(term, name): x for name, x in binders.items()}
    changed: dict[str, Any] = dict(binders)
    for name, part, x in _parts(term):
        changed[name] = copied(part, {**renamed, x: fresh[x]} if x else renamed)
    return replace(term, **changed) if changed else term


def free(term: Node) -> set[Var]:
    """The variables that are used but not bound."""
    if isinstance(term, Var):
        return {term}
    return {y for part, x in term.parts() for y in free(part) if y is not x}


def smallest(type_: Type) -> Node:
    """A smallest closed term of a type."""
    match type_:
        case Product(left=left, right=right):
            return Pair(smallest(left), smallest(right))
        case Sum(left=left, right=right):
            return Inl(smallest(left), right)
    return Unit() if type_ is UNIT else Prim(literal(1 if type_ is INTEGER else 1.0), Unit())


def shrunk(sample: Sample, keeps: Callable[[Sample], bool]) -> Sample:
    """A smaller sample for which `keeps` is still true: no single edit tried here makes it smaller again."""
    while True:
        for smaller in _smaller(sample):
            if _suits(smaller) and keeps(smaller):
                sample = smaller
                break
        else:
            return sample


def _smaller(sample: Sample) -> Iterator[Sample]:
    """Samples with a sub-term less, or without a variable that is not used; the boldest first."""
    program = sample.program
    used = free(program.term)
    kept = [k for k, x in enumerate(program.context) if x in used]
    if len(kept) < len(program.context):
        context = tuple(program.context[k] for k in kept)
        yield Sample(Program(context, program.term), tuple(sample.inputs[k] for k in kept), sample.cotangent)
    everywhere = places(program.term, program.context)
    for place in everywhere:
        weight = _weight(place.term)
        leaves: list[Node] = [x for x in place.bound if x.type is place.term.type]
        below = [other.term for other in places(place.term, place.bound)[1:] if other.term.type is place.term.type]
        for new in (*leaves, smallest(place.term.type), *below):
            if _weight(new) < weight and free(new) <= set(place.bound):
                yield replace(sample, program=Program(program.context, replaced(program.term, place.path, new)))


def _suits(sample: Sample) -> bool:
    """Whether the cotangent still is of the sides of sums that the program now ends on."""
    program = sample.program
    primal = evaluate(program.term, dict(zip(program.context, sample.inputs, strict=True))).value
    todo = [(sample.cotangent, primal)]
    while todo:
        match todo.pop():
            case (Left(value=d), Left(value=a)) | (Right(value=d), Right(value=a)):
                todo.append((d, a))
            case (Left() | Right(), _):
                return False
            case ((d1, d2), (a1, a2)):
                todo += [(d1, a1), (d2, a2)]
    return True


def _weight(term: Node) -> int:
    """The number of constructs; a variable is less than anything else of its size."""
    return sum(1 if isinstance(place.term, Var) else 2 for place in places(term, ()))


def _parts(term: Node) -> Iterator[tuple[str, Node, Var | None]]:
    """The sub-terms, each with its field, and the variable that it is in the scope of."""
    names = [field.name for field in fields(term) if field.name not in ("x", "y")]
    names = [name for name in names if isinstance(getattr(term, name), Node)]
    for name, (part, x) in zip(names, term.parts(), strict=True):
        yield name, part, x
