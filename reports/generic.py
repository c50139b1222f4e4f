"""Tables of a run of generic mutants, those that mutmut makes: whatever is not as expected comes first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports import files
from reports.layout import COUNT, Column, Table
from reports.origins import origin
from reports.page import Section, Statement
from reports.sweeps import Record, of_kind

SUITE = "mutmut"
OUTCOMES = {
    "assertion": ("killed-assertion",),
    "crash": ("killed-crash",),
    "timeout": ("timeout",),
    "survived": ("survived", "unreached"),
}
"""The columns of outcomes: a mutant of a function that no test calls survives too."""

FIELDS = ("shape", "pullback", "tangent", "cost")


def tables(records: Sequence[Record]) -> list[Table]:
    """The tables of a run; of one whose tests failed with nothing changed, one that says so."""
    if failed := of_kind(records, "baseline"):
        rows = tuple((record["where"],) for record in failed)
        return [Table("baseline", SUITE, "The tests fail with nothing mutated", (Column("where"),), rows)]
    mutants = of_kind(records, "generic")
    return [
        *_unexpected([record for record in mutants if not record["as_expected"]], of_kind(records, "stale")),
        _files(mutants),
        _accepted([record for record in mutants if record["accepted"] is not None]),
        _rules(of_kind(records, "generic-rule")),
        _unseen(of_kind(records, "unseen")),
    ]


def brief(records: Sequence[Record]) -> list[Table]:
    """The tables that are worth a screen."""
    return [table for table in tables(records) if table.name in ("baseline", "new", "stale", "files", "rules")]


def write(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write `mutmut.md`, and each table as CSV; returns their paths."""
    made = tables(records)
    for old in folder.glob("mutmut-*.csv"):
        old.unlink()
    texts = {"mutmut.md": "# Generic mutants\n\n" + "\n".join(table.markdown() for table in made)}
    texts |= {f"mutmut-{table.name}.csv": table.csv() for table in made}
    return [files.write(folder / name, text.encode()) for name, text in texts.items()]


def verdict(records: Sequence[Record]) -> list[Statement]:
    """What the page says first of a run; nothing where there was none."""
    if failed := of_kind(records, "baseline"):
        return [Statement(False, f"The tests fail with nothing mutated: {r['where']}", origin(r)) for r in failed]
    return [
        Statement(
            not summary["new"] and not summary["stale"],
            f"Of {summary['mutants']:,} generic mutants {len(summary['new']):,} survive that are not accepted, and "
            f"{summary['accepted']:,} that are, each with a reason; {summary['stale']:,} reasons are stale.",
            origin(summary),
        )
        for summary in of_kind(records, "generic-summary")
    ]


def sections(records: Sequence[Record]) -> list[Section]:
    """The section of the page that a run fills; none where there was none."""
    lead = "What mutmut changes in the rule table, the macro and the representations, and which tests notice."
    return [Section("generic", "Generic mutants", lead, tuple(tables(records)))] if records else []


def _where(record: Record) -> str:
    return f"{record['path']}:{record['line']}"


def _difference(record: Record) -> str:
    lines = [f"- {line}" for line in record["removed"].splitlines()]
    return "\n".join([*lines, *(f"+ {line}" for line in record["added"].splitlines())])


def _unexpected(new: Sequence[Record], stale: Sequence[Record]) -> list[Table]:
    found = []
    if new:
        rows = tuple((_where(r), r["function"], r["outcome"], _difference(r)) for r in new)
        columns = tuple(map(Column, ("where", "function", "outcome", "change")))
        note = "Write a test that fails, or an entry in mutants/accepted.toml with the reason why none should."
        found.append(Table("new", SUITE, "Survivors that are not accepted", columns, rows, note))
    if stale:
        rows = tuple((r["path"], r["function"], _difference(r), r["reason"]) for r in stale)
        columns = tuple(map(Column, ("file", "function", "change", "reason")))
        note = "No such mutant survives: remove the entry from mutants/accepted.toml."
        found.append(Table("stale", SUITE, "Accepted survivors that are none", columns, rows, note))
    return found


def _files(mutants: Sequence[Record]) -> Table:
    rows = []
    for path in [*dict.fromkeys(record["path"] for record in mutants), ""]:
        those = [record for record in mutants if path in (record["path"], "")]
        counts = [sum(record["outcome"] in outcomes for record in those) for outcomes in OUTCOMES.values()]
        accepted = sum(record["accepted"] is not None for record in those)
        rows.append((path.removeprefix("transforms/").removesuffix(".py") or "all", len(those), *counts, accepted))
    columns = (Column("file"), *(Column(name, COUNT) for name in ("mutants", *OUTCOMES, "accepted")))
    note = "Killed by an assertion or by a crash, as the first test that failed did."
    return Table("files", SUITE, "What mutmut changes, and what notices it", columns, tuple(rows), note)


def _accepted(mutants: Sequence[Record]) -> Table:
    rows = tuple((_where(r), r["outcome"], _difference(r), r["accepted"]) for r in mutants)
    columns = tuple(map(Column, ("where", "outcome", "change", "reason")))
    return Table("accepted", SUITE, "Survivors that are accepted, and why", columns, rows)


def _rules(rules: Sequence[Record]) -> Table:
    rows = tuple((r["rule"], *(r["fields"][field] for field in FIELDS), r["own"]) for r in rules)
    without = [record["rule"] for record in rules if not record["own"]]
    note = f"No generic mutant in a function of their own: {', '.join(without) or 'none'}."
    columns = (Column("rule"), *(Column(field, COUNT) for field in (*FIELDS, "own")))
    return Table("rules", SUITE, "Generic mutants by rule; own: in functions that no other rule shares", columns, rows,
                 note)  # fmt: skip


def _unseen(unseen: Sequence[Record]) -> Table:
    rows = tuple((_where(record), record["what"], record["why"]) for record in unseen)
    return Table("unseen", SUITE, "What has no generic mutant", tuple(map(Column, ("where", "what", "why"))), rows)
