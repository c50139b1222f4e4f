"""Straight lines to text of the language: inputs, one operation for each `let`, and the prints.

The language has no word for `broadcast`: elementwise operations stretch what they are given. So a broadcast is written
where it is used, as what it stretches, as long as the operands together still give the whole shape. Where they do not,
or the use is no elementwise operation of two operands, it gets a line of its own: the product with a literal of ones
along the axes that stretch, which leaves every number as it is, -0.0, infinities and NaN among them. (Adding zeros
would turn -0.0 into 0.0, and so may a matrix product with ones.) Ones stay inside the expression, since a literal that
a `let` binds would be an input.

A literal whose entries are equal is written as one entry in the same way. Floats are the shortest text that reads back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from transforms.mountain_goat.lines import Line, Shapes, literal, shape_of, shapes
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.task import Inputs, spoken
from transforms.syntax import INFIX, Lit, Op, Term, Var

SCALAR = {
    "add_k": "{a} + {k}", "sub_k": "{a} - {k}", "k_sub": "{k} - {a}",
    "mul_k": "{a} * {k}", "div_k": "{a} / {k}", "k_div": "{k} / {a}",
}  # fmt: skip


def write(straight: Straight, sections: Sequence[tuple[str, int]] = ()) -> str:
    """The text of a program. `sections` of its statements, title and number of each, become comments.

    A straight line that stops at run time is written up to there.
    """
    lines, printed, _ = spoken(straight)
    inputs: Inputs = straight.program.context  # type: ignore[assignment]
    known = shapes(inputs, lines)
    stretched = {name: operation.args[0] for name, operation in lines if operation.name == "broadcast"}
    whole = _whole(lines, printed, stretched, known)
    statements = [f"let {name} = {_matrix(straight.point[name])}" for name, _ in inputs]
    for name, operation in lines:
        if operation.name != "broadcast":
            statements.append(f"let {name} = {_operation(operation, stretched, known)}")
        elif name in whole:
            statements.append(f"let {name} = {_broadcast(name, operation, known)}")
        else:
            statements.append("")  # written where it is used
    statements += [f"print {_atom(part)}" for part in printed]
    return "".join(f"{line}\n" for line in _titled(statements, sections))


def _titled(statements: list[str], sections: Sequence[tuple[str, int]]) -> Iterable[str]:
    """The statements that are not empty, with the titles of their sections as comments."""
    rest = iter(statements)
    separator = []
    for title, count in sections:
        part = [statement for _, statement in zip(range(count), rest, strict=False) if statement]
        if part:
            yield from (*separator, f"# {title}", *part)
            separator = [""]
    yield from filter(None, rest)


def _whole(lines: list[Line], printed: Sequence[Term], stretched: dict[str, Term], known: Shapes) -> set[str]:
    """The broadcasts that need a line of their own."""
    found: set[str] = set()

    def use(atoms: Iterable[Term]) -> None:
        found.update(atom.name for atom in atoms if isinstance(atom, Var) and atom.name in stretched)

    use(printed)
    for name, operation in reversed(lines):
        if operation.name in INFIX or operation.name == "ge":
            use(_operands(operation, stretched, known))
        elif operation.name != "broadcast" or name in found:
            use(operation.args)
    return found


def _operands(operation: Op, stretched: dict[str, Term], known: Shapes) -> tuple[Term, Term]:
    """The operands of an elementwise operation as they are to be written: as small as still gives the whole shape."""
    a, b = operation.args
    sources = _source(a, stretched), _source(b, stretched)
    small = _entry(sources[0]), _entry(sources[1])
    pairs = (small, (small[0], sources[1]), (sources[0], small[1]), sources)
    for pair in pairs:
        if np.broadcast_shapes(*[shape_of(atom, known) for atom in pair]) == shape_of(a, known):
            return pair
    return a, small[1]


def _source(atom: Term, stretched: dict[str, Term]) -> Term:
    """What stretches to an operand."""
    while isinstance(atom, Var) and atom.name in stretched:
        atom = stretched[atom.name]
    return atom


def _entry(atom: Term) -> Term:
    """One entry of a literal whose entries are all equal; anything else as it is."""
    if isinstance(atom, Lit):
        bits = literal(atom).ravel().view(np.int64)  # tells -0.0 from 0.0
        if np.all(bits == bits[0]):
            return Lit(literal(atom)[:1, :1])
    return atom


def _broadcast(name: str, operation: Op, known: Shapes) -> str:
    (source,) = operation.args
    axes = zip(shape_of(source, known), known[name], strict=True)
    ones = np.ones([n if m == 1 else 1 for m, n in axes])
    return f"{_atom(source)} * {_matrix(ones)}"


def _operation(operation: Op, stretched: dict[str, Term], known: Shapes) -> str:
    name, statics = operation.name, dict(operation.statics)
    if name in INFIX or name == "ge":
        a, b = map(_atom, _operands(operation, stretched, known))
        return f"ge({a}, {b})" if name == "ge" else f"{a} {INFIX[name]} {b}"
    a, *others = map(_atom, operation.args)
    if name in SCALAR:
        return SCALAR[name].format(a=a, k=repr(statics["k"]))
    match name:
        case "neg":
            return f"-{a}"
        case "matmul":
            return f"{a} @ {others[0]}"
        case "reduce":
            return f"{'row' if statics['axis'] else 'col'}_{statics['kind']}({a})"
        case "reshape" | "permute":
            return f"{name}({', '.join([a, *map(str, statics['shape' if name == 'reshape' else 'permutation'])])})"
        case _:
            return f"{name}({a})"


def _atom(atom: Term) -> str:
    return atom.name if isinstance(atom, Var) else _matrix(literal(atom))


def _matrix(value: np.ndarray) -> str:
    if value.ndim == 2:
        return str(value.tolist())
    return f"reshape({value.reshape(1, -1).tolist()}, {', '.join(map(str, value.shape))})"  # literals are matrices
