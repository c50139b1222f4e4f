"""What the operations of the `mg` dialect have in common: tensors, numbers, and the two kinds that most of them are."""

from __future__ import annotations

from abc import ABC
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, Float64Type, FunctionType, NoneAttr, TensorType, f64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from transforms.mountain_goat import shapes as shapes_of
from transforms.mountain_goat.errors import MountainGoatError
from transforms.mountain_goat.module import Shape, shape_text


def tensor(shape: Shape) -> TensorType[Float64Type]:
    """The type of the tensors of a shape."""
    return TensorType(f64, [DYNAMIC_INDEX if size is None else size for size in shape])


def shape_of(type_: Attribute) -> Shape:
    """The shape of a type. Raises VerifyException where it is not that of tensors of doubles that can be held."""
    if not isinstance(type_, TensorType) or type_.element_type != f64 or not isinstance(type_.encoding, NoneAttr):
        raise VerifyException(f"a value of type {type_}: expected a tensor of f64")
    shape = tuple([None if size == DYNAMIC_INDEX else size for size in type_.get_shape()])
    if not shape or 0 in shape:
        raise VerifyException(f"a value of type {type_}: expected one axis or more, of positive sizes")
    try:
        return shapes_of.bounded(shape)
    except MountainGoatError as error:
        raise VerifyException(error.message) from None


def number(value: float) -> str:
    """The shortest text that reads back as the same finite double, always with a point: 2.0, 1.0e+16."""
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def nested(value: Any) -> str:
    """The text of nested lists of finite numbers."""
    return f"[{', '.join(map(nested, value))}]" if isinstance(value, list) else number(value)


def expect(expected: Shape, result: Shape) -> None:
    """Refuse a result of another shape than is expected. Raises VerifyException."""
    if result != expected:
        raise VerifyException(f"the result has shape {shape_text(result)}: expected {shape_text(expected)}")


def check_call(call: Operation, type_: FunctionType) -> None:
    """Refuse a call whose types are not those of the function. Raises VerifyException."""
    found = FunctionType.from_lists(call.operand_types, call.result_types)
    if found != type_:
        raise VerifyException(f"arguments and result of type {found}: expected {type_}")


class MgOperation(IRDLOperation, ABC):
    """An operation of the dialect: it has the attributes that it declares and no others."""

    def verify_(self) -> None:
        if self.attributes:
            raise VerifyException(f"unknown attribute {next(iter(self.attributes))!r}")
        operands, results = ([shape_of(value.type) for value in values] for values in (self.operands, self.results))
        try:
            self.check(*operands, *results)
        except MountainGoatError as error:
            raise VerifyException(error.message) from None

    def check(self, *shapes: Shape) -> None:
        """Refuse shapes of the operands and the result that do not agree: raises VerifyException, MountainGoatError."""
        raise NotImplementedError


class Unary(MgOperation, ABC):
    """An operation on one value; of elementwise ones, on a matrix, the result has the operand's shape."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def check(self, *shapes: Shape) -> None:
        a, result = shapes
        expect(shapes_of.matrix(a, self.name), result)


class Binary(MgOperation, ABC):
    """An operation on two matrices; those of elementwise ones have one shape, as far as it is known."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def check(self, *shapes: Shape) -> None:
        a, b, result = shapes
        common = shapes_of.same(shapes_of.matrix(a, self.name), shapes_of.matrix(b, self.name), self.name)
        # A size known of one operand alone is checked at run time, and the result need not be said to have it.
        if len(result) != 2 or any(size not in (None, known) for size, known in zip(result, common, strict=True)):
            expect(common, result)
