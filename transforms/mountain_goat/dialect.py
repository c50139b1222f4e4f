"""The `mg` dialect: the operations of a Mountain Goat program in xDSL, each with its text and its verifier.

Every operand and result is a ranked tensor of doubles with at least one axis; a size is positive, or unknown (`?`). All
operations but `constant`, `reshape`, `permute` and `print` are on matrices. A verifier is the operation's shape rule of
`shapes`, with what the dialect adds: stretching is explicit, and a result claims no size that no operand has.
"""

from __future__ import annotations

import math
from typing import Self, cast

import numpy as np
from xdsl.dialects.builtin import (
    BoolAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    f64,
    i64,
)
from xdsl.ir import Dialect
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from transforms.mountain_goat import shapes as shapes_of
from transforms.mountain_goat.dialect_base import Binary, MgOperation, Unary, expect, nested, tensor
from transforms.mountain_goat.module import Shape, shape_text

SCALAR_OPERATIONS = ("add", "sub", "mul", "div")
REDUCTIONS = ("sum", "max")


@irdl_op_definition
class Add(Binary):
    name = "mg.add"


@irdl_op_definition
class Sub(Binary):
    name = "mg.sub"


@irdl_op_definition
class Mul(Binary):
    name = "mg.mul"


@irdl_op_definition
class Div(Binary):
    name = "mg.div"


@irdl_op_definition
class Ge(Binary):
    name = "mg.ge"


@irdl_op_definition
class Neg(Unary):
    name = "mg.neg"


@irdl_op_definition
class Exp(Unary):
    name = "mg.exp"


@irdl_op_definition
class Log(Unary):
    name = "mg.log"


@irdl_op_definition
class Sqrt(Unary):
    name = "mg.sqrt"


@irdl_op_definition
class Relu(Unary):
    name = "mg.relu"


@irdl_op_definition
class Scalar(Unary):
    """A matrix and a number; `reversed` is true where the number is on the left."""

    name = "mg.scalar"
    op = prop_def(StringAttr)
    value = prop_def(FloatAttr)
    reversed = prop_def(BoolAttr)
    irdl_options = (ParsePropInAttrDict(),)

    def check(self, *shapes: Shape) -> None:
        if self.op.data not in SCALAR_OPERATIONS:
            raise VerifyException(f"op is {self.op}: expected one of {', '.join(SCALAR_OPERATIONS)}")
        if self.value.type != f64 or not math.isfinite(self.value.value.data):
            raise VerifyException(f"value is {self.value}: expected a finite f64")
        super().check(*shapes)


@irdl_op_definition
class Matmul(Binary):
    name = "mg.matmul"

    def check(self, *shapes: Shape) -> None:
        a, b, result = shapes
        expect(shapes_of.matmul(a, b), result)


@irdl_op_definition
class Transpose(Unary):
    name = "mg.transpose"
    assembly_format = "$operand attr-dict `:` type($operand) `to` type($result)"

    def check(self, *shapes: Shape) -> None:
        a, result = shapes
        expect(shapes_of.transpose(a), result)


@irdl_op_definition
class Reshape(Unary):
    """To the result's shape, of known sizes."""

    name = "mg.reshape"

    def check(self, *shapes: Shape) -> None:
        a, result = shapes
        shapes_of.reshape(a, result)


@irdl_op_definition
class Permute(Unary):
    """Result axis i is operand axis `permutation[i]`."""

    name = "mg.permute"
    permutation = prop_def(DenseArrayBase)
    irdl_options = (ParsePropInAttrDict(),)

    def check(self, *shapes: Shape) -> None:
        a, result = shapes
        if self.permutation.elt_type != i64:
            raise VerifyException(f"permutation is {self.permutation}: expected axes as i64")
        expect(shapes_of.permute(a, self.axes()), result)

    def axes(self) -> tuple[int, ...]:
        """The permutation, of an operation whose attributes are verified."""
        return tuple([int(axis) for axis in cast(DenseArrayBase[IntegerType], self.permutation).get_values()])


@irdl_op_definition
class Reduce(Unary):
    """Along an axis, which stays with size 1: axis 1 makes a column, axis 0 a row."""

    name = "mg.reduce"
    axis = prop_def(IntegerAttr)
    kind = prop_def(StringAttr)
    irdl_options = (ParsePropInAttrDict(),)

    def check(self, *shapes: Shape) -> None:
        a, result = shapes
        if self.axis.type != i64 or self.axis.value.data not in (0, 1):
            raise VerifyException(f"axis is {self.axis}: expected 0 or 1 as i64")
        if self.kind.data not in REDUCTIONS:
            raise VerifyException(f"kind is {self.kind}: expected one of {', '.join(REDUCTIONS)}")
        expect(shapes_of.reduce(a, self.axis.value.data, self.name), result)


@irdl_op_definition
class Broadcast(Unary):
    """Axes of size 1 stretched to the result's shape; an unknown size never stretches."""

    name = "mg.broadcast"

    def check(self, *shapes: Shape) -> None:
        a, result = shapes
        shapes_of.broadcast(shapes_of.matrix(a, self.name), result)
        if any(before not in (1, after) for before, after in zip(a, result, strict=True)):
            raise VerifyException(f"from {shape_text(a)} to {shape_text(result)}: only axes of size 1 stretch")


@irdl_op_definition
class Print(MgOperation):
    name = "mg.print"
    operand = operand_def(TensorType)
    assembly_format = "$operand attr-dict `:` type($operand)"

    def check(self, *shapes: Shape) -> None:
        pass


@irdl_op_definition
class Constant(MgOperation):
    """An array of finite doubles; written as nested lists, read also as a splat."""

    name = "mg.constant"
    value = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(TensorType)

    @staticmethod
    def of(array: np.ndarray) -> Constant:
        """The constant of an array of doubles."""
        type_ = tensor(array.shape)
        value = DenseIntOrFPElementsAttr(type_, BytesAttr(array.astype("<f8").tobytes()))
        return Constant.create(properties={"value": value}, result_types=[type_])

    def array(self) -> np.ndarray:
        """The array of a constant that is verified."""
        flat = np.frombuffer(self.value.data.data, "<f8")
        return np.broadcast_to(flat, math.prod(self.value.get_shape())).reshape(self.value.get_shape()).astype(float)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error("expected dense<...> : tensor<...>", at)
        return cls.create(properties={"value": value}, result_types=[value.type], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" dense<{nested(self.array().tolist())}> : ")
        printer.print_attribute(self.value.type)

    def check(self, *shapes: Shape) -> None:
        (shape,) = shapes
        if self.value.type != self.results[0].type or None in shape:
            raise VerifyException(f"value of type {self.value.type} and result {shape_text(shape)}: they must agree")
        if len(self.value.data.data) // 8 not in (1, math.prod(self.value.get_shape())):
            raise VerifyException(f"{len(self.value.data.data) // 8} numbers for shape {shape_text(shape)}")
        if not np.isfinite(np.frombuffer(self.value.data.data, "<f8")).all():
            raise VerifyException("a number that is not finite")


OPERATIONS = (
    Constant, Add, Sub, Mul, Div, Neg, Scalar, Matmul, Transpose, Reshape, Permute, Exp, Log, Sqrt, Relu, Ge, Reduce,
    Broadcast, Print,
)  # fmt: skip

BY_NAME = {operation.name.removeprefix("mg."): operation for operation in OPERATIONS}
"""Operations by their name in a Module."""

Mg = Dialect("mg", list(OPERATIONS))
