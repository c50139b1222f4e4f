"""Numbers that were found beside those that were expected: the largest error, and the entry that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from math import nan
from typing import Any

import numpy as np

from harness.checks.check import Measured
from harness.checks.examples import Example
from harness.checks.subject import Subject
from harness.nests import leaves
from transforms.drivers import Transformation, gradient
from transforms.pretty import pretty_program
from transforms.rules import Rules
from transforms.types import Injected

Numbers = list[float]


@dataclass(frozen=True, slots=True)
class Answer:
    """An example with the numbers that are right: of its value and its gradient, and the unit of each error."""

    example: Example
    primal: Numbers
    cotangent: Numbers
    scale: Numbers


def answered(example: Example, primal: Any, cotangent: Mapping[str, Any]) -> Answer:
    """An answer whose errors are measured in max(1, |expected|)."""
    right = [float(x) for x in leaves(primal)], [float(x) for x in leaves(tuple(cotangent.values()))]
    return Answer(example, *right, [max(1.0, abs(x)) for numbers in right for x in numbers])


@dataclass(slots=True)
class Comparison:
    """Errors gathered over many examples, so that they are worked out at once."""

    found: Numbers = field(default_factory=list)
    expected: Numbers = field(default_factory=list)
    scale: Numbers = field(default_factory=list)
    sources: list[tuple[Example, str, int]] = field(default_factory=list)

    def add(self, example: Example, source: str, found: Numbers, expected: Numbers, scale: Numbers) -> None:
        """The numbers of the value, if there are any, and of the context cotangent; `source` says who found them."""
        self.found += found
        self.expected += expected
        self.scale += scale
        self.sources.append((example, source, len(found)))

    def ask(self, subject: Subject, answers: Iterable[Answer]) -> Comparison:
        """Add what the subject finds to each example."""
        for answer in answers:
            for source, primal, cotangent in runs(subject, answer.example):
                value = primal if answer.primal else []
                expected = answer.primal + answer.cotangent if value else answer.cotangent
                self.add(answer.example, source, value + cotangent, expected, answer.scale[-len(expected) :])
        return self

    def measured(self) -> Measured:
        """The largest error over its scale: NaN where there is one."""
        found, expected = np.array(self.found), np.array(self.expected)
        with np.errstate(all="ignore"):
            errors = np.where(found == expected, 0.0, np.abs(found - expected)) / np.array(self.scale)
        if not errors.size:
            return Measured(0.0)
        worst = int(np.argmax(errors))  # the first NaN, if there is one
        return Measured(float(errors[worst]), "" if errors[worst] == 0.0 else self._where(worst))

    def _where(self, worst: int) -> str:
        ends = list(accumulate(count for _, _, count in self.sources))
        k = next(k for k, end in enumerate(ends) if end > worst)
        example, source, count = self.sources[k]
        names = list(_names({name: example.point[name] for name, _ in example.program.context}))
        before = count - len(names)
        place = worst - ends[k] + count
        entry = names[place - before] if place >= before else f"entry {place} of the value"
        return (
            f"{entry} is {self.found[worst]!r}, expected {self.expected[worst]!r} ({source}; {example.label}); "
            f"{pretty_program(example.program)} at {shown(example.point)}, cotangent {shown(example.cotangent)}"
        )


def runs(subject: Subject, example: Example) -> Iterator[tuple[str, Numbers, Numbers]]:
    """What the subject finds, by representation: the value's numbers and the context cotangent's.

    A function to gradients finds no value. A cotangent of another shape than its variable's counts as NaN.
    """
    program, point = example.program, example.point
    if subject.function is not None:
        yield subject.name, [], _gathered(subject.function(program, point, example.cotangent), example)
    for name, judged in asked(subject, example):
        found = gradient(judged, program, point, example.cotangent)
        yield name, list(leaves(found.primal)), _gathered(found.cotangent, example)


def asked(subject: Subject, example: Example) -> list[tuple[str, Transformation]]:
    """The transformations that an example is put to, by representation."""
    each = list(subject.transformations.items())
    return each if example.turn is None or not each else [each[example.turn % len(each)]]


def tables(subject: Subject) -> list[Rules]:
    """The table of rules, which all representations share; a function has none."""
    return [judged.rules for judged in subject.transformations.values()][:1]


def shown(value: Any) -> str:
    """A point or cotangent as text, cut where it is long."""
    text = repr(_plain(value))
    return text if len(text) <= 400 else f"{text[:400]} ..."


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {name: _plain(part) for name, part in value.items()}
        case tuple():
            return tuple([_plain(part) for part in value])
        case Injected(side=side, value=inner):
            return {("inl", "inr")[side]: _plain(inner)}
    return np.asarray(value).tolist()


def _gathered(cotangents: Mapping[str, Any], example: Example) -> Numbers:
    found: Numbers = []
    for name, _ in example.program.context:
        _gather(cotangents[name], example.point[name], found)
    return found


def _gather(ct: Any, like: Any, found: Numbers) -> None:
    if type(like) is float:
        found.append(float(ct) if np.ndim(ct) == 0 else nan)
    elif isinstance(like, np.ndarray):
        fits = np.shape(ct) == like.shape
        found += np.asarray(ct).ravel().tolist() if fits else [nan] * like.size
    elif isinstance(like, Injected):
        _gather(ct.value, like.value, found)
    else:
        for part, of in zip(ct, like, strict=True):
            _gather(part, of, found)


def _names(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        yield from _entries(name, value)


def _entries(name: str, value: Any) -> Iterator[str]:
    while isinstance(value, Injected):
        value = value.value
    if isinstance(value, tuple):
        for k, part in enumerate(value):
            yield from _entries(f"{name}.{k}", part)
    elif np.ndim(value):
        yield from [f"{name}[{', '.join(map(str, at))}]" for at in np.ndindex(value.shape)]
    else:
        yield name
