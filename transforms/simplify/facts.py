"""What is certain of the entries of a value, whatever the inputs are, NaN apart.

    POSITIVE    greater than 0
    FROM_0      at least 0, and no -0.0
    NOT_MINUS_0 no -0.0
    BIT         0.0 or 1.0, and no NaN

The rules are those of doubles: a sum is -0.0 only where both terms are, a square may underflow to 0, and a square root
of what is positive does not.
"""

from __future__ import annotations

import numpy as np

from transforms.simplify.rewrite import REARRANGE, Sight, uniform
from transforms.syntax import Lit, Op, Term, Var

NOT_MINUS_0, FROM_0, POSITIVE, BIT = 1, 3, 7, 11
"""Each a set of bits that has those of what it implies."""


def certain(sight: Sight, atom: Term, fact: int) -> bool:
    """Whether a fact is certain of an atom."""
    return _facts(sight, atom) & fact == fact


def _facts(sight: Sight, atom: Term) -> int:
    if isinstance(atom, Lit):
        return _of_literal(atom)
    assert isinstance(atom, Var)
    operation = sight.operations.get(atom.name)
    if operation is None:
        return 0
    if atom.name not in sight.facts:
        todo = [atom.name]
        while todo:
            name = todo[-1]
            missing = [
                arg.name
                for arg in sight.operations[name].args
                if isinstance(arg, Var) and arg.name in sight.operations and arg.name not in sight.facts
            ]
            todo += missing
            if not missing:
                sight.facts[todo.pop()] = _of_operation(sight, sight.operations[name])
    return sight.facts[atom.name]


def _of_literal(atom: Lit) -> int:
    entry = uniform(atom)
    value = np.asarray(atom.value if entry is None else entry)
    if np.any(np.isnan(value)):
        return 0
    if np.any(np.signbit(value)):
        return 0 if np.any((value == 0.0) & np.signbit(value)) else NOT_MINUS_0
    return (POSITIVE if np.all(value > 0.0) else FROM_0) | (BIT if np.all((value == 0.0) | (value == 1.0)) else 0)


def _of_operation(sight: Sight, operation: Op) -> int:
    found = [
        _of_literal(arg) if isinstance(arg, Lit) else sight.facts.get(arg.name, 0)  # type: ignore[union-attr]
        for arg in operation.args
    ]
    every, some = found[0], found[0]
    for facts in found[1:]:
        every, some = every & facts, some | facts
    k = dict(operation.statics).get("k", 0.0)
    match operation.name:
        case name if name in REARRANGE:
            return every
        case "ge":
            return BIT
        case "exp":
            return FROM_0
        case "mul" if every & BIT == BIT:
            return BIT
        case "mul":
            square = _key(operation.args[0]) == _key(operation.args[1])
            return FROM_0 if square or every & FROM_0 == FROM_0 else 0
        case "div":
            return FROM_0 if every & FROM_0 == FROM_0 else 0
        case "sqrt":
            return every & POSITIVE if every & FROM_0 == FROM_0 else 0
        case "relu":
            return FROM_0 if every & NOT_MINUS_0 else 0
        case "add":
            if every & FROM_0 == FROM_0:
                return POSITIVE if some & POSITIVE == POSITIVE else FROM_0
            return some & NOT_MINUS_0
        case "sub":
            return found[0] & NOT_MINUS_0
        case "add_k" if k > 0.0:
            return POSITIVE if every & FROM_0 == FROM_0 else NOT_MINUS_0
        case "add_k":
            return every & NOT_MINUS_0 if _is(k, -0.0) else NOT_MINUS_0
        case "sub_k":
            return every & NOT_MINUS_0 if _is(k, 0.0) else NOT_MINUS_0
        case "k_sub":
            return 0 if _is(k, -0.0) else NOT_MINUS_0
        case "mul_k" | "div_k" if k > 0.0 and every & FROM_0 == FROM_0:
            lasting = k >= 1.0 if operation.name == "mul_k" else k <= 1.0
            return every & POSITIVE if lasting else FROM_0
        case "reduce":
            return every & POSITIVE if dict(operation.statics)["kind"] == "sum" else every
        case "matmul":
            return FROM_0 if every & FROM_0 == FROM_0 else NOT_MINUS_0
        case _:
            return 0


def _key(atom: Term) -> object:
    return atom.name if isinstance(atom, Var) else id(atom)


def _is(k: float, zero: float) -> bool:
    return k == 0.0 and np.signbit(k) == np.signbit(zero)
