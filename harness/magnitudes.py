"""What rounding can do to the values of a straight line, to first order: a magnitude for each entry of each value.

Of a sum, it is the sum of the absolute terms; in general, M(op(v1 .. vk)) is |op(v)| for the rounding of the operation,
where it rounds, and the sum over j of |partial_j op(v)| M(vj) for what its arguments are off by. Two ways of computing
a value that differ in the order and grouping of their operations differ by a small multiple of the rounding unit times
its magnitude. This is the running error analysis of Wilkinson; see Higham, Accuracy and Stability of Numerical
Algorithms, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from transforms.array_rules import TABLE
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.rules import Rules
from transforms.syntax import Tuple, Var

# Of a result r, arguments a and b with magnitudes A and B: the magnitude of the result.
MOVES = frozenset(("transpose", "reshape", "permute", "broadcast"))
BINARY: Mapping[str, Callable[..., Any]] = {
    "add": lambda r, a, b, A, B: A + B,
    "sub": lambda r, a, b, A, B: A + B,
    "mul": lambda r, a, b, A, B: A * abs(b) + abs(a) * B,
    "div": lambda r, a, b, A, B: (A + abs(r) * B) / abs(b),
    "ge": lambda r, a, b, A, B: abs(r),
    "matmul": lambda r, a, b, A, B: A @ abs(b) + abs(a) @ B,
}
UNARY: Mapping[str, Callable[..., Any]] = {
    "neg": lambda r, a, A: A,
    "exp": lambda r, a, A: abs(r) * (1 + A),
    "log": lambda r, a, A: abs(r) + A / abs(a),
    "sqrt": lambda r, a, A: abs(r) + A / (2 * r),
    "relu": lambda r, a, A: A,
    "add_k": lambda r, a, A, k: A + abs(k),
    "sub_k": lambda r, a, A, k: A + abs(k),
    "k_sub": lambda r, a, A, k: A + abs(k),
    "mul_k": lambda r, a, A, k: A * abs(k),
    "div_k": lambda r, a, A, k: A / abs(k),
    "k_div": lambda r, a, A, k: abs(r) * (1 + A / abs(a)),
}


def magnitudes(line: Straight, rules: Rules = TABLE) -> list[np.ndarray]:
    """The magnitude of each print, entry by entry, with `rules` to evaluate.

    It is infinite or NaN where the analysis says nothing: at a root of 0, say.
    """
    lines, printed = unchain(line.program.term)
    assert isinstance(printed, Tuple)
    values = {name: np.asarray(value) for name, value in line.point.items()}
    found = {name: abs(value) for name, value in values.items()}

    def both(term: Any) -> tuple[np.ndarray, np.ndarray]:
        if isinstance(term, Var):
            return values[term.name], found[term.name]
        return np.asarray(term.value), abs(np.asarray(term.value))

    with np.errstate(all="ignore"):
        for name, op in lines:
            args, sizes = zip(*map(both, op.args), strict=True)
            statics = dict(op.statics)
            evaluate = rules[op.name].evaluate
            values[name] = r = evaluate(*args, **statics)
            if op.name in MOVES or op.name == "reduce":  # of a maximum, as of a sum: the largest, or all
                found[name] = evaluate(*sizes, **statics)
            elif op.name in BINARY:
                found[name] = BINARY[op.name](r, *args, *sizes)
            else:
                found[name] = UNARY[op.name](r, *args, *sizes, **statics)
    return [both(part)[1] for part in printed.parts]


def close(a: np.ndarray, b: np.ndarray, magnitude: np.ndarray, tolerance: float) -> np.ndarray:
    """Where two arrays of one shape are as close as a tolerance, of the magnitude, asks; what is equal is, and NaN to
    NaN."""
    return (a == b) | (np.isnan(a) & np.isnan(b)) | (abs(a - b) <= tolerance * magnitude)
