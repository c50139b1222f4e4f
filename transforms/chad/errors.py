"""The named errors of the core language."""

from __future__ import annotations

from transforms.errors import AdjudgeError


class IllTyped(AdjudgeError):
    """A construct whose parts do not have the types it needs; the message says what was expected and found."""


class OutOfScope(AdjudgeError):
    """A variable used where it is not bound or bound again in its own scope, or a closure whose list is not exact."""


class WrongAlternative(AdjudgeError):
    """A linear value of one side of a sum where the other side was taken."""


class NoCounterpart(AdjudgeError):
    """A term of the fragment that the core language cannot express, such as one about arrays."""
