"""Mutants of what is recognised before a program is differentiated: what counts as a composition, and its pullback.

The compositions are those of `transforms.composed_rules`; their functions are as `transforms.rules` says.
"""
# ruff: noqa: E704
# fmt: off

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from mutants.catalogue.rows import OURS
from mutants.mutant import Change, Mutant, drivers
from transforms.array_rules import spread
from transforms.composed_rules import COMPOSED, centred, mean, total
from transforms.drivers import Transformation
from transforms.mountain_goat.straight import Straight
from transforms.simplify.exact import EXACT, k_of
from transforms.simplify.levels import simplified
from transforms.simplify.recognise import RECOGNISED, RULES
from transforms.simplify.rewrite import Rewrite, Sight
from transforms.syntax import Op, Term, Var


def instead(name: str, wrong: Callable[[Sight, Op], Term | None]) -> Change:
    """The rewrite of this name with another function, which the right one serves where it says nothing."""
    def mutated(rewrite: Rewrite) -> Rewrite:
        return replace(rewrite, apply=lambda s, o: found if (found := wrong(s, o)) is not None else rewrite.apply(s, o))

    @wraps(wrong)
    def recognise(straight: Straight) -> Straight:
        rewrites = [mutated(rewrite) if rewrite.name == name else rewrite for rewrite in RECOGNISED]
        return simplified(straight, (*EXACT, *rewrites), RULES)[0]

    return drivers(recognise=recognise)


def composed(name: str, **fields: Any) -> Change:
    """The row of a composition with fields replaced, in a table that has it."""
    def change(judged: Transformation) -> Transformation:
        return replace(judged, rules={**judged.rules, name: replace(COMPOSED[name], **fields)})

    return change


# What counts as a composition.
def stretched(s: Sight, atom: Term) -> Term:
    inner = s.operation(atom, "broadcast")
    return inner.args[0] if inner else atom


def reduced(s: Sight, atom: Term) -> Op | None:
    """The sum or maximum along either axis that is stretched there."""
    return s.operation(stretched(s, atom), "reduce")


def _same(a: Term, b: Term) -> bool:
    return isinstance(a, Var) and isinstance(b, Var) and a.name == b.name


def softmax_of_columns(s: Sight, o: Op) -> Term | None:
    below, e = reduced(s, o.args[1]), s.operation(o.args[0], "exp")
    shifted = s.operation(e.args[0], "sub") if e else None
    if not below or not shifted or not _same(below.args[0], o.args[0]) or not reduced(s, shifted.args[1]):
        return None
    return Op("softmax", shifted.args[:1])


def log_softmax_of_exponentials(s: Sight, o: Op) -> Term | None:
    root = s.operation(stretched(s, o.args[1]), "log")
    return Op("log_softmax", (s.write("exp", o.args[0]),)) if root else None


def normalise_half_eps(s: Sight, o: Op) -> Term | None:
    root = s.operation(stretched(s, o.args[1]), "sqrt")
    added = s.operation(root.args[0], "add_k") if root else None
    above = s.operation(o.args[0], "sub")
    return Op("normalise", above.args[:1], (("eps", k_of(added) / 2.0),)) if added and above else None


# What their arguments receive.
def softmax_without_mean(m, ct, r, a):          return  m.mul(r, ct),

def log_softmax_by_result(m, ct, r, a):
    return m.sub(ct, m.mul(r, spread(m, total(m, ct), a))),


def normalise_without_third(m, ct, r, a, *, eps):
    return m.div(centred(m, ct), spread(m, m.deviation(a, eps=eps), a)),

def normalise_padded(m, ct, r, a, *, eps):
    rest = m.sub(centred(m, ct), m.mul(r, spread(m, mean(m, m.mul(ct, r)), a)))
    return m.div(rest, spread(m, m.add_k(m.deviation(a, eps=eps), k=1e-9), a)),

RECOGNITIONS = (
    ("softmax", "softmax-of-columns", softmax_of_columns, "a softmax along columns is taken for one along rows"),
    ("log-softmax", "log-softmax-of-exponentials", log_softmax_of_exponentials, "a log-softmax of exponentials"),
    ("layer norm", "half-eps", normalise_half_eps, "half of what is added to the variance"),
)

PULLBACKS = (
    ("softmax", "without-mean", softmax_without_mean, "the sum over the row is left out"),
    ("log_softmax", "by-result", log_softmax_by_result, "the result in place of its exponential"),
    ("normalise", "without-third", normalise_without_third, "the third term is left out"),
    ("normalise", "padded", normalise_padded, "a billionth is added to the deviation, against zeros"),
)

MUTANTS = (
    *[Mutant(f"recognise.{what}", "drivers.recognise", "value", wrong, OURS, instead(name, apply), ("simplification",))
      for name, what, apply, wrong in RECOGNITIONS],
    *[Mutant(f"{name}.{what}", f"rules.{name}.pullback", "value", wrong, OURS, composed(name, pullback=pullback),
             ("simplification",))
      for name, what, pullback, wrong in PULLBACKS],
)
