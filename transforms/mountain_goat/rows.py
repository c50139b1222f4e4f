"""Which row of the rule table an instruction is, once the sizes of its operands are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.mountain_goat import shapes
from transforms.mountain_goat.module import Instruction

ELEMENTWISE = {"add": "+", "sub": "-", "mul": "*", "div": "/", "ge": "ge"}
"""The operations on two operands of one shape, as programs write them."""

Row = tuple[str, tuple[int, ...], tuple[tuple[str, Any], ...]]


def row_of(instruction: Instruction, sizes: Sequence[tuple[int, ...]]) -> Row:
    """The row, the size of the result, and the static parameters. Raises the errors of the shape rules.

    Not of a constant, cast, broadcast, call or print: those are no operation, or depend on more than their operands.
    """
    op, attributes, a = instruction.op, instruction.attributes, sizes[0]
    row, size, statics = op, a, ()
    match op:
        case "scalar":
            kind = attributes["kind"]
            row = f"k_{kind}" if attributes["reversed"] and kind in ("sub", "div") else f"{kind}_k"
            statics = (("k", float(attributes["value"])),)
        case "reshape":
            size = shapes.reshape(a, instruction.shape or ())
            statics = (("shape", size),)
        case "permute":
            permutation = tuple(attributes["permutation"])
            size, statics = shapes.permute(a, permutation), (("permutation", permutation),)
        case "reduce":
            axis = attributes["axis"]
            size, statics = shapes.reduce(a, axis), (("axis", axis), ("kind", attributes["kind"]))
        case "matmul":
            size = shapes.matmul(a, sizes[1])
        case "transpose":
            size = shapes.transpose(a)
        case _ if op in ELEMENTWISE:
            size = shapes.same(a, sizes[1], ELEMENTWISE[op])
    return row, tuple([n or 0 for n in size]), statics
