"""xDSL's parser for `mg` text, with a line for every error, and verifiers that are run as soon as they can be."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import Builtin, TensorType, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span

from transforms.mountain_goat.dialect import Mg, MgOperation
from transforms.mountain_goat.errors import Malformed, MountainGoatError, TooLarge, TooNested, UnknownName, WrongShape

MAX_MESSAGE = 300
"""The most characters of a message that come from xDSL."""


def brief(message: str) -> str:
    """A message on one line, of printable characters, not too long."""
    message = "".join(c if c.isprintable() else " " for c in message[: 2 * MAX_MESSAGE])
    return " ".join(message.split())[:MAX_MESSAGE]


class MgParser(Parser):
    """A parser of text that is scanned. It remembers lines and names, and refuses a value used before it is defined."""

    def __init__(self, text: str, file: str) -> None:
        context = Context()
        for dialect in (Builtin, func.Func, arith.Arith, tensor.Tensor, Mg):
            context.load_dialect(dialect)
        super().__init__(context, text, file)
        self.text = text
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.opened: list[int] = []  # the lines of the operations that are being read, from the outermost
        self.lines: dict[Operation, int] = {}
        self.names: dict[SSAValue, str] = {}

    def line_at(self, offset: int) -> int:
        """The line of an offset of the text."""
        return bisect_right(self.newlines, offset - 1) + 1

    def parse_operation(self) -> Operation:
        line = self.line_at(self.pos)
        self.opened.append(line)
        operation = super().parse_operation()
        self.lines[operation] = line
        if isinstance(operation, MgOperation | tensor.CastOp | arith.ConstantOp):
            self.verify(operation)
        self.opened.pop()
        return operation

    def verify(self, operation: Operation) -> None:
        """Run an operation's verifier. Raises WrongShape."""
        try:
            operation.verify_()
        except VerifyException as error:
            raise WrongShape(f"{operation.name}: {brief(str(error))}", self.lines[operation]) from None

    def named(self, error: Exception) -> MountainGoatError:
        """The named error for one that was raised while an operation was read."""
        line = self.opened[-1] if self.opened else 1
        if isinstance(error, ParseError):
            return Malformed(brief(error.msg), self._line_of(error.span.start))
        if isinstance(error, RecursionError):
            return TooNested("nested too deeply", line)
        if isinstance(error, MemoryError):
            return TooLarge("too large to be held", line)
        return Malformed(f"cannot be read: {brief(str(error))}", line)

    def _line_of(self, offset: int) -> int:
        """The line to blame for what stands at an offset: where something is missing, it is that before the gap."""
        end = len(self.text[:offset].rstrip())
        before = self.line_at(end)
        in_operation = self.opened and before == self.opened[-1] and self.text[end - 1 : end] != "{"
        return before if in_operation else self.line_at(offset)

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> Any:
        if operand.operand_name not in self.ssa_values:
            raise UnknownName(f"%{operand.operand_name} is used before it is defined", self.line_at(operand.span.start))
        return super().resolve_operand(operand, type)

    def _parse_dense_literal_type(self) -> Any:  # the one that is replaced takes ten times as long
        type_ = self.parse_type()
        if not isinstance(type_, TensorType) or type_.element_type != f64 or not type_.has_static_shape():
            self.raise_error("expected a tensor of f64 of known sizes")
        return type_

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        self.names.update(dict.fromkeys(values, name))
