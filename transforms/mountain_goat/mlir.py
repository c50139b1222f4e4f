"""The text of the `mg` dialect: Module to text and back, through xDSL, which is looked for when it is first needed.

The text of a Module reads back as that Module, up to line numbers and file, and as the same text again. Of what a `let`
binds, the text keeps the names of values alone: the `lets` of what is read are the values of `main` whose names are not
temporary (t1, t2, ... or a number alone).

Numbers are finite: the text has no place for an infinity or a NaN but hexadecimal ones, which are refused.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from transforms.errors import AdjudgeError
from transforms.mountain_goat.module import Module


class MissingXdsl(AdjudgeError):
    """xDSL is not installed, or not in one of the versions that were tried."""


def write(module: Module) -> str:
    """The text of a module. Raises MissingXdsl, or WrongShape where a verifier refuses an instruction."""
    return _part("mlir_write").write(module)


def read(text: str, file: str = "") -> Module:
    """The module in a text; `file` is its name for messages. Raises MissingXdsl, or MountainGoatError with a line.

    Hostile text is refused in time and memory in proportion to its length.
    """
    return _part("mlir_read").read(text, file)


def _part(name: str) -> ModuleType:
    try:
        return import_module(f"transforms.mountain_goat.{name}")
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "xdsl":
            raise
        raise MissingXdsl("reading and writing .mlir needs xDSL 0.70 to 0.75: pip install 'xdsl>=0.70,<0.76'") from None
