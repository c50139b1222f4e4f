"""From a module to a straight line: functions are inlined, and every size is known, since every literal's is.

An unknown dimension gets the size it has when the program runs. Where sizes then do not fit, the program stops: the
straight line ends there, after what was printed before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from transforms.mountain_goat import shapes
from transforms.mountain_goat.errors import Malformed, MountainGoatError, TooLarge, WrongAxis, WrongShape
from transforms.mountain_goat.module import Function, Instruction, Module, Shape, shape_text
from transforms.mountain_goat.names import Names, plain
from transforms.mountain_goat.rows import ELEMENTWISE, row_of
from transforms.mountain_goat.straight import Straight
from transforms.syntax import Let, Lit, Op, Program, Term, Tuple, Var
from transforms.types import Array
from transforms.walks import walking

MAX_LENGTH = 1_000_000
"""The most instructions that inlining may take."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value: the variable or literal that stands for it, its size, and its shape as far as the module knows it."""

    term: Term
    size: tuple[int, ...]
    shape: Shape


@dataclass(frozen=True, slots=True)
class Stretching:
    """A broadcast that does not know its size: the value it is used with tells."""

    value: Known
    shape: Shape

    @property
    def size(self) -> Shape:
        """What is known of the size: a dimension that does not stretch stays as it is."""
        sizes = zip(self.value.size, self.value.shape, self.shape, strict=True)
        return tuple([n if n is not None or m == 1 else size for size, m, n in sizes])


@dataclass(slots=True)
class _Frame:
    """A function being inlined, or `main`: what is left of it, its values by name, and the call that it serves."""

    rest: Iterator[Instruction]
    values: dict[str, Known | Stretching] = field(default_factory=dict)
    function: Function | None = None
    call: Instruction | None = None
    name: str = ""
    """The name that the function's result has in the straight line."""


class _Stop(Exception):
    """The program stops at run time, with this message."""


def inline(module: Module, source: str = "") -> Straight:
    """The straight line of a module; `source` is the text that its lines count in, for the places of terms.

    Literals that a `let` of `main` binds become inputs, others stay literals. Raises TooLarge, and
    Malformed where the size of a broadcast in the module is unknown and nothing tells it.
    """
    _check_length(module)
    writing = _Inlining(module, source)
    stop = None
    with walking():
        try:
            writing.run()
        except _Stop as error:
            stop = str(error)
        term: Term = Tuple(tuple([value.term for _, value in writing.prints]))
        for name, bound in reversed(writing.bindings):
            term = Let(name, bound, term, at=bound.at)
        lets = writing.lets()
    context = tuple([(name, Array(value.shape)) for name, value in writing.point.items()])
    prints = tuple([line for line, _ in writing.prints])
    return Straight(Program(context, term, source), writing.point, lets, prints, stop, module.file)


def _check_length(module: Module) -> None:
    """Add up the instructions before any is written: calls of calls double them again and again. Raises TooLarge."""
    lengths: dict[str, int] = {}

    def steps(instruction: Instruction) -> int:
        return 1 + lengths[instruction.attributes["callee"]] if instruction.op == "call" else 1

    for function in module.functions:
        lengths[function.name] = min(sum(map(steps, function.body)), MAX_LENGTH + 1)
    total = 0
    for instruction in module.main:
        total += steps(instruction)
        if total > MAX_LENGTH:
            raise TooLarge(
                f"the program is longer than {MAX_LENGTH:,} instructions once its functions are inlined"
            ).located(instruction.line, module.file)


class _Inlining:
    """The straight line so far, and the functions that are open: `main`, what it calls, what that calls..."""

    def __init__(self, module: Module, source: str) -> None:
        self.module = module
        self.functions = {function.name: function for function in module.functions}
        # What a `let` binds is named as the program names it; the module may have had to spell it otherwise.
        self.let_names = {v: name for name, bound in reversed(list(module.lets.items())) for _, v in bound}
        self.names = Names([*module.lets, *[i.result for i in module.main if i.result]], plain)
        self.main = _Frame(iter(module.main))
        self.frames = [self.main]
        self.starts = _line_starts(source)
        self.point: dict[str, np.ndarray] = {}
        self.bindings: list[tuple[str, Op]] = []
        self.prints: list[tuple[int, Known]] = []

    def run(self) -> None:
        """Every instruction in the order of execution. Raises _Stop where the program stops."""
        while self.frames:
            frame = self.frames[-1]
            for instruction in frame.rest:
                if instruction.op == "call":
                    self._enter(frame, instruction)
                    break
                try:
                    self._step(frame, instruction)
                except (WrongShape, WrongAxis) as error:
                    raise self._stop(instruction, error) from None
                except MountainGoatError as error:
                    raise error.located(instruction.line, self.module.file) from None
            else:
                self.frames.pop()
                self._leave(frame)

    def lets(self) -> dict[str, tuple[tuple[int, str], ...]]:
        """What each name stood for, as `Straight` says."""
        found = {}
        for name, bound in self.module.lets.items():
            values = [(line, self.main.values.get(value)) for line, value in bound]
            found[name] = tuple(
                [(line, v.term.name if isinstance(v, Known) and isinstance(v.term, Var) else "") for line, v in values]
            )
        return found

    def _enter(self, frame: _Frame, call: Instruction) -> None:
        function = self.functions[call.attributes["callee"]]
        values = {
            name: frame.values[given] for (name, _), given in zip(function.parameters, call.operands, strict=True)
        }
        self.frames.append(_Frame(iter(function.body), values, function, call, self._name(frame, call)))

    def _leave(self, frame: _Frame) -> None:
        if frame.function and frame.call and frame.call.result:
            self.frames[-1].values[frame.call.result] = frame.values[frame.function.result]

    def _name(self, frame: _Frame, instruction: Instruction) -> str:
        """The name of an instruction's result in the straight line."""
        result = instruction.result or ""
        if frame.function is None:
            return self.names.fresh(self.let_names.get(result, result))
        return frame.name if result == frame.function.result else self.names.temporary()

    def _stop(self, instruction: Instruction, error: MountainGoatError) -> _Stop:
        calls = [f"{f.function.name} called on line {f.call.line}" for f in self.frames[1:] if f.function and f.call]
        where = f" (in {', in '.join(reversed(calls[-3:]))})" if calls else ""
        return _Stop(str(type(error)(f"{error.message}{where}", instruction.line, self.module.file)))

    def _step(self, frame: _Frame, instruction: Instruction) -> None:
        op, shape, result = instruction.op, instruction.shape or (), instruction.result or ""
        if op == "constant":
            frame.values[result] = self._constant(frame, instruction)
            return
        values = [frame.values[operand] for operand in instruction.operands]
        args = self._together(values, instruction) if op in ELEMENTWISE else [_settled(value, op) for value in values]
        if op == "print":
            self.prints.append((instruction.line, args[0]))
        elif op == "cast":
            if not shapes.fits(args[0].size, shape):
                raise WrongShape(f"found {shape_text(args[0].size)} where {shape_text(shape)} is expected")
            frame.values[result] = Known(args[0].term, args[0].size, shape)
        elif op == "broadcast":
            stretching = Stretching(args[0], shape)
            if None not in stretching.size:
                name = self._name(frame, instruction)
                frame.values[result] = self._broadcast(name, stretching, stretching.size, instruction)
            else:
                frame.values[result] = stretching
        else:
            row, size, statics = row_of(instruction, [arg.size for arg in args])
            terms = tuple([arg.term for arg in args])
            term = self._write(self._name(frame, instruction), Op(row, terms, statics, at=self._at(instruction)))
            frame.values[result] = Known(term, size, shape)

    def _constant(self, frame: _Frame, instruction: Instruction) -> Known:
        value = np.ascontiguousarray(instruction.attributes["value"], dtype=float)
        if frame.function is None and instruction.result in self.let_names:
            name = self._name(frame, instruction)
            self.point[name] = value
            return Known(Var(name), value.shape, value.shape)
        return Known(Lit(value, at=self._at(instruction)), value.shape, value.shape)

    def _together(self, values: list[Known | Stretching], instruction: Instruction) -> list[Known]:
        """The operands of an elementwise operation, where each may tell the other to what it stretches."""
        a, b = [value.size for value in values]
        common = [m if m is not None else n if n is not None else 1 for m, n in zip(a, b, strict=True)]
        settled = []
        for value in values:
            if isinstance(value, Stretching):
                size = tuple([c if n is None else n for n, c in zip(value.size, common, strict=True)])
                settled.append(self._broadcast(self.names.temporary(), value, size, instruction))
            else:
                settled.append(value)
        return settled

    def _broadcast(self, name: str, stretching: Stretching, size: Shape, instruction: Instruction) -> Known:
        value = stretching.value
        size = tuple([n or 0 for n in shapes.broadcast(value.size, size)])
        if size == value.size:
            return Known(value.term, size, stretching.shape)
        bound = Op("broadcast", (value.term,), (("shape", size),), at=self._at(instruction))
        return Known(self._write(name, bound), size, stretching.shape)

    def _write(self, name: str, bound: Op) -> Var:
        self.bindings.append((name, bound))
        return Var(name)

    def _at(self, instruction: Instruction) -> int:
        return self.starts[instruction.line - 1] if 0 < instruction.line <= len(self.starts) else -1


def _settled(value: Known | Stretching, op: str) -> Known:
    if isinstance(value, Stretching):
        raise Malformed(f"{op} of a broadcast to {shape_text(value.shape)}: nothing tells the unknown size")
    return value


def _line_starts(source: str) -> list[int]:
    """The offset at which each line starts."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts
