"""Every row there is, as records: primitives, checks, mutants and exit statuses, for the reference in docs/.

`python -m mutants.describe FILE` writes them, a JSON object a line. They are read off the tables: what the arguments of
a primitive receive is its pullback, run by the machine that writes operations down, so no formula is written twice.
It stands here because the catalogue is the topmost of the tables, and because reports draw from records alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.checks import battery
from harness.records import SCHEMA, Record, lines
from harness.status import Status
from mutants.catalogue import all as catalogue
from mutants.plan import NATIVE
from transforms.array_rules import ARRAY_RULES, TABLE
from transforms.composed_rules import COMPOSED
from transforms.derivative_rules import DERIVATIVE_RULES
from transforms.machines.syntax import Atom, Writing
from transforms.pretty import number, pretty
from transforms.rules import OPERATIONS, RULES, Minus, Operation, Rule, Rules, arity
from transforms.syntax import Op, Term, Var
from transforms.types import REAL, Array, Type

TABLES: Mapping[str, Rules] = {
    "reals": RULES,
    "arrays": {name: row for name, row in ARRAY_RULES.items() if name not in DERIVATIVE_RULES},
    "gradients": DERIVATIVE_RULES,
    "compositions": COMPOSED,
}
"""The parts of the table; each row is in one of them."""

Example = tuple[tuple[Type, ...], Mapping[str, Any]]
"""Types and static parameters at which a row is shown."""

MATRIX = Array((2, 3))

EXAMPLES: Mapping[str, tuple[Example, ...]] = {
    "matmul": (((MATRIX, Array((3, 4))), {}),),
    "transpose": (((MATRIX,), {}),),
    "reshape": (((MATRIX,), {"shape": (3, 2)}),),
    "permute": (((Array((2, 3, 4)),), {"permutation": (2, 0, 1)}),),
    "reduce": (((MATRIX,), {"axis": 1, "kind": "sum"}), ((MATRIX,), {"axis": 1, "kind": "max"})),
    "broadcast": (((Array((2, 1)),), {"shape": (2, 3)}),),
    **{name: (((MATRIX,), {"k": 5.0}),) for name in ("add_k", "sub_k", "k_sub", "mul_k", "div_k", "k_div")},
    **{name: (((MATRIX,), {}),) for name in ("softmax", "log_softmax")},
    **{name: (((MATRIX,), {"eps": 1e-5}),) for name in ("deviation", "normalise")},
}
"""Where rows on arrays are shown; the others are shown on reals."""

MEANING: Mapping[Status, str] = {
    Status.GOOD: "all as expected",
    Status.FINDING: "a finding: a survivor, a failed check, a broken bound, a regression; or a term, a program or a "
    "file with an error",
    Status.USAGE: "malformed options",
    Status.TIMEOUT: "a timeout that nobody declared",
    Status.BASELINE_FAILED: "the unmutated transformation failed a check, so no mutant was run",
    Status.NOTHING_SELECTED: "nothing was selected: zero checks, cases or mutants are no success",
    Status.INTERNAL: "a fault of adjudge itself, with a traceback",
    Status.INTERRUPTED: "interrupted; what was done is kept",
    Status.STOPPED: "a Mountain Goat program stopped at run time",
}


def records() -> list[Record]:
    """The records, that of the run first: primitives table by table, checks, mutants, statuses."""
    body = [
        *[primitive(table, row) for table, rows in TABLES.items() for row in rows.values()],
        *[_operation(row) for name, row in OPERATIONS.items() if name not in DERIVATIVE_RULES],
        *_checks(),
        *_mutants(),
        *[{"kind": "status", "status": int(status), "meaning": MEANING[status]} for status in Status],
    ]
    return [{"kind": "run", "schema": SCHEMA, "records": len(body)}, *body]


def primitive(table: str, row: Rule) -> Record:
    """A row: at each of its examples what the arguments receive and what that costs; C, domain and conventions."""
    examples = EXAMPLES.get(row.name, (((REAL,) * arity(row.evaluate), {}),))
    return {
        "kind": "primitive", "table": table, "name": row.name,
        "examples": [_example(row, types, statics) for types, statics in examples],
        "c": _c(row), "domain": row.domain.text,
        "conventions": [{"at": list(c.at), "partials": list(c.partials), "why": c.why} for c in row.conventions],
    }  # fmt: skip


def _operation(row: Operation) -> Record:
    return {"kind": "operation", "name": row.name, "c": _c(row)}


def _c(row: Rule | Operation) -> str:
    return row.c.replace("{0}", "a").replace("{1}", "b").replace("{r}", "r").replace("{k}", "k")


def _example(row: Rule, types: tuple[Type, ...], statics: Mapping[str, Any]) -> Record:
    names = "ab"[: len(types)]
    arguments = tuple([Var(name) for name in names])
    machine = Writing({**TABLE, **DERIVATIVE_RULES, **COMPOSED}, taken=(*names, "r", "ct"))
    result = row.shape(*types, **statics)
    given = [Atom(argument, type_) for argument, type_ in zip(arguments, types, strict=True)]
    received = row.pullback(machine, Atom(Var("ct"), result), Atom(Var("r"), result), *given, **statics)
    bound = {name: term for name, term in machine.lines if isinstance(name, str)}
    return {
        "value": pretty(_inlined(Op(row.name, arguments, tuple(statics.items())), {})),
        "types": [str(type_) for type_ in types],
        "receives": {name: _received(ct, bound) for name, ct in zip(names, received, strict=True)},
        "cost": dict(row.cost(*types, **statics)),
    }


def _received(ct: Atom | Minus | None, bound: Mapping[str, Term]) -> str | None:
    """What an argument receives, in concrete syntax; None where the result does not vary with it."""
    if ct is None:
        return None
    term = Op("neg", (ct.ct.term,)) if isinstance(ct, Minus) else ct.term
    return pretty(_inlined(term, bound))


def _inlined(term: Term, bound: Mapping[str, Term]) -> Term:
    """The term with names replaced by what is bound to them, and static parameters standing among the arguments."""
    if isinstance(term, Var):
        return _inlined(bound[term.name], bound) if term.name in bound else term
    if not isinstance(term, Op):
        return term
    statics = [Var(f"{name}={number(value) if isinstance(value, float) else value}") for name, value in term.statics]
    return Op(term.name, (*[_inlined(argument, bound) for argument in term.args], *statics))


def _checks() -> list[Record]:
    return [
        {
            "kind": "check", "group": group, "check": check.id, "question": str(check.question), "claim": check.claim,
            "tolerance": check.tolerance, "reason": check.reason, "needs": str(check.needs),
        }
        for group, checks in (("matrix", battery.BATTERY), (NATIVE, battery.NATIVE))
        for check in checks
    ]  # fmt: skip


def _mutants() -> list[Record]:
    return [
        {
            "kind": "mutant", "group": group, "mutant": mutant.id, "target": mutant.target, "breaks": mutant.breaks,
            "wrong": mutant.wrong, "source": mutant.source, "equivalent": mutant.equivalent or None,
            "caught_by": list(mutant.caught_by),
        }
        for group, mutants in (("matrix", catalogue.CATALOGUE), (NATIVE, catalogue.NATIVE))
        for mutant in mutants
    ]  # fmt: skip


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(lines(records()), encoding="utf-8")
