"""The reference in docs/: pages of all primitives, checks and mutants, from the records of `mutants.describe`.

Which checks notice a mutant is in the records of a mutation run. A page is made as a whole, and never edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reports.layout import escaped
from reports.schema import Kinds
from reports.sweeps import Record, of_kind

KINDS: Kinds = {
    "run": {"schema": "a whole number", "records": "a whole number"},
    "primitive": {"table": "a text", "name": "a text", "c": "a text", "domain": "a text"},
    "operation": {"name": "a text", "c": "a text"},
    "check": {
        "group": "a text",
        "check": "a text",
        "question": "a text",
        "claim": "a text",
        "tolerance": "a number of at least 0",
        "reason": "a text",
        "needs": "a text",
    },
    "mutant": {
        "group": "a text",
        "mutant": "a text",
        "target": "a text",
        "breaks": "a text",
        "wrong": "a text",
        "source": "a text",
        "equivalent": "a text or null",
    },
    "status": {"status": "a whole number", "meaning": "a text"},
}
"""As `reports.schema.BENCH`, for the records of the tables."""

MADE = "<!-- made by `make published`: edit the tables instead -->"

SHOWN = 4
"""How many checks that notice a mutant are named before the rest is counted."""

PRIMITIVES = """\
# Primitives

One row of each table below is one row of a table in the code, of [rules.py](../transforms/rules.py),
[array_rules.py](../transforms/array_rules.py), [derivative_rules.py](../transforms/derivative_rules.py) or
[composed_rules.py](../transforms/composed_rules.py). Its arguments are `a` and `b`, its result is `r`, and `ct` is the
cotangent of `r`, a number or array of the shape of `r`. What an argument *receives* is `ct` times the derivative of `r`
by it: the row's pullback, written down by the machine that writes operations down. The *cost* is what the row claims
for one pullback, apart from adding up what is received; the counter has to agree, for every row and shape. It names
operations, and is `none` where what is received is only handed on. A formula is not always the first one of a textbook,
for it has to keep its digits over the whole range of doubles: see the comments beside the rows.
"""

TABLES: Mapping[str, tuple[str, str]] = {
    "reals": (
        "On reals",
        "What terms can name. They serve arrays of one shape entry by entry too, at this cost for each entry.",
    ),
    "arrays": (
        "On arrays",
        "What only matrix programs use, each at an example of a shape, which the cost is of. Static parameters, such "
        "as an axis, stand behind the arguments. In C, what the innermost statement assigns to the entry `r`.",
    ),
    "gradients": (
        "In gradients",
        "What pullbacks contain besides. They have rows because gradients are differentiated too. *nothing*: the "
        "result does not vary with the argument, and no cotangent is passed on.",
    ),
    "compositions": (
        "Recognised compositions",
        "What `--reassociate` differentiates by a formula of its own where it finds it, along the rows of a matrix. "
        "They are written out in primitives before anything runs, so they have no C, and no cost of their own.",
    ),
}

CONVENTIONS = """\
At these points the mathematics leaves a choice, or gives an infinite derivative. A cotangent of zero stays zero at
an infinite derivative.
"""

CHECKS = """\
# Checks

What is asked of a transformation. Each check measures an error, and passes where that is at most its tolerance; an
error that is no number never passes. Every random input depends on `--seed`. Each is evidence for one of three claims:
that gradients are *right*, that they *cost* what is claimed, or that they are *accurate* in floating point.
"""

NATIVE_CHECKS = "Of compiled code, for `adjudge mutate -k native`, which needs a compiler."

ALARMS = """\
What each check found on the transformation as it should be, over many seeds (`make alarms`). *Nearest* is the largest
error that passed, as a share of the tolerance; where that is 0, every error was.
"""

ALARMS_COLUMNS = ("check", "seeds", "false alarms", "nearest")

STATUSES = """\
What every command ends with, for scripts. Where several apply, the order of precedence is 70, 4, 2, 5, 3, 1.
"""

MUTANTS = """\
# Mutants

The deliberately wrong versions of the transformation that `make mutate` judges the checks by: each replaces one leaf of
the record that is judged. `adjudge mutate show ID` prints the leaf before and after. *Breaks* says which claim is hurt.
*From* is where the idea comes from: a public report of a wrong gradient, a course, or ourselves.
"""

TARGETS: Mapping[str, str] = {
    "rules": "Rules",
    "clauses": "Clauses of the macro",
    "representation": "Representations",
    "machine": "Machines",
    "drivers": "Drivers",
    "core": "The efficiency theorem's transformation",
}
"""A heading for the first word of a target; others are their own."""


def pages(described: Sequence[Record], mutation: Sequence[Record], alarms: Sequence[Record]) -> dict[str, str]:
    """The text of each page by its name in docs/; `alarms` are what `reports.alarms` keeps."""
    return {
        "primitives.md": primitives(described),
        "checks.md": checks(described, alarms),
        "mutants.md": mutants(described, mutation),
    }


def primitives(described: Sequence[Record]) -> str:
    """Every row of the tables of primitives, and what holds at kinks."""
    rows = of_kind(described, "primitive")
    parts = [PRIMITIVES]
    for table, (heading, lead) in TABLES.items():
        parts += [f"## {heading}", lead, _table(_primitive_columns(table), _rows(rows, table))]
    operations = [(_code(row["name"]), _code(row["c"])) for row in of_kind(described, "operation")]
    if operations:
        parts += ["Operations that have no derivative, for second derivatives alone contain them:"]
        parts += [_table(("operation", "in C"), operations)]
    parts += ["## Conventions at kinks and ends of the range", CONVENTIONS]
    kinks = [
        (_code(row["name"]), _numbers(kink["at"]), _numbers(kink["partials"]), kink["why"])
        for row in rows
        for kink in row["conventions"]
    ]
    return _page([*parts, _table(("primitive", "at", "derivative", "why"), kinks)])


def _primitive_columns(table: str) -> tuple[str, ...]:
    if table == "compositions":
        return "value", "a receives"
    shaped = ("shapes",) if table == "arrays" else ()
    return "value", *shaped, "a receives", "b receives", "cost", "defined for", "in C"


def _rows(rows: Sequence[Record], table: str) -> list[tuple[str, ...]]:
    found = []
    for row in (row for row in rows if row["table"] == table):
        for example in row["examples"]:
            received = [_receives(example["receives"], name) for name in "ab"]
            if table == "compositions":
                found.append((_code(example["value"]), received[0]))
                continue
            shapes = (", ".join(example["types"]),) if table == "arrays" else ()
            cost = ", ".join(f"{n} {kind}" for kind, n in example["cost"].items()) or "none"
            found.append((_code(example["value"]), *shapes, *received, cost, row["domain"], _code(row["c"])))
    return found


def _receives(received: Mapping[str, str | None], name: str) -> str:
    if name not in received:
        return ""
    text = received[name]
    return "*nothing*" if text is None else _code(text)


def checks(described: Sequence[Record], alarms: Sequence[Record]) -> str:
    """Every check with its claim, its tolerance and the reason for it, and the seeds tried; and the exit statuses."""
    found, tried = of_kind(described, "check"), {record["check"]: record for record in alarms}
    groups = dict.fromkeys(check["group"] for check in found)
    parts = [CHECKS]
    for group in groups:
        rows = [
            (_code(c["check"]), c["question"], c["claim"], f"{c['tolerance']:g}", c["reason"], c["needs"])
            for c in found
            if c["group"] == group
        ]
        parts += [] if group == "matrix" else ["## Native code", NATIVE_CHECKS]
        parts.append(_table(("check", "claim", "what holds where it passes", "tolerance", "why that", "needs"), rows))
    parts += [
        "## False alarms",
        ALARMS,
        _table(ALARMS_COLUMNS, [_alarms(tried[c["check"]]) for c in found if c["check"] in tried]),
    ]
    statuses = [(str(row["status"]), row["meaning"]) for row in of_kind(described, "status")]
    return _page([*parts, "## Exit statuses", STATUSES, _table(("status", "meaning"), statuses)])


def _alarms(record: Record) -> tuple[str, ...]:
    nearest = "" if record["nearest"] is None else f"{record['nearest']:.2g}"
    return _code(record["check"]), f"{record['seeds']:,}", str(record["alarms"]), nearest


def mutants(described: Sequence[Record], mutation: Sequence[Record]) -> str:
    """Every mutant by its target, with the checks that noticed it in a mutation run."""
    found = of_kind(described, "mutant")
    noticed = {verdict["mutant"]: verdict["by"] for verdict in of_kind(mutation, "verdict")}
    parts = [MUTANTS]
    for first in dict.fromkeys(_first(mutant) for mutant in found):
        rows = [
            (_code(m["mutant"]), _code(m["target"]), m["breaks"], m["wrong"], source(m["source"]), _noticed(m, noticed))
            for m in found
            if _first(m) == first
        ]
        columns = ("mutant", "replaces", "breaks", "what is wrong", "from", "noticed by")
        parts += [f"## {TARGETS.get(first, first)}", _table(columns, rows)]
    return _page(parts)


def _first(mutant: Record) -> str:
    return "Native code" if mutant["group"] == "native" else mutant["target"].partition(".")[0]


def source(text: str) -> str:
    """Where an idea comes from; a public report, OWNER/REPOSITORY#NUMBER or @COMMIT, as a link to it."""
    for mark, kind in (("#", "issues"), ("@", "commit")):
        repository, found, number = text.partition(mark)
        if found and repository.count("/") == 1 and " " not in text:
            return f"[{text}](https://github.com/{repository}/{kind}/{number})"
    return text


def _noticed(mutant: Record, noticed: Mapping[str, Sequence[str]]) -> str:
    if mutant["equivalent"]:
        return f"none: {mutant['equivalent']}"
    if mutant["group"] == "native":
        return ", ".join(mutant["caught_by"])
    by = noticed.get(mutant["mutant"])
    if by is None:
        return ""
    more = len(by) - SHOWN
    return ", ".join(by[:SHOWN]) + (f" and {more} more" if more > 0 else "") or "none"


def _table(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """Markdown without the blanks that would line it up: a new row changes no other line."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(escaped, line))} |" for line in lines)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _numbers(numbers: Sequence[float | str]) -> str:
    return ", ".join(number if isinstance(number, str) else f"{number:g}" for number in numbers)


def _page(parts: Sequence[str]) -> str:
    heading, *rest = (part.strip("\n") for part in parts)
    title, _, lead = heading.partition("\n")
    return "\n\n".join([title, MADE, lead.strip("\n"), *rest]) + "\n"
