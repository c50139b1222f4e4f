"""The transformation of matrix programs as one record: what surrounds the macro there, and can be replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from transforms.array_rules import TABLE
from transforms.cotangents.accumulator import accumulator
from transforms.drivers import Drivers, Transformation
from transforms.kernels.plan import Limits
from transforms.kernels.program import emit
from transforms.machines.counting import Counting
from transforms.machines.emit_c import EmitC, Number
from transforms.machines.interface import Machine, Value
from transforms.mountain_goat.lines import Line, needed
from transforms.mountain_goat.located import located
from transforms.mountain_goat.straight import Straight
from transforms.reverse import CLAUSES
from transforms.simplify.levels import simplify
from transforms.simplify.recognise import recognised
from transforms.simplify.rewrite import Level
from transforms.syntax import Term


def downhill(m: Machine, parameter: Value, ct: Value, rate: float) -> Value:
    """A step of gradient descent: parameter - rate * gradient."""
    return m.sub(parameter, m.mul_k(ct, k=rate))


@dataclass(frozen=True, slots=True)
class MatrixDrivers(Drivers):
    """What surrounds the macro in the gradients, descents and Hessian-vector products of matrix programs.

    step(machine, parameter, ct, rate)   the parameter after a step of descent
    locate(straight, names, line)        the inputs that names stand for on the line of the loss
    prune(lines, results)                the variables that results depend on: what is kept
    simplify(straight, level)            a program that prints the same with fewer operations
    recognise(straight)                  the program with its compositions as operations of the table
    kernels(machine, straight, limits)   what the program prints, emitted by a machine as few loop nests
    """

    step: Callable[[Machine, Value, Value, float], Value] = downhill
    locate: Callable[[Straight, Sequence[str], int], tuple[str, ...]] = located
    prune: Callable[[list[Line], Iterable[Term]], set[str]] = needed
    simplify: Callable[[Straight, Level], Straight] = simplify
    recognise: Callable[[Straight], Straight] = recognised
    kernels: Callable[[EmitC, Straight, Limits], tuple[Number, ...]] = emit


@dataclass(frozen=True, slots=True)
class MatrixTransformation(Transformation):
    """A transformation of matrix programs under judgement."""

    drivers: MatrixDrivers


MATRICES = MatrixTransformation(TABLE, CLAUSES, accumulator, Counting, MatrixDrivers())
"""The transformation as it should be: a program that is written down holds its cotangents in the accumulator."""
