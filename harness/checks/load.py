"""A user's own implementation as a subject, by the name of a Python object."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from typing import Any

from harness.checks.subject import UNMUTATED, Subject
from transforms.array_rules import TABLE
from transforms.drivers import Transformation
from transforms.errors import AdjudgeError
from transforms.rules import Rule


class NoSubject(AdjudgeError):
    """A name that leads to nothing that can be judged."""


def load(name: str) -> Subject:
    """What `MODULE:OBJECT` names, found as Python finds modules, the current folder first.

    A `Transformation` is judged as it is, in the representation that it builds, with our rows for the primitives that
    its table lacks; a `Rule` takes its place in our table; a function from (program, point, cotangent) to a context
    cotangent by variable is judged by the checks that ask for gradients alone. Raises NoSubject.
    """
    module, _, path = name.partition(":")
    if not module or not path:
        raise NoSubject(f"expected MODULE:OBJECT, found {name!r}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise NoSubject(f"{name}: {error}") from None
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise NoSubject(f"{name}: {error}") from None
    return subject(name, found)


def subject(name: str, given: Any) -> Subject:
    """A transformation, a rule or a function as a subject. Raises NoSubject."""
    match given:
        case Transformation():
            judged = replace(given, rules={**TABLE, **given.rules})
            return Subject(name, {_representation(name, judged): judged})
        case Rule():
            if given.name not in TABLE:
                raise NoSubject(f"{name}: no check uses a primitive named {given.name}; expected one of the table's")
            row = {given.name: given}
            changed = UNMUTATED.changed(name, lambda judged: replace(judged, rules={**judged.rules, **row}))
            return replace(changed, core=None)
        case _ if callable(given) and not isinstance(given, type):
            return Subject(name, function=given)  # type: ignore[arg-type]
    kind = type(given).__name__
    raise NoSubject(f"{name}: expected a Transformation, a Rule or a function, found an object of type {kind}")


def _representation(name: str, judged: Transformation) -> str:
    """What the representation of a transformation is called, which claims of costs go by."""
    try:
        return judged.representation(judged.machine(judged.rules)).name
    except Exception as error:
        raise NoSubject(f"{name}: no representation can be built: {type(error).__name__}: {error}") from error
