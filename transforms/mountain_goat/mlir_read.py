"""The text of the `mg` dialect to a Module, through xDSL's parser and the verifiers; every error has a line.

Beside what is written here, it is tolerant of a surrounding module, of operations in generic form, of attributes in any
order, of splats, of the short names `call` and `return`, and of comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, func
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import FunctionType, IntegerAttr, ModuleOp, SymbolRefAttr, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import ParseError, VerifyException

from transforms.mountain_goat.dialect import Constant, MgOperation, Permute, Reduce, Scalar
from transforms.mountain_goat.dialect_base import check_call, shape_of
from transforms.mountain_goat.errors import (
    Malformed,
    MountainGoatError,
    Redefined,
    UnknownFunction,
    UnknownName,
    WrongShape,
)
from transforms.mountain_goat.mlir_parser import MgParser, brief
from transforms.mountain_goat.mlir_scan import scan
from transforms.mountain_goat.module import Function, Instruction, Module
from transforms.mountain_goat.names import WORDS, Names, whole

NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
TEMPORARY = re.compile("t?[0-9]+")
"""Names of values that no `let` gave."""


def read(text: str, file: str = "") -> Module:
    """The module in a text. Raises MountainGoatError with a line, in time and memory in proportion to the text."""
    parser = None
    try:
        text = scan(text)
        if not text.strip():
            raise Malformed("empty input: expected func.func", 1)
        parser = MgParser(text, file)
        return _module(parser, parser.parse_module(), file)
    except MountainGoatError as error:
        raise error.located(0, file) from None
    except Exception as error:  # the parser lets through whatever its own classes raise over a malformed attribute
        if parser is None:  # it reads a first token when it is made
            at = error.span.start if isinstance(error, ParseError) else 0
            raise Malformed(brief(str(getattr(error, "msg", error))), text.count("\n", 0, at) + 1, file) from None
        raise parser.named(error).located(1, file) from None


def _module(parser: MgParser, root: ModuleOp, file: str) -> Module:
    types: dict[str, FunctionType] = {}
    functions: list[Function] = []
    main = None
    for operation in _only_block(parser, root).ops:
        if not isinstance(operation, func.FuncOp):
            raise Malformed(f"expected func.func, found {operation.name}", parser.lines[operation])
        parser.verify(operation)
        name = operation.sym_name.data
        if not NAME.fullmatch(name):
            raise Malformed(f"{brief(name)!r} is no name of a function", parser.lines[operation])
        if name in types or (main and name == "main"):
            raise Redefined(f"function {name} is already defined", parser.lines[operation])
        body = _Body(parser, operation, types)
        if name == "main":
            main = body
        else:
            functions.append(_function(body, name))
            types[name] = operation.function_type
    if main is None:
        raise UnknownFunction("no function main", 1)
    _check_status(main)
    return Module(tuple(functions), tuple(main.instructions), _lets(main), file)


def _only_block(parser: MgParser, operation: Operation) -> Block:
    if len(operation.regions) != 1 or len(operation.regions[0].blocks) != 1:
        raise Malformed(f"{operation.name}: expected a body of one block", parser.lines.get(operation, 1))
    return operation.regions[0].block


class _Body:
    """A function's body: its instructions, the names of its values, and what it returns."""

    def __init__(self, parser: MgParser, function: func.FuncOp, types: dict[str, FunctionType]) -> None:
        self.parser, self.function, self.types = parser, function, types
        self.line = parser.lines[function]
        block = _only_block(parser, function)
        operations, last = [*block.ops][:-1], block.last_op
        if not isinstance(last, func.ReturnOp):
            raise Malformed(f"function {function.sym_name.data} does not end with func.return", self.line)
        self.parameters = block.args
        self.names = _names(parser, [*block.args, *(value for operation in operations for value in operation.results)])
        self.statuses: dict[SSAValue, Attribute] = {}
        self.instructions: list[Instruction] = []
        for operation in operations:
            self._append(operation)
        parser.verify(last)
        self.returned = last.operands

    def _append(self, operation: Operation) -> None:
        """Add the instruction of an operation. Raises MountainGoatError."""
        line = self.parser.lines[operation]
        if isinstance(operation, arith.ConstantOp):
            self.statuses[operation.result] = operation.value
            return
        if isinstance(operation, func.CallOp):
            callee = self._check_call(operation, line)
            op, attributes = "call", {"callee": callee}
        elif isinstance(operation, MgOperation | tensor_dialect.CastOp):
            op, attributes = operation.name.partition(".")[2], _attributes(operation)
        else:
            raise Malformed(f"unexpected {operation.name}", line)
        if op == "print" and self.function.sym_name.data != "main":
            raise Malformed("mg.print outside of main", line)
        for value in operation.operands:
            if value not in self.names:
                raise UnknownName("an operand that this function does not define", line)
        try:
            shapes = [shape_of(value.type) for value in (*operation.operands, *operation.results)]
        except VerifyException as error:
            raise WrongShape(f"{operation.name}: {error}", line) from None
        result = self.names[operation.results[0]] if operation.results else None
        operands = tuple([self.names[value] for value in operation.operands])
        self.instructions.append(Instruction(result, op, operands, shapes[-1] if result else None, attributes, line))

    def _check_call(self, call: func.CallOp, line: int) -> str:
        """The name of the function that is called."""
        callee = call.properties.get("callee")
        name = callee.root_reference.data if isinstance(callee, SymbolRefAttr) else ""
        if name not in self.types:
            raise UnknownFunction(f"function {brief(name)} is not defined above its call", line)
        try:
            check_call(call, self.types[name])
        except VerifyException as error:
            raise WrongShape(f"call of {name}: {brief(str(error))}", line) from None
        return name


def _names(parser: MgParser, values: Sequence[SSAValue]) -> dict[SSAValue, str]:
    """Names for the values of a function: their own where the language has them."""
    given = {value: parser.names.get(value, "") for value in values}
    names = Names(given.values())
    taken = {value: names.fresh(name) for value, name in given.items() if name == whole(name) and name not in WORDS}
    for value, name in given.items():
        if value not in taken:
            taken[value] = names.temporary() if TEMPORARY.fullmatch(name or "0") else names.fresh(name)
    return taken


def _attributes(operation: Operation) -> dict[str, Any]:
    match operation:
        case Constant():
            return {"value": operation.array()}
        case Scalar():
            value = float(operation.value.value.data)
            return {"kind": operation.op.data, "value": value, "reversed": bool(operation.reversed.value.data)}
        case Reduce():
            return {"axis": operation.axis.value.data, "kind": operation.kind.data}
        case Permute():
            return {"permutation": operation.axes()}
    return {}


def _function(body: _Body, name: str) -> Function:
    if len(body.returned) != 1 or body.returned[0] not in body.names or body.statuses:
        raise Malformed(f"function {name}: expected one tensor to be returned", body.line)
    try:
        parameters = tuple([(body.names[value], shape_of(value.type)) for value in body.parameters])
        shape = shape_of(body.returned[0].type)
    except VerifyException as error:
        raise WrongShape(f"function {name}: {error}", body.line) from None
    return Function(name, parameters, tuple(body.instructions), body.names[body.returned[0]], shape, body.line)


def _check_status(main: _Body) -> None:
    """`main` takes nothing, and returns nothing or the status 0."""
    statuses = [main.statuses.get(value) for value in main.returned]
    if main.parameters or len(statuses) > 1 or statuses not in ([], [IntegerAttr(0, i32)]):
        raise Malformed("function main: expected no parameters, and 0 : i32 to be returned", main.line)


def _lets(main: _Body) -> dict[str, tuple[tuple[int, str], ...]]:
    """The values of `main` that have a name of their own, as if a `let` had bound each."""
    named = [(main.parser.names.get(value, "0"), value) for value in main.names]
    line = {i.result: i.line for i in main.instructions}
    return {
        main.names[value]: ((line[main.names[value]], main.names[value]),)
        for name, value in named
        if not TEMPORARY.fullmatch(name) and main.names[value] in line
    }
