"""Points and cotangents as users give them, made to fit a program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from transforms.errors import WrongValue
from transforms.pretty import number
from transforms.syntax import Program
from transforms.types import INJECTIONS, REAL, Array, Injected, Product, Sum, Type, brief
from transforms.walks import walking


def fit_point(program: Program, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a program's context, in its order. Raises WrongValue."""
    types = dict(program.context)
    names = list(types)
    missing = [name for name in names if name not in given]
    superfluous = [name for name in given if name not in types]
    if missing:
        raise WrongValue(f"no value for {_some(missing)}: expected values for {_some(names)}")
    if superfluous:
        expected = _some(names) if names else "no value: the term is closed"
        raise WrongValue(f"{_some(superfluous)} not in the program's context: expected {expected}")
    return {name: fit(given[name], type_, name) for name, type_ in program.context}


def fit(given: Any, type_: Type, what: str) -> Any:
    """The value of a type: a float, an array of doubles, a tuple or an injected value.

    They are made from numbers, nested lists or tuples, and injected values or objects with the one key "inl" or "inr".

    "nan", "inf" and "-inf" stand for those numbers. Raises WrongValue, naming `what` and the component at fault.
    """
    with walking():
        return _fit(given, type_, what)


def _fit(given: Any, type_: Type, what: str) -> Any:
    if isinstance(type_, Sum):
        side, payload = _side(given, type_, what)
        return Injected(side, _fit(payload, type_.sides[side], f"{what}.{INJECTIONS[side]}"))
    if isinstance(type_, Product):
        if not isinstance(given, (tuple, list)) or len(given) != len(type_.parts):
            raise WrongValue(f"{what}: expected {brief(type_)}, found {_described(given)}")
        return tuple(
            [_fit(part, t, f"{what}[{k}]") for k, (part, t) in enumerate(zip(given, type_.parts, strict=True))]
        )
    return _number(given, what) if type_ == REAL else _array(given, type_, what)


def _side(given: Any, type_: Type, what: str) -> tuple[int, Any]:
    """Which side a value is on, and what it injects: from `inl 1`, or from an object {"inl": 1} of a file."""
    match given:
        case Injected(side=side, value=payload):
            return side, payload
        case {"inl": payload} if len(given) == 1:
            return 0, payload
        case {"inr": payload} if len(given) == 1:
            return 1, payload
    raise WrongValue(f"{what}: expected inl or inr of {brief(type_)}, found {_described(given)}")


def show(value: Any) -> str:
    """A value in the syntax of the language."""
    with walking():
        return _show(value)


def _show(value: Any) -> str:
    if isinstance(value, Injected):
        return f"{INJECTIONS[value.side]} {_show(value.value)}"
    if isinstance(value, tuple):
        return f"<{', '.join([_show(part) for part in value])}>"
    if isinstance(value, np.ndarray):
        return f"[{', '.join([_show(entry) for entry in value])}]"
    return number(float(value)) if math.isfinite(value) else str(float(value))


def _number(given: Any, what: str) -> float:
    if given in ("nan", "inf", "-inf"):
        return float(given)
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise WrongValue(f"{what}: expected real, found {_described(given)}")
    try:
        return float(given)
    except OverflowError:
        raise WrongValue(f"{what}: the number is too large for a double") from None


def _array(given: Any, type_: Array, what: str) -> np.ndarray:
    def rows(entry: Any, shape: tuple[int, ...]) -> Any:
        if not shape:
            return _number(entry, what)
        if not isinstance(entry, (tuple, list)) or len(entry) != shape[0]:
            raise WrongValue(f"{what}: expected {type_}, found {_described(given)}")
        return [rows(part, shape[1:]) for part in entry]

    return np.array(rows(given, type_.shape), dtype=float).reshape(type_.shape)


def _described(given: Any) -> str:
    match given:
        case bool() | str() | None:
            return f"{given!r}"
        case int() | float():
            return "a number"
        case Injected(side=side):
            return f"an {INJECTIONS[side]}"
        case tuple():
            return f"a tuple of {len(given)}"
        case list():
            return f"a list of {len(given)}"
        case _:
            return f"a {type(given).__name__}"


def _some(names: list[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
