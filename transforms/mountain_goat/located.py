"""Which of a program's inputs a name stands for: known by its definition, never by its value."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.mountain_goat.errors import NoGradient, UnknownName
from transforms.mountain_goat.straight import Straight


def located(straight: Straight, names: Sequence[str], line: int) -> tuple[str, ...]:
    """The inputs that the names stand for on the line of the loss. Raises NoGradient, UnknownName."""
    if not names:
        raise NoGradient("no matrix is named to differentiate by", 0, straight.file)
    defined: dict[str, tuple[int, str]] = {}  # where each variable is bound first, and by which name
    for name, pairs in straight.lets.items():
        for where, variable in pairs:
            defined[variable] = min(defined.get(variable, (where, name)), (where, name))
    found = []
    for name in names:
        if name not in straight.lets:
            known = ", ".join(list(straight.lets)[:10]) or "nothing"
            raise UnknownName(f"unknown name {name}: the program binds {known}", 0, straight.file)
        before = [pair for pair in straight.lets[name] if pair[0] <= line]
        if not before:
            where = straight.lets[name][0][0]
            message = f"the loss does not depend on {name}, which is bound later, on line {where}"
            raise NoGradient(message, line, straight.file)
        where, variable = max(before, key=lambda pair: pair[0])
        if variable not in straight.point or defined[variable][1] != name:
            raise NoGradient(f"{name} is not bound to a literal matrix", where, straight.file)
        if variable in found:
            raise NoGradient(f"{name} is named twice", 0, straight.file)
        found.append(variable)
    return tuple(found)
