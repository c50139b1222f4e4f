"""Selection by name: the expressions of `-k`, in pytest's syntax."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from lark import Lark, Token, Tree, UnexpectedInput

from transforms.errors import AdjudgeError

GRAMMAR = r"""
?or: and ("or" and)*
?and: not ("and" not)*
?not: "not" not -> negation
    | NAME -> name
    | "(" or ")"
NAME: /(?!(or|and|not)\b(?!-))[\w\-.\/\[\]:+=]+/
%ignore /\s+/
"""


class BadExpression(AdjudgeError):
    """An expression that `-k` does not understand."""


def selector(expression: str | None) -> Callable[[str], bool]:
    """Whether a name is selected: a word selects the names that contain it, whatever the case; None selects all.

    Raises BadExpression.
    """
    if expression is None or not expression.strip():
        return lambda name: True
    try:
        tree = _parser().parse(expression)
        _holds(tree, "")  # nested too deeply to be evaluated is too deeply to be meant
    except RecursionError:
        raise BadExpression("-k: the expression is nested too deeply") from None
    except UnexpectedInput as error:
        raise BadExpression(
            f"-k {expression!r}: unexpected text at column {error.column}: expected names joined by and, or, not"
        ) from None
    return lambda name: _holds(tree, name.lower())


def _holds(tree: Tree[Token], name: str) -> bool:
    parts = [child for child in tree.children if isinstance(child, Tree)]
    match tree.data:
        case "or":
            return any(_holds(part, name) for part in parts)
        case "and":
            return all(_holds(part, name) for part in parts)
        case "negation":
            return not _holds(parts[0], name)
        case _:
            return str(tree.children[0]).lower() in name


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, parser="lalr", start="or", maybe_placeholders=False)
