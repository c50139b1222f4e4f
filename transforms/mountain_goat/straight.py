"""A Mountain Goat program inlined: a straight line of `let`s over array primitives, a term of the fragment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from transforms.syntax import Program


@dataclass(frozen=True, slots=True)
class Straight:
    """A straight-line program with its data.

    program   its context is the inputs, the matrices that a `let` binds to a literal; its term is a chain of `let`s,
              their names distinct, one operation each on variables and literals, ended by the tuple of what is printed.
              `program.source` is the text it came from, and `at` of a bound term an offset on its line there
    point     the inputs' values, arrays of doubles by name
    lets      for each name that a `let` of the program binds, the variables it stood for in order, as (line, variable);
              "" in place of a variable for a scalar, a literal inside an expression, and what a stop prevented
    prints    the line of each `print`, in the order of the tuple
    stop      where a mismatch was found at run time: its message. The program ends there, after what it printed before
    file      the source's name, for messages and `#line`
    """

    program: Program
    point: Mapping[str, np.ndarray]
    lets: Mapping[str, tuple[tuple[int, str], ...]]
    prints: tuple[int, ...]
    stop: str | None = None
    file: str = ""
