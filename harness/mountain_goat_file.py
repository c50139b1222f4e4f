"""Files of Mountain Goat programs: `.mg` is text of the language, `.mlir` text of the `mg` dialect."""

from __future__ import annotations

import numpy as np

from transforms.mountain_goat import lower, mlir, parse, write
from transforms.mountain_goat.errors import Malformed, MountainGoatError, NoGradient, WrongDirection
from transforms.mountain_goat.gradients import Generated
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.module import Module
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.task import refuse_dynamic
from transforms.mountain_goat.tree import Let, Matrix

ENDINGS = (".mg", ".mlir")


def decoded(data: bytes, file: str) -> str:
    """The text in a file. Raises Malformed, with the line, where it is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Malformed(f"byte {error.start} of the file is no UTF-8 text", line, file) from None


def module(text: str, file: str) -> Module:
    """The module in the text of a file. Raises MountainGoatError, and MissingXdsl for `.mlir`."""
    return mlir.read(text, file) if file.endswith(".mlir") else lower.lower(text, file)


def straight(text: str, file: str) -> Straight:
    """The straight line in the text of a file. Raises as `module` does."""
    return inline(module(text, file), text)


def differentiable(text: str, file: str, loss: int = 1) -> Straight:
    """The straight line in the text of a file, every size known beforehand, that has a print number `loss`, from 1.

    Raises NoGradient, and as `module` does.
    """
    found = module(text, file)
    refuse_dynamic(found)
    line = inline(found, text)
    if line.stop is None and 0 < len(line.prints) < loss:
        count = f"{len(line.prints)} print{'' if len(line.prints) == 1 else 's'}"
        raise NoGradient(f"the loss is to be print {loss}, but the program has {count}", 0, file)
    return line


def text(generated: Generated) -> str:
    """The text of a generated program, in the language."""
    return write.write(generated.straight, generated.sections)


def matrices(text: str) -> list[np.ndarray]:
    """The values of matrix literals with `;` between them. Raises WrongDirection, which says which one is none."""
    return [_matrix(literal, k) for k, literal in enumerate(text.split(";"), 1)]


def _matrix(literal: str, number: int) -> np.ndarray:
    literal = " ".join(literal.split())
    if not literal.startswith("["):
        found = repr(literal[:40]) if literal else "nothing"
        raise WrongDirection(f"matrix {number}: expected one such as [[1, 2], [3, 4]], found {found}")
    try:
        (statement,) = parse.parse(f"let v = {literal}")
    except MountainGoatError as error:
        raise WrongDirection(f"matrix {number}: {error.message}") from None
    if not isinstance(statement, Let) or not isinstance(statement.value, Matrix):
        raise WrongDirection(f"matrix {number}: expected a literal alone, such as [[1, 2], [3, 4]]")
    return statement.value.value


def undefined(line: Straight, values: list[np.ndarray]) -> str | None:
    """Where a program prints a NaN for the first time, as a message; None if it prints none."""
    for value, where in zip(values, line.prints, strict=False):
        found = np.argwhere(np.isnan(value))
        if len(found):
            entry = ", ".join(str(k + 1) for k in found[0].tolist())
            more = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
            return str(MountainGoatError(f"this prints a NaN: entry ({entry}) counting from 1{more}", where, line.file))
    return None
