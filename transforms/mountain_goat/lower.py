"""From text to a module: names are looked up, shapes inferred, scalars folded, stretching and means made explicit.

Every error of the language is raised here or in the parser, as a `MountainGoatError` with its line, but for sizes that
differ where a dimension is unknown: those are found at run time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from transforms.mountain_goat import shapes
from transforms.mountain_goat.body import Body, Value
from transforms.mountain_goat.built_in import ARGUMENTS, built_in, count_of, value_of
from transforms.mountain_goat.errors import (
    MountainGoatError,
    Redefined,
    TooLarge,
    UnknownFunction,
    UnknownName,
    WrongArgument,
)
from transforms.mountain_goat.module import Function, Module, Shape, shape_text
from transforms.mountain_goat.names import Names
from transforms.mountain_goat.parse import parse
from transforms.mountain_goat.tree import (
    Axes,
    Call,
    Def,
    Expr,
    Infix,
    Let,
    Matrix,
    Minus,
    Name,
    Number,
    Print,
    Statement,
)
from transforms.walks import walking

Meaning = Value | float | tuple[Any, ...]
"""What an expression stands for: a matrix, a compile-time scalar, or a list of scalars, the axes of a contraction."""

OPERATIONS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


def lower(source: str, file: str = "") -> Module:
    """The program in `source` as a module; `file` is its name for messages."""
    return lower_tree(parse(source, file), file)


def lower_tree(statements: list[Statement], file: str = "") -> Module:
    """The program of these statements as a module. Raises MountainGoatError, with its place."""
    program = _Program(
        defined={s.name: s.line for s in reversed(statements) if isinstance(s, Def)},
        main=_Scope(Body(Names(s.name for s in statements if isinstance(s, Let)))),
    )
    statement = None
    try:
        with walking():
            for statement in statements:
                _statement(program, statement)
    except MountainGoatError as error:
        raise error.located(statement.line if statement else 0, file) from None
    lets = {name: tuple(values) for name, values in program.lets.items()}
    return Module(tuple(program.functions.values()), tuple(program.main.body.instructions), lets, file)


@dataclass(slots=True)
class _Scope:
    """The body being written, and what the names in it stand for; in a function, only its parameters are known."""

    body: Body
    known: dict[str, Meaning] = field(default_factory=dict)
    function: str | None = None


@dataclass(slots=True)
class _Program:
    """The functions so far, the lines that all of them are on, `main`, and what its `let`s bound."""

    defined: dict[str, int]
    main: _Scope
    functions: dict[str, Function] = field(default_factory=dict)
    lets: dict[str, list[tuple[int, str]]] = field(default_factory=dict)


def _statement(program: _Program, statement: Statement) -> None:
    main = program.main
    main.body.line = statement.line
    match statement:
        case Def():
            program.functions[statement.name] = _function(program, statement)
        case Let(name=name, value=expr):
            meaning = _expression(program, main, expr, name)
            main.known[name] = meaning
            bound = meaning.name if isinstance(meaning, Value) else ""
            program.lets.setdefault(name, []).append((statement.line, bound))
        case Print(value=expr):
            main.body.print(value_of(_expression(program, main, expr), "print"))


def _function(program: _Program, definition: Def) -> Function:
    name, line = definition.name, definition.line
    if name in ARGUMENTS:
        raise Redefined(f"{name} is a built-in function: expected another name")
    if name in program.functions:
        raise Redefined(f"function {name} is already defined on line {program.functions[name].line}")
    names = Names()
    parameters: list[tuple[str, Shape]] = []
    known: dict[str, Meaning] = {}
    for parameter, shape in definition.parameters:
        if parameter in known:
            raise Redefined(f"function {name} has two parameters {parameter}: expected distinct names")
        value = Value(names.fresh(parameter), shapes.bounded(shape))
        known[parameter] = value
        parameters.append((value.name, shape))
    scope = _Scope(Body(names, line), known, name)
    result = value_of(_expression(program, scope, definition.body), f"the result of {name}")
    symbol = name if name != "main" else Names(program.defined).beside("main")  # instructions of `main` are another
    return Function(symbol, tuple(parameters), tuple(scope.body.instructions), result.name, result.shape, line)


def _expression(program: _Program, scope: _Scope, expr: Expr, name: str | None = None) -> Meaning:
    """What an expression stands for; a value that it makes last gets `name`, or one like it."""
    body = scope.body
    match expr:
        case Name(name=used):
            return _look_up(scope, used)
        case Number(value=value):
            return value
        case Matrix(value=value):
            return body.emit("constant", (), shapes.bounded(value.shape), name, value=value)
        case Minus(operand=operand):
            meaning = _expression(program, scope, operand)
            if isinstance(meaning, float):
                return -meaning
            value = value_of(meaning, "-")
            return body.emit("neg", (value,), shapes.matrix(value.shape, "-"), name)
        case Infix(sign=sign, left=left, right=right):
            a, b = _expression(program, scope, left), _expression(program, scope, right)
            return _infix(body, sign, a, b, name)
        case Axes(axes=axes):
            return tuple([_expression(program, scope, axis) for axis in axes])
        case Call(function=function, args=args):
            if function in ARGUMENTS:
                return built_in(body, function, [_expression(program, scope, arg) for arg in args], name)
            called = _called(program, scope, function)
            return _call(body, function, called, [_expression(program, scope, arg) for arg in args], name)


def _look_up(scope: _Scope, name: str) -> Meaning:
    if name not in scope.known:
        hint = f": function {scope.function} sees its parameters only" if scope.function else ""
        raise UnknownName(f"unknown name {name}{hint}")
    return scope.known[name]


def _infix(body: Body, sign: str, a: Meaning, b: Meaning, name: str | None) -> Value | float:
    if sign == "@":
        return body.matmul(value_of(a, sign), value_of(b, sign), name)
    op = OPERATIONS[sign]
    if isinstance(a, float) and isinstance(b, float):
        return _fold(sign, a, b)
    if isinstance(b, float):
        return body.scalar(op, value_of(a, sign), b, False, sign, name)
    if isinstance(a, float):
        return body.scalar(op, value_of(b, sign), a, True, sign, name)
    return body.elementwise(op, sign, value_of(a, sign), value_of(b, sign), name)


def _fold(sign: str, a: float, b: float) -> float:
    """Arithmetic on compile-time scalars, as it is on doubles. Raises TooLarge where the result is no number."""
    if sign == "/" and b == 0.0:
        raise TooLarge(f"the scalar {a!r} / {b!r} is no number")
    result = a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b
    if not math.isfinite(result):
        raise TooLarge(f"the scalar {a!r} {sign} {b!r} is too large for a double")
    return result


def _called(program: _Program, scope: _Scope, name: str) -> Function:
    if name in program.functions:
        return program.functions[name]
    if name == scope.function:
        raise UnknownFunction(f"unknown function {name}: a function cannot call itself")
    if name in program.defined:
        raise UnknownFunction(
            f"unknown function {name}: it is defined later, on line {program.defined[name]}, expected above its use"
        )
    raise UnknownFunction(f"unknown function {name}")


def _call(body: Body, name: str, function: Function, args: list[Meaning], result: str | None) -> Value:
    count_of(name, len(function.parameters), args)
    given = []
    for k, (arg, (_, shape)) in enumerate(zip(args, function.parameters, strict=True)):
        value = value_of(arg, f"argument {k + 1} of {name}")
        if not shapes.fits(value.shape, shape):
            raise WrongArgument(
                f"argument {k + 1} of {name} is {shape_text(value.shape)}, which does not fit its parameter's shape "
                f"{shape_text(shape)}"
            )
        given.append(body.cast(value, shape))
    return body.emit("call", tuple(given), function.shape, result, callee=function.name)
