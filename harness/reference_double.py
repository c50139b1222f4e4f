"""The independent evaluator in double precision, and the classical check's central differences of it.

Plain NumPy on terms: it shares no code with the rules, the macro, the representations or the machines. It serves where
differences in doubles are what is asked for, or many values; where digits matter, `harness.reference` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from harness.nests import leaves
from transforms.syntax import BINDERS, Case, Inject, Let, Lit, Match, Op, Program, Sign, Term, Tuple, Var
from transforms.types import Injected

STEP = 2.0**-17
"""Of a central difference, relative to the input: about the cube root of the rounding unit, where the errors of
truncation and of rounding are equally small."""

PRIMITIVES: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sigmoid": lambda a: 0.5 + 0.5 * np.tanh(0.5 * a),
    "pow": np.power,
    "abs": np.abs,
    "relu": lambda a: np.maximum(a, 0.0),
    "max": np.maximum,
    "min": np.minimum,
    "ge": lambda a, b: np.heaviside(a - b, 1.0),
    "div0": lambda a, b: np.divide(a, b, out=np.zeros(np.shape(a)), where=np.not_equal(a, 0.0)),
    "matmul": lambda a, b: np.einsum("ij,jk->ik", a, b),
    "transpose": lambda a: np.einsum("ij->ji", a),
    "reshape": np.reshape,
    "permute": lambda a, permutation: np.moveaxis(a, permutation, range(a.ndim)),
    "reduce": lambda a, axis, kind: np.expand_dims({"sum": np.add, "max": np.maximum}[kind].reduce(a, axis), axis),
    "broadcast": lambda a, shape: a + np.zeros(shape),
    "add_k": lambda a, k: a + k,
    "sub_k": lambda a, k: a - k,
    "k_sub": lambda a, k: k - a,
    "mul_k": lambda a, k: a * k,
    "div_k": lambda a, k: a / k,
    "k_div": lambda a, k: k / a,
}


def evaluate(program: Program, point: Mapping[str, Any]) -> Any:
    """A program's value: floats, arrays, tuples of values and injected ones, as the point is made of."""
    with np.errstate(all="ignore"):
        return _value(program.term, {name: point[name] for name, _ in program.context})


def differences(program: Program, point: Mapping[str, Any], cotangent: Any) -> dict[str, Any]:
    """The transposed Jacobian at a point applied to `cotangent`, one central difference for each input, like the point.

    Right to about 1e-9 where values and derivatives up to the third are moderate, and no kink is near.
    """
    weights = np.array(list(leaves(cotangent)))

    def difference(name: str, place: int, x: float) -> float:
        h = STEP * max(1.0, abs(x))
        ahead, behind = [
            np.array(list(leaves(evaluate(program, {**point, name: _moved(point[name], place, x + step)}))))
            for step in (h, -h)
        ]
        return float(weights @ (ahead - behind)) / ((x + h) - (x - h))

    return {
        name: like(point[name], iter([difference(name, place, x) for place, x in enumerate(leaves(point[name]))]))
        for name, _ in program.context
    }


def _value(term: Term, scope: dict[str, Any]) -> Any:
    while isinstance(term, BINDERS):  # a loop: a chain of binders may be long
        bound = _value(term.bound, scope)
        match term:
            case Let(name=name, body=body):
                scope = {**scope, name: bound}
            case Case(names=names, body=body):
                scope = {**scope, **dict(zip(names, bound, strict=True))}
            case Match(names=names, branches=branches):
                scope, body = {**scope, names[bound.side]: bound.value}, branches[bound.side]
        term = body
    match term:
        case Var(name=name):
            return scope[name]
        case Lit(value=value):
            return value
        case Tuple(parts=parts):
            return tuple([_value(part, scope) for part in parts])
        case Inject(side=side, arg=arg):
            return Injected(side, _value(arg, scope))
        case Sign(arg=arg):
            a = _value(arg, scope)
            return Injected(1, ()) if a == 0.0 else Injected(0, Injected(int(a > 0.0), ()))
        case Op(name=name, args=args, statics=statics):
            value = PRIMITIVES[name](*[_value(arg, scope) for arg in args], **dict(statics))
            return value if np.ndim(value) else float(value)


def like(value: Any, entries: Iterator[float]) -> Any:
    """A value of the structure of `value` whose numbers are the next of `entries`."""
    if isinstance(value, Injected):
        return Injected(value.side, like(value.value, entries))
    if isinstance(value, tuple):
        return tuple([like(part, entries) for part in value])
    if not np.ndim(value):
        return next(entries)
    return np.array([next(entries) for _ in range(value.size)]).reshape(value.shape)


def _moved(value: Any, place: int, x: float) -> Any:
    """The value with its number at `place` replaced by x."""
    return like(value, iter([x if k == place else entry for k, entry in enumerate(leaves(value))]))
