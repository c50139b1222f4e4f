"""A Module to the text of the `mg` dialect: functions without a surrounding module, one operation a line."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import Any

from xdsl.dialects import arith, func
from xdsl.dialects import tensor as tensor_dialect
from xdsl.dialects.builtin import (
    AnyFloat,
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from transforms.mountain_goat.dialect import BY_NAME, Constant
from transforms.mountain_goat.dialect_base import check_call, number, tensor
from transforms.mountain_goat.errors import WrongShape
from transforms.mountain_goat.module import Function, Instruction, Module
from transforms.mountain_goat.names import Names, whole

Values = dict[str, SSAValue]
"""What the names of one function stand for."""


def write(module: Module) -> str:
    """The text of a module. Raises WrongShape, with the line, where a verifier refuses an instruction."""
    stream = StringIO()
    printer = _Printer(stream)
    types = {function.name: _type(function) for function in module.functions}
    for function in module.functions:
        _print(printer, _function(function, types, module.file))
    _print(printer, _main(module, types))
    return stream.getvalue()


class _Printer(Printer):
    """xDSL's printer, but for numbers: it would write 2.0 as 2.000000e+00, and some in hexadecimal."""

    def print_float(self, value: float, type: AnyFloat) -> None:
        self.print_string(number(value))


def _print(printer: _Printer, function: func.FuncOp) -> None:
    printer.print_op(function)
    printer.print_string("\n")


def _type(function: Function) -> FunctionType:
    parameters = [tensor(shape) for _, shape in function.parameters]
    return FunctionType.from_lists(parameters, [tensor(function.shape)])


def _function(function: Function, types: dict[str, FunctionType], file: str) -> func.FuncOp:
    type_ = types[function.name]
    block = Block(arg_types=type_.inputs)
    values: Values = {}
    written = _written_names([name for name, _ in function.parameters], function.body)
    for (name, _), argument in zip(function.parameters, block.args, strict=True):
        argument.name_hint = written[name]
        values[name] = argument
    _append(block, function.body, values, written, types, file)
    block.add_op(func.ReturnOp(values[function.result]))
    return func.FuncOp(function.name, type_, Region(block))


def _main(module: Module, types: dict[str, FunctionType]) -> func.FuncOp:
    block = Block()
    written = _written_names([], module.main)
    _append(block, module.main, {}, written, types, module.file)
    status = arith.ConstantOp(IntegerAttr(0, i32))
    taken = set(written.values())
    status.result.name_hint = next(name for k in range(len(taken) + 1) if (name := "zero" * (k + 1)) not in taken)
    block.add_ops([status, func.ReturnOp(status)])
    return func.FuncOp("main", FunctionType.from_lists([], [i32]), Region(block))


def _written_names(parameters: list[str], body: tuple[Instruction, ...]) -> dict[str, str]:
    """The name in the text of each value: its own, unless xDSL would drop the end of it."""
    ours = [*parameters, *(instruction.result for instruction in body if instruction.result is not None)]
    names = Names(ours)
    written = {name: names.fresh(name) for name in ours if whole(name) == name}
    return written | {name: names.fresh(name) for name in ours if name not in written}


def _append(
    block: Block,
    body: Iterable[Instruction],
    values: Values,
    written: dict[str, str],
    types: dict[str, FunctionType],
    file: str,
) -> None:
    for instruction in body:
        operation = _operation(instruction, [values[name] for name in instruction.operands])
        try:
            if instruction.op == "call":  # the verifier would look its function up in a module that there is none of
                check_call(operation, types[instruction.attributes["callee"]])
            else:
                operation.verify_()
        except VerifyException as error:
            raise WrongShape(f"{operation.name}: {error}", instruction.line, file) from None
        block.add_op(operation)
        if instruction.result is not None:
            operation.results[0].name_hint = written[instruction.result]
            values[instruction.result] = operation.results[0]


def _operation(instruction: Instruction, operands: list[SSAValue]) -> Operation:
    given = instruction.attributes
    if instruction.op == "constant":
        return Constant.of(given["value"])
    results = [] if instruction.shape is None else [tensor(instruction.shape)]
    if instruction.op == "call":
        return func.CallOp(given["callee"], operands, results)
    if instruction.op == "cast":
        return tensor_dialect.CastOp(operands[0], results[0])
    return BY_NAME[instruction.op].create(operands=operands, result_types=results, properties=_properties(instruction))


def _properties(instruction: Instruction) -> dict[str, Attribute]:
    given: Any = instruction.attributes
    match instruction.op:
        case "scalar":
            value = FloatAttr(given["value"], f64)
            return {"op": StringAttr(given["kind"]), "value": value, "reversed": BoolAttr.from_bool(given["reversed"])}
        case "reduce":
            return {"axis": IntegerAttr(given["axis"], i64), "kind": StringAttr(given["kind"])}
        case "permute":
            return {"permutation": DenseArrayBase.from_list(i64, given["permutation"])}
    return {}
