"""Types that are not known yet, and making types equal: what an injection leaves open, its use decides.

`inl x` says nothing of the right side. An `Open` type stands for it until it is found what it must be; where nothing
ever says, it is the type of no consequence, `()`. After Robinson's unification, as in the types of ML.
"""

from __future__ import annotations

from typing import cast

from transforms.types import UNIT, Array, Flat, Product, Sum, Type, held


class Open(Flat):
    """A type that is not known yet, or a name for the one that was found."""

    __slots__ = ("found",)
    size = 0
    nodes = 1
    depth = 0

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
    """Make two types equal by deciding what is open in them; whether that is possible.

    Types share parts, and may be far larger as texts than in memory: no pair of parts is looked at twice.
    """
    todo = [(a, b)]
    seen: set[tuple[int, int]] = set()
    while todo:
        a, b = map(find, todo.pop())
        if a is b or (id(a), id(b)) in seen:
            continue
        seen.add((id(a), id(b)))
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
    seen: set[int] = set()
    while todo:
        inside = find(todo.pop())
        if inside is open_:
            return False
        if id(inside) in seen:
            continue
        seen.add(id(inside))
        if isinstance(inside, Product):
            todo += inside.parts
        elif isinstance(inside, Sum):
            todo += inside.sides
    open_.found = type_
    return True


def settled(type_: Type) -> Type:
    """The type with everything that stayed open decided: `()`. Raises TooLarge where it is too large as a whole."""
    type_ = find(type_)
    made: dict[int, Type] = {}
    todo = [type_]
    while todo:
        inside = todo[-1]
        match inside:
            case Product(parts=parts) | Sum(sides=parts):
                parts = [find(part) for part in parts]
            case _:
                parts = []
        missing = [part for part in parts if id(part) not in made]
        if missing:
            todo += missing
            continue
        todo.pop()
        done = [made[id(part)] for part in parts]
        match inside:
            case Open():
                made[id(inside)] = UNIT
            case Product():
                made[id(inside)] = held(Product(tuple(done)))
            case Sum():
                made[id(inside)] = held(Sum(*done))
            case _:
                made[id(inside)] = inside
    return made[id(type_)]
