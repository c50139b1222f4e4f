"""The named errors of this package.

Every error that a user's input can cause is an `AdjudgeError`. Those about a place in a text are `SourceError`s: they
carry the text and an offset, and show line, column and at most 80 columns of the line around a caret.
"""

from __future__ import annotations

WIDTH = 80
"""Columns of a source line that an error shows."""


class AdjudgeError(Exception):
    """An error in what the user gave, to be reported without a traceback."""


class SourceError(AdjudgeError):
    """An error at an offset of a source text; `at` is -1 where the place is not known."""

    def __init__(self, message: str, source: str = "", at: int = -1) -> None:
        super().__init__(message)
        self.message, self.source, self.at = message, source, at

    def located(self, source: str, at: int) -> SourceError:
        """This error, with its place filled in where it lacks one."""
        if self.at < 0:
            self.at = at
        self.source = self.source or source
        return self

    def __str__(self) -> str:
        if self.at < 0 or not self.source:
            return self.message
        line, column = place(self.source, self.at)
        return f"line {line}, column {column}: {self.message}\n{excerpt(self.source, self.at)}"


class ParseError(SourceError):
    """Text that is no term, type or value."""


class TooDeep(SourceError):
    """A term nested more deeply than `walks.MAX_DEPTH`."""


class TooLarge(SourceError):
    """A type whose values cannot be held."""


class UnknownPrimitive(SourceError):
    """A primitive that has no row in the rule table."""


class WrongArity(SourceError):
    """A primitive applied to the wrong number of arguments."""


class UnboundVariable(SourceError):
    """A variable that neither the context nor a binder introduces."""


class RepeatedName(SourceError):
    """A name bound twice by one `case` or one context."""


class WrongCase(SourceError):
    """A `case` on a non-tuple, or with the wrong number of names."""


class ShapeMismatch(SourceError):
    """Arguments whose shapes do not fit a primitive."""


class OutsideDomain(SourceError):
    """A primitive applied outside its domain."""


class NeedsPoint(AdjudgeError):
    """Something that depends on which branches a program takes, and no point to tell."""


class WrongValue(AdjudgeError):
    """A point or cotangent that does not fit the program: missing, superfluous or of the wrong shape."""


def place(source: str, at: int) -> tuple[int, int]:
    """Line and column, both from 1, of an offset."""
    start = source.rfind("\n", 0, at) + 1
    return source.count("\n", 0, at) + 1, at - start + 1


def excerpt(source: str, at: int) -> str:
    """The part of the line around an offset, at most `WIDTH` columns, and a caret below the offset."""
    start = source.rfind("\n", 0, at) + 1
    end = source.find("\n", at)
    line = source[start : end if end >= 0 else len(source)].replace("\t", " ").rstrip("\r")
    column = at - start
    left = max(0, min(column - WIDTH // 2, len(line) - WIDTH))
    shown = "".join(c if c.isprintable() else "?" for c in line[left : left + WIDTH])
    if column - left >= WIDTH:  # a caret after the last column shown
        left, shown = left + 1, shown[1:]
    return f"{shown}\n{' ' * (column - left)}^"
