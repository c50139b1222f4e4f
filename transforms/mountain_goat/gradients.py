"""Gradients, descents and Hessian-vector products as programs of the language.

Each is the reverse macro run on the writing machine with the accumulator, so what remains is a straight line again: it
can be written as text, run, compiled, or differentiated in turn. Only what the results need is kept. Losses are counted
from 0, by the prints of the program. Every function raises NoGradient or UnknownName where there is no gradient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from transforms.machines.syntax import Atom, Writing, binding
from transforms.mountain_goat.adjoints import differentiate
from transforms.mountain_goat.errors import WrongDirection
from transforms.mountain_goat.express import expressed
from transforms.mountain_goat.inline import MAX_LENGTH
from transforms.mountain_goat.judged import MATRICES, MatrixTransformation
from transforms.mountain_goat.lines import Line, renamed, shapes, substituted, unchain, variables
from transforms.mountain_goat.module import shape_text
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.task import Inputs, Task, task
from transforms.syntax import Lit, Op, Program, Term, Tuple, Var
from transforms.typecheck import typecheck
from transforms.types import Array

Section = tuple[str, list[Line]]
"""Lines with a title."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A program that was generated, its statements in sections: for each the title and how many there are."""

    straight: Straight
    sections: tuple[tuple[str, int], ...]


def gradient(
    straight: Straight, names: Sequence[str], loss: int = 0, judged: MatrixTransformation = MATRICES
) -> Generated:
    """The program that prints a loss and then its gradient in each of the named matrices, in their order."""
    asked = task(straight, names, loss, judged)
    backward, adjoints = _gradient(judged, asked, names)
    sections = [("Forward pass", asked.lines), ("Backward pass", backward)]
    title = f"Results: the loss, its gradient in {', '.join(names)}"
    return _generated(judged, asked, asked.inputs, asked.point, sections, [asked.loss, *adjoints], title)


def descend(
    straight: Straight,
    names: Sequence[str],
    steps: int,
    rate: float,
    loss: int = 0,
    judged: MatrixTransformation = MATRICES,
) -> Generated:
    """The program that takes steps of gradient descent, p <- p - rate * gradient, in all the named matrices at once.

    It prints the loss before the first step and after each. What does not vary with those matrices is computed once.
    """
    asked = task(straight, names, loss, judged)
    if steps < 0 or not isfinite(rate):
        raise asked.refused(f"expected a number of steps and a finite rate, found {steps} and {rate}")
    backward, adjoints = _gradient(judged, asked, names)
    if steps * (len(asked.lines) + len(backward)) > MAX_LENGTH:
        raise asked.refused(f"the program would be longer than {MAX_LENGTH:,} lets: expected fewer steps than {steps}")
    kept = judged.drivers.prune([*asked.lines, *backward], adjoints)
    backward = [(name, operation) for name, operation in backward if name in kept]
    moving = set(asked.wrt)
    for name, operation in [*asked.lines, *backward]:
        if not moving.isdisjoint(variables(operation.args)):
            moving.add(name)

    sections: list[Section] = []
    losses = []
    now: dict[str, Term] = {}
    """What those that move are called at the present step, where that is another name."""

    def at_step(lines: list[Line], step: int) -> list[Line]:
        if step:
            lines = [(name, operation) for name, operation in lines if name in moving]
            now.update({name: Var(asked.names.fresh(f"{name}_s{step}")) for name, _ in lines})
        return renamed(lines, now)

    for step in range(steps):
        sections.append((f"Step {step + 1}: forward pass", at_step(asked.lines, step)))
        losses.append(substituted(asked.loss, now))
        sections.append((f"Step {step + 1}: backward pass", at_step(backward, step)))
        update: list[Line] = []
        moved: dict[str, Term] = {}
        for name, adjoint in zip(asked.wrt, adjoints, strict=True):
            lines, moved[name] = _stepped(judged, asked, name, substituted(adjoint, now), rate, step + 1, now)
            update += lines
        sections.append((f"Step {step + 1}: update", update))
        now.update(moved)
    sections.append((f"After {steps} steps: forward pass" if steps else "Forward pass", at_step(asked.lines, steps)))
    losses.append(substituted(asked.loss, now))
    title = "Results: the loss before the first step and after each"
    return _generated(judged, asked, asked.inputs, asked.point, sections, losses, title)


def hvp(
    straight: Straight,
    names: Sequence[str],
    directions: Sequence[np.ndarray],
    loss: int = 0,
    judged: MatrixTransformation = MATRICES,
) -> Generated:
    """The program that prints sum(g . v), g the gradient in the named matrices and v the directions, and then, for each
    of the matrices, the product of the Hessian with v: the gradient of that sum.

    `directions` has an array of the shape of each named matrix. Raises WrongDirection besides.
    """
    asked = task(straight, names, loss, judged)
    _check_directions(asked, names, directions)
    backward, adjoints = _gradient(judged, asked, names)
    along = [asked.names.fresh(f"along_{name}") for name in asked.wrt]
    inputs = asked.inputs + tuple([(v, Array(given.shape)) for v, given in zip(along, directions, strict=True)])
    point = {**asked.point, **dict(zip(along, directions, strict=True))}
    product, total = _inner_product(asked, adjoints, along)
    kept = judged.drivers.prune([*asked.lines, *backward, *product], [total])
    lines = [line for line in [*asked.lines, *backward, *product] if line[0] in kept]
    inside = tuple([x for x in inputs if x[0] in kept])
    again, products = differentiate(judged.drivers.hvp(judged), inside, lines, total, asked.wrt, asked.names)
    sections = [
        ("Forward pass", asked.lines),
        ("Backward pass", backward),
        ("Sum of the gradient times the direction", product),
        ("Backward pass through all of it", again),
    ]
    flat = {name: Lit(np.zeros(asked.point[name].shape)) for name in asked.wrt}
    results = [total, *[products.get(name) or flat[name] for name in asked.wrt]]
    title = f"Results: the sum, the Hessian-vector product in {', '.join(names)}"
    return _generated(judged, asked, inputs, point, sections, results, title)


def _gradient(judged: MatrixTransformation, asked: Task, names: Sequence[str]) -> tuple[list[Line], list[Term]]:
    """The backward part, and the adjoint of each of the inputs that are asked for. Raises NoGradient."""
    backward, adjoints = differentiate(judged, asked.inputs, asked.lines, asked.loss, asked.wrt, asked.names)
    found = []
    for name, variable in zip(names, asked.wrt, strict=True):
        adjoint = adjoints[variable]
        if adjoint is None:
            raise asked.refused(f"the loss is flat in {name}: it depends on it through ge only")
        found.append(adjoint)
    return backward, found


def _stepped(
    judged: MatrixTransformation, asked: Task, name: str, adjoint: Term, rate: float, step: int, now: Mapping[str, Term]
) -> tuple[list[Line], Term]:
    """The lines of a parameter's step, and what it is after it."""
    type_, parameter = Array(asked.point[name].shape), now.get(name, Var(name))
    machine = Writing(judged.rules, variables([parameter, adjoint]))
    result = judged.drivers.step(machine, Atom(parameter, type_), Atom(adjoint, type_), float(rate))
    lines, after = unchain(binding(machine.lines, result.term))
    meant: dict[str, Term] = {}
    for line, _ in lines:
        wanted = f"{name}_s{step}" if line in variables([after]) else f"{name}_step"
        meant[line] = Var(asked.names.fresh(wanted))
    return renamed(lines, meant), substituted(after, meant)


def _check_directions(asked: Task, names: Sequence[str], directions: Sequence[np.ndarray]) -> None:
    if len(directions) != len(names):
        message = f"expected {len(names)} directions, for {', '.join(names)}; found {len(directions)}"
        raise WrongDirection(message, 0, asked.file)
    for name, variable, direction in zip(names, asked.wrt, directions, strict=True):
        expected = asked.point[variable].shape
        if direction.shape != expected:
            message = f"the direction of {name} is {shape_text(direction.shape)}: expected {shape_text(expected)}"
            raise WrongDirection(message, 0, asked.file)


def _inner_product(asked: Task, adjoints: list[Term], along: list[str]) -> tuple[list[Line], Term]:
    """The lines that sum adjoint times direction over all entries of all matrices, and that sum."""
    lines: list[Line] = []

    def write(wanted: str, row: str, *args: Term, **statics: object) -> Var:
        lines.append((asked.names.fresh(wanted), Op(row, args, tuple(statics.items()))))
        return Var(lines[-1][0])

    total = None
    for adjoint, v in zip(adjoints, along, strict=True):
        product = write(f"{v}_product", "mul", adjoint, Var(v))
        rows = write(f"{v}_rows", "reduce", product, axis=1, kind="sum")
        part = write(f"{v}_sum", "reduce", rows, axis=0, kind="sum")
        total = part if total is None else write("along_all", "add", total, part)
    assert total is not None
    return lines, total


def _generated(
    judged: MatrixTransformation,
    asked: Task,
    inputs: Inputs,
    point: Mapping[str, np.ndarray],
    sections: list[Section],
    results: list[Term],
    title: str,
) -> Generated:
    """The program of these sections that prints the results, with what they need and nothing else."""
    every = [line for _, lines in sections for line in lines]
    kept = judged.drivers.prune(every, results)
    known = shapes(inputs, every)
    inputs = tuple([x for x in inputs if x[0] in kept])
    sections = [
        (name, expressed([line for line in lines if line[0] in kept], known, asked.names)) for name, lines in sections
    ]
    lines = [line for _, part in sections for line in part]
    program = Program(inputs, binding(lines, Tuple(tuple(results))))
    typecheck(program, judged.rules)
    bound = [name for name, _ in inputs] + [name for name, _ in lines]
    lets = {name: ((number, name),) for number, name in enumerate(bound, 1)}
    prints = tuple(range(len(bound) + 1, len(bound) + len(results) + 1))
    straight = Straight(program, {name: point[name] for name, _ in inputs}, lets, prints, None, asked.file)
    counted = [("Inputs", len(inputs)), *[(name, len(part)) for name, part in sections], (title, len(results))]
    return Generated(straight, tuple(counted))
