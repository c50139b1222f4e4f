"""What is to be differentiated: a loss of a program and the matrices it varies with, or a refusal that says why not.

Matrices are named as a `let` names them where the loss is printed, and must be literals there: an input is known by its
definition, never by its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from transforms.mountain_goat.built_in import ARGUMENTS
from transforms.mountain_goat.errors import NoGradient
from transforms.mountain_goat.judged import MatrixTransformation
from transforms.mountain_goat.lines import Line, renamed, shape_of, shapes, substituted, unchain
from transforms.mountain_goat.module import Module, shape_text
from transforms.mountain_goat.names import Names, plain
from transforms.mountain_goat.straight import Straight
from transforms.syntax import Term, Tuple, Var
from transforms.types import Array

Inputs = tuple[tuple[str, Array], ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A loss, the lines and inputs that it needs, and those of the inputs that it is to be differentiated by."""

    inputs: Inputs
    point: Mapping[str, np.ndarray]
    lines: list[Line]
    loss: Term
    wrt: tuple[str, ...]
    names: Names
    """The names in use: those of the program, of its lines and of the language."""
    line: int
    file: str

    def refused(self, message: str) -> NoGradient:
        return NoGradient(message, self.line, self.file)


def task(straight: Straight, names: Sequence[str], loss: int, judged: MatrixTransformation) -> Task:
    """To differentiate print number `loss`, counted from 0, by the named matrices. Raises NoGradient, UnknownName."""
    lines, printed, used = spoken(straight)
    if straight.stop is not None:
        raise NoGradient(f"the program stops when it runs: {straight.stop}", 0, straight.file)
    if not printed:
        raise NoGradient("the program prints nothing, so there is no loss", 0, straight.file)
    if not 0 <= loss < len(printed):
        message = f"no print number {loss}: expected 0 to {len(printed) - 1}, counting from 0"
        raise NoGradient(message, 0, straight.file)
    result, line = printed[loss], straight.prints[loss]
    inputs: Inputs = straight.program.context  # type: ignore[assignment]
    shape = shape_of(result, shapes(inputs, lines))
    if shape != (1, 1):
        raise NoGradient(f"the loss is {shape_text(shape)}: expected 1x1", line, straight.file)
    wrt = judged.drivers.locate(straight, names, line)
    kept = judged.drivers.prune(lines, [result])
    for name, variable in zip(names, wrt, strict=True):
        if variable not in kept:
            raise NoGradient(f"the loss does not depend on {name}", line, straight.file)
    return Task(
        tuple([x for x in inputs if x[0] in kept]),
        {name: value for name, value in straight.point.items() if name in kept},
        [x for x in lines if x[0] in kept],
        result,
        wrt,
        used,
        line,
        straight.file,
    )


def spoken(straight: Straight) -> tuple[list[Line], tuple[Term, ...], Names]:
    """The lines of a program and what it prints, with the names that text gives them, and the names in use.

    What a `let` binds keeps its name. Other values are v1, v2, ..., and what x is stretched to is x_wide.
    """
    lines, printed = unchain(straight.program.term)
    assert isinstance(printed, Tuple)
    names = Names((), plain)
    bound = {name for name, _ in straight.program.context}
    bound.update(variable for pairs in straight.lets.values() for _, variable in pairs)
    names.used.update(ARGUMENTS, bound)
    meant: dict[str, Term] = {}
    serial = 0
    for name, operation in lines:
        if name in bound:
            continue
        if operation.name == "broadcast" and isinstance(operation.args[0], Var):
            source = substituted(operation.args[0], meant)
            assert isinstance(source, Var)
            meant[name] = Var(names.fresh(f"{source.name}_wide"))
            continue
        serial += 1
        while f"v{serial}" in names.used:
            serial += 1
        meant[name] = Var(names.fresh(f"v{serial}"))
    return renamed(lines, meant), tuple([substituted(part, meant) for part in printed.parts]), names


def refuse_dynamic(module: Module) -> None:
    """Raises NoGradient where a module that is to be differentiated has a dimension that is not known."""
    functions = {function.name: function for function in module.functions}
    called: set[str] = set()
    todo = [module.main]
    while todo:
        for instruction in todo.pop():
            if instruction.shape is not None and None in instruction.shape:
                message = f"gradients need every dimension to be known, found {shape_text(instruction.shape)}"
                raise NoGradient(message, instruction.line, module.file)
            if instruction.op == "call" and instruction.attributes["callee"] not in called:
                called.add(instruction.attributes["callee"])
                todo.append(functions[instruction.attributes["callee"]].body)
