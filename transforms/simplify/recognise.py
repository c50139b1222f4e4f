"""Compositions that have a derivative of their own, recognised before a program is differentiated."""

from __future__ import annotations

from transforms.array_rules import TABLE
from transforms.composed_rules import COMPOSED
from transforms.mountain_goat.straight import Straight
from transforms.simplify.exact import EXACT, k_of, statics_of
from transforms.simplify.levels import simplified
from transforms.simplify.rewrite import Rewrite, Sight
from transforms.syntax import Op, Term, Var

RULES = {**TABLE, **COMPOSED}


def _spread(s: Sight, atom: Term) -> Term:
    """What is stretched along the rows, one entry for each."""
    inner = s.operation(atom, "broadcast")
    return inner.args[0] if inner and s.shape(inner.args[0])[1] == 1 else atom


def _summed(s: Sight, atom: Term, kind: str = "sum") -> Term | None:
    inner = s.operation(atom, "reduce")
    return inner.args[0] if inner and statics_of(inner) == {"axis": 1, "kind": kind} else None


def _mean(s: Sight, atom: Term) -> Term | None:
    inner = s.operation(atom, "div_k")
    summed = _summed(s, inner.args[0]) if inner else None
    return summed if inner and summed and s.shape(summed)[1] == k_of(inner) else None


def _same(a: Term | None, b: Term | None) -> bool:
    return isinstance(a, Var) and isinstance(b, Var) and a.name == b.name


def _shifted(s: Sight, atom: Term) -> Term | None:
    """The matrix that an argument is without the maximum of each row."""
    inner = s.operation(atom, "sub")
    return inner.args[0] if inner and _same(inner.args[0], _summed(s, _spread(s, inner.args[1]), "max")) else None


def _softmax(s: Sight, o: Op) -> Term | None:
    e, below = o.args
    exponential = s.operation(e, "exp")
    if not exponential or not _same(e, _summed(s, _spread(s, below))):
        return None
    a = _shifted(s, exponential.args[0])
    return Op("softmax", (a,)) if a else None


def _log_softmax(s: Sight, o: Op) -> Term | None:
    logarithm = s.operation(_spread(s, o.args[1]), "log")
    exponential = s.operation(_summed(s, logarithm.args[0]) or o.args[0], "exp") if logarithm else None
    if not exponential or not _same(exponential.args[0], o.args[0]):
        return None
    a = _shifted(s, o.args[0])
    return Op("log_softmax", (a,)) if a else None


def _normalise(s: Sight, o: Op) -> Term | None:
    centred = s.operation(o.args[0], "sub")
    root = s.operation(_spread(s, o.args[1]), "sqrt")
    added = s.operation(root.args[0], "add_k") if root else None
    square = s.operation(_mean(s, added.args[0]) or o.args[0], "mul") if added else None
    if not centred or not square or not added or k_of(added) <= 0.0:
        return None
    if not all(_same(factor, o.args[0]) for factor in square.args):
        return None
    if not _same(centred.args[0], _mean(s, _spread(s, centred.args[1]))):
        return None
    return Op("normalise", (centred.args[0],), (("eps", k_of(added)),))


RECOGNISED: tuple[Rewrite, ...] = (
    Rewrite("softmax", "reassociate", ("div",), "what it is by definition", _softmax),
    Rewrite("log-softmax", "reassociate", ("sub",), "what it is by definition", _log_softmax),
    Rewrite("layer norm", "reassociate", ("div",), "what it is by definition", _normalise),
)


def recognised(straight: Straight) -> Straight:
    """The program with its compositions as operations of `RULES`."""
    return simplified(straight, (*EXACT, *RECOGNISED), RULES)[0]
