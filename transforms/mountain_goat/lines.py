"""Straight-line programs as lists of lines: what lies between a chain of `let`s and a program's text.

A line is a name and the operation it is bound to, on variables and literals; names are distinct, and each is bound
before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from transforms.array_rules import TABLE
from transforms.composed_rules import COMPOSED
from transforms.rules import OPERATIONS
from transforms.syntax import Let, Lit, Op, Term, Tuple, Var
from transforms.types import Array

Line = tuple[str, Op]
Shapes = dict[str, tuple[int, ...]]
ROWS = {**OPERATIONS, **TABLE, **COMPOSED}


def unchain(term: Term) -> tuple[list[Line], Term]:
    """The lines of a chain of `let`s, and its body; what is bound to a variable or literal stands for that."""
    lines: list[Line] = []
    same: dict[str, Term] = {}
    while isinstance(term, Let):
        bound = substituted(term.bound, same)
        if isinstance(bound, Op):
            lines.append((term.name, bound))
        else:
            same[term.name] = bound
        term = term.body
    return lines, substituted(term, same)


def substituted(term: Term, terms: Mapping[str, Term]) -> Term:
    """An operation on atoms, a tuple or an atom, with other atoms in the place of some variables."""
    match term:
        case Var(name=name):
            return terms.get(name, term)
        case Op(name=name, args=args, statics=statics, at=at):
            atoms = [terms.get(arg.name, arg) if isinstance(arg, Var) else arg for arg in args]
            return Op(name, tuple(atoms), statics, at=at)
        case Tuple(parts=parts):
            return Tuple(tuple([substituted(part, terms) for part in parts]))
        case _:
            return term


def renamed(lines: Iterable[Line], terms: Mapping[str, Term]) -> list[Line]:
    """The lines with other names, for what they bind and what they use."""
    found: list[Line] = []
    for name, operation in lines:
        variable, term = terms.get(name), substituted(operation, terms)
        assert isinstance(term, Op)
        found.append((variable.name if isinstance(variable, Var) else name, term))
    return found


def variables(terms: Iterable[Term]) -> list[str]:
    """The names of those atoms that are variables."""
    return [term.name for term in terms if isinstance(term, Var)]


def needed(lines: list[Line], results: Iterable[Term]) -> set[str]:
    """The variables, inputs too, that the results depend on."""
    found = set(variables(results))
    for name, operation in reversed(lines):
        if name in found:
            found.update(variables(operation.args))
    return found


def shapes(context: Iterable[tuple[str, Array]], lines: Iterable[Line]) -> Shapes:
    """The shape of every variable. Raises ShapeMismatch."""
    types = dict(context)
    for name, operation in lines:
        args = [types[arg.name] if isinstance(arg, Var) else Array(np.shape(arg.value)) for arg in operation.args]  # type: ignore[union-attr]
        types[name] = ROWS[operation.name].shape(*args, **dict(operation.statics))  # type: ignore[assignment]
    return {name: type_.shape for name, type_ in types.items()}


def shape_of(atom: Term, known: Shapes) -> tuple[int, ...]:
    """The shape of a variable or literal."""
    return known[atom.name] if isinstance(atom, Var) else literal(atom).shape


def literal(atom: Term) -> np.ndarray:
    """The value of a literal."""
    assert isinstance(atom, Lit)
    return np.asarray(atom.value)
