"""The fragment's terms and values in the core language.

A tuple of n becomes right-nested pairs (of one: the part itself; of none: unit). A `case` becomes successive lets of
`fst` and `snd` of the tail that remains; paths from the root would cost quadratically. a - b is add(a, neg b).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from transforms import syntax as fragment
from transforms import types as shapes
from transforms.chad.errors import NoCounterpart
from transforms.chad.primitives import ADD, NEG, SIGN_OF, TABLE, literal
from transforms.chad.syntax import Case, Fst, Inl, Inr, Let, Node, Pair, Prim, Program, Snd, Unit, Var
from transforms.chad.trampoline import Call, run
from transforms.chad.types import REAL, UNIT, Type, coproduct, product
from transforms.chad.values import Left, Right
from transforms.environment import Environment
from transforms.typecheck import other_sides

T = TypeVar("T")


def elaborate(program: fragment.Program) -> Program:
    """The core program of a program of the fragment that typechecks. Raises NoCounterpart where arrays occur."""
    context = [Var(name, elaborate_type(type_)) for name, type_ in program.context]
    scope = Environment((x.name, x) for x in context)
    injects = any(isinstance(term, fragment.Inject) for term in fragment.subterms(program.term))
    sides = other_sides(program) if injects else {}
    return Program(tuple(context), run(_term(program.term, scope, sides)))


def elaborate_type(type_: shapes.Type) -> Type:
    return run(_type(type_))


def elaborate_value(value: Any) -> Any:
    """A value or cotangent of the fragment: floats, tuples of values, injected ones."""
    return run(_value(value))


def read_cotangent(type_: shapes.Type, linear: Any) -> Any:
    """A linear value as a cotangent of the fragment, of a layout: what is absent becomes zeros."""
    return run(_read(type_, linear))


def _term(term: fragment.Term, scope: Environment[Var], sides: dict[int, shapes.Type]) -> Call:
    match term:
        case fragment.Var(name=name):
            return scope[name]
        case fragment.Lit(value=float(value)):
            return Prim(literal(value), Unit())
        case fragment.Tuple(parts=parts):
            elaborated = []
            for part in parts:
                elaborated.append((yield _term(part, scope, sides)))
            return _right_nested(elaborated, Pair, Unit())
        case fragment.Op(name="sub", args=(left, right)):
            minuend = yield _term(left, scope, sides)
            subtrahend = yield _term(right, scope, sides)
            return Prim(ADD, Pair(minuend, Prim(NEG, subtrahend)))
        case fragment.Op(name=name, args=args) if name in TABLE:
            elaborated = []
            for arg in args:
                elaborated.append((yield _term(arg, scope, sides)))
            return Prim(TABLE[name], _right_nested(elaborated, Pair, Unit()))
        case fragment.Sign(arg=arg):
            return Prim(SIGN_OF, (yield _term(arg, scope, sides)))
        case fragment.Inject(side=side, arg=arg):
            injection = Inr if side else Inl
            return injection((yield _term(arg, scope, sides)), run(_type(sides[id(term)])))
        case fragment.Match(bound=bound, names=names, branches=branches):
            head = yield _term(bound, scope, sides)
            x, y = Var(names[0], head.type.left), Var(names[1], head.type.right)
            left = yield _in_scope([x], branches[0], scope, sides)
            return Case(head, x, left, y, (yield _in_scope([y], branches[1], scope, sides)))
        case fragment.Let(name=name, bound=bound, body=body):
            head = yield _term(bound, scope, sides)
            x = Var(name, head.type)
            return Let(x, head, (yield _in_scope([x], body, scope, sides)))
        case fragment.Case(bound=bound, names=names, body=body):
            head = yield _term(bound, scope, sides)
            named, lets = _taken_apart(head, names)
            result = yield _in_scope(named, body, scope, sides)
            for x, taken in reversed(lets):
                result = Let(x, taken, result)
            return result
        case _:
            raise NoCounterpart(f"the core language has no counterpart of {_name(term)}")


def _in_scope(
    variables: list[Var], body: fragment.Term, scope: Environment[Var], sides: dict[int, shapes.Type]
) -> Call:
    outside = scope.mark()
    for x in variables:
        scope.bind(x.name, x)
    result = yield _term(body, scope, sides)
    scope.leave(outside)
    return result


def _taken_apart(head: Node, names: Sequence[str]) -> tuple[list[Var], list[tuple[Var, Node]]]:
    """Variables for the parts of a tuple, and the lets that bind them; others, called `_`, hold what remains of it."""
    named: list[Var] = []
    lets: list[tuple[Var, Node]] = []
    for name in names[:-1]:
        rest = Var("_", head.type)
        named.append(Var(name, rest.type.left))
        lets += [(rest, head), (named[-1], Fst(rest))]
        head = Snd(rest)
    last = Var(names[-1] if names else "_", head.type)
    return [*named, last][: len(names)], [*lets, (last, head)]


def _type(type_: shapes.Type) -> Call:
    if isinstance(type_, shapes.Product):
        parts = []
        for part in type_.parts:
            parts.append((yield _type(part)))
        return _right_nested(parts, product, UNIT)
    if isinstance(type_, shapes.Sum):
        left = yield _type(type_.left)
        return coproduct(left, (yield _type(type_.right)))
    if type_.shape != ():
        raise NoCounterpart(f"the core language has no counterpart of the type {shapes.brief(type_)}")
    return REAL


def _value(value: Any) -> Call:
    if isinstance(value, shapes.Injected):
        payload = yield _value(value.value)
        return Right(payload) if value.side else Left(payload)
    if not isinstance(value, tuple):
        return float(value)
    parts = []
    for part in value:
        parts.append((yield _value(part)))
    return _right_nested(parts, lambda left, right: (left, right), ())


def _read(type_: shapes.Type, linear: Any) -> Call:
    while isinstance(linear, (Left, Right)):
        linear = linear.value
    if not isinstance(type_, shapes.Product):
        return 0.0 if linear is None else linear
    parts = []
    for part in type_.parts[:-1]:
        head, linear = (None, None) if linear is None else linear
        parts.append((yield _read(part, head)))
    for part in type_.parts[-1:]:
        parts.append((yield _read(part, linear)))
    return tuple(parts)


def _right_nested(parts: Sequence[T], pair: Callable[[T, T], T], none: T) -> T:
    if not parts:
        return none
    nested = parts[-1]
    for part in reversed(parts[:-1]):
        nested = pair(part, nested)
    return nested


def _name(term: fragment.Term) -> str:
    return f"the primitive {term.name}" if isinstance(term, fragment.Op) else "arrays"
