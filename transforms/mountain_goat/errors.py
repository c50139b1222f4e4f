"""The named errors of Mountain Goat programs, each shown as `FILE:LINE: error: MESSAGE`."""

from __future__ import annotations

from transforms.errors import AdjudgeError


class MountainGoatError(AdjudgeError):
    """An error at a line of a program; `line` counts from 1, and is 0 where the place is not known."""

    def __init__(self, message: str, line: int = 0, file: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.file = message, line, file

    def located(self, line: int, file: str) -> MountainGoatError:
        """This error, with its place filled in where it lacks one."""
        self.line = self.line or line
        self.file = self.file or file
        return self

    def __str__(self) -> str:
        if not self.line:
            return f"{self.file}: error: {self.message}" if self.file else f"error: {self.message}"
        return f"{self.file or 'line '}{':' * bool(self.file)}{self.line}: error: {self.message}"


class Malformed(MountainGoatError):
    """Text that is no statement, expression, type or literal."""


class TooNested(MountainGoatError):
    """An expression nested more deeply than `tree.MAX_DEPTH`."""


class TooLarge(MountainGoatError):
    """A number beyond the range of doubles, or a value or program beyond what can be held."""


class UnknownName(MountainGoatError):
    """A name that no `let` or parameter introduces."""


class UnknownFunction(MountainGoatError):
    """A function that is neither built in nor defined above."""


class Redefined(MountainGoatError):
    """A second function, or parameter of one function, of the same name."""


class WrongCount(MountainGoatError):
    """A function given the wrong number of arguments."""


class NoMatrix(MountainGoatError):
    """A scalar or a list of axes where a matrix is needed, or the reverse."""


class WrongArgument(MountainGoatError):
    """An argument that does not fit its parameter's shape."""


class WrongShape(MountainGoatError):
    """Shapes that an operation cannot combine."""


class WrongRank(WrongShape):
    """A value of another rank than an operation takes."""


class WrongAxis(MountainGoatError):
    """An axis out of range or listed twice, or a permutation that is none."""


class NoGradient(MountainGoatError):
    """A gradient that was asked for and does not exist."""


class WrongDirection(MountainGoatError):
    """A direction that is missing, or of another shape than its matrix."""
