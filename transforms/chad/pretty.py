r"""Text of core programs and terms, on one line: `let x = e in e`, `\[captured]x. body`, `(fst p, inl (sin x))`."""

from __future__ import annotations

import re

from transforms.chad import syntax, target
from transforms.chad.primitives import Primitive
from transforms.chad.syntax import Node, Prim, Program, Var

# `{field}` stands for a field, `{(field)}` for one that has brackets around it unless it is atomic.
FORMS = {
    syntax.Let: "let {x} = {bound} in {body}",
    syntax.Prim: "{op} {(argument)}",
    syntax.Unit: "()",
    syntax.Pair: "({left}, {right})",
    syntax.Fst: "fst {(pair)}",
    syntax.Snd: "snd {(pair)}",
    syntax.Inl: "inl {(value)}",
    syntax.Inr: "inr {(value)}",
    syntax.Case: "case {scrutinee} of inl {x} -> {(left)} | inr {y} -> {(right)}",
    target.Function: r"\[{captured}]{x}. {body}",
    target.Apply: "{(function)} {(argument)}",
    target.Pure: "pure {(value)}",
    target.Bind: "bind {(first)} {(continuation)}",
    target.Add: "add {level} {(cotangent)}",
    target.Scope: "scope {(start)} {(inner)}",
    target.Run: "run {(computation)} {(environment)}",
    target.LUnit: "lunit",
    target.LZero: "zero",
    target.LPair: "lpair {(left)} {(right)}",
    target.LFst: "lfst {(pair)}",
    target.LSnd: "lsnd {(pair)}",
    target.LInl: "linl {(value)}",
    target.LInr: "linr {(value)}",
    target.LCastL: "lcastl {(either)}",
    target.LCastR: "lcastr {(either)}",
}
ATOMIC = (Var, syntax.Unit, syntax.Pair, target.LUnit, target.LZero)


def show_program(program: Program) -> str:
    """The context with its types, and the term."""
    context = ", ".join(f"{x.name}: {x.type}" for x in program.context)
    return f"{context} |- {show(program.term)}"


def show(term: Node) -> str:
    """The text of a term. Variables that differ may have the same name."""
    pieces: list[str] = []
    todo: list[str | Node] = [term]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Var):
            pieces.append(item.name)
        elif isinstance(item, Prim) and item.op.name == "literal":
            pieces.append(repr(item.op.function(())))
        else:
            todo += reversed(_spread(item))
    return "".join(pieces)


def _spread(term: Node) -> list[str | Node]:
    """The pieces of a term's form: texts, and sub-terms still to be shown."""
    spread: list[str | Node] = []
    for piece in re.split(r"(\{\(?\w+\)?\})", FORMS[type(term)]):
        if not re.fullmatch(r"\{\(?\w+\)?\}", piece):
            spread.append(piece)
            continue
        part = getattr(term, piece.strip("{()}"))
        if isinstance(part, Node):
            literal = isinstance(part, Prim) and part.op.name == "literal"
            bare = "(" not in piece or literal or isinstance(part, ATOMIC)
            spread += [part] if bare else ["(", part, ")"]
        elif isinstance(part, tuple):
            spread.append(",".join(x.name for x in part))
        else:
            spread.append(part.name if isinstance(part, Primitive) else str(part))
    return spread
