"""Types that are not known yet, and making types equal: what an injection leaves open, its use decides.

`inl x` says nothing of the right side. An `Open` type stands for it until it is found what it must be; where nothing
ever says, it is the type of no consequence, `()`. After Robinson's unification, as in the types of ML.
"""

from __future__ import annotations

from typing import cast

from transforms.types import UNIT, Array, Flat, Product, Sum, Type


class Open(Flat):
    """A type that is not known yet, or a name for the one that was found."""

    __slots__ = ("found",)
    size = 0

    def __init__(self) -> None:
        self.found: Type | None = None

    def pieces(self) -> tuple[Type | str, ...]:
        return ("?",) if self.found is None else (self.found,)


def open_type() -> Type:
    """A new type that is not known yet."""
    return cast(Type, Open())


def find(type_: Type) -> Type:
    """What is known of the outermost constructor: Open only where nothing is."""
    while isinstance(type_, Open) and (found := type_.found) is not None:
        type_ = found
    return type_


def unify(a: Type, b: Type) -> bool:
    """Make two types equal by deciding what is open in them; whether that is possible."""
    todo = [(a, b)]
    while todo:
        a, b = map(find, todo.pop())
        if a is b:
            continue
        match a, b:
            case (Open(), _):
                if not _decide(a, b):
                    return False
            case (_, Open()):
                if not _decide(b, a):
                    return False
            case (Product(parts=left), Product(parts=right)) if len(left) == len(right):
                todo += zip(left, right, strict=True)
            case (Sum(), Sum()):
                todo += [(a.left, b.left), (a.right, b.right)]
            case (Array(shape=left), Array(shape=right)) if left == right:
                pass
            case _:
                return False
    return True


def _decide(open_: Open, type_: Type) -> bool:
    """Let an open type be another; impossible if it occurs inside of it."""
    todo = [type_]
    while todo:
        inside = find(todo.pop())
        if inside is open_:
            return False
        if isinstance(inside, Product):
            todo += inside.parts
        elif isinstance(inside, Sum):
            todo += inside.sides
    open_.found = type_
    return True


def settled(type_: Type) -> Type:
    """The type with everything that stayed open decided: `()`."""
    type_ = find(type_)
    match type_:
        case Open():
            return UNIT
        case Product(parts=parts):
            return Product(tuple([settled(part) for part in parts]))
        case Sum(left=left, right=right):
            return Sum(settled(left), settled(right))
    return type_
