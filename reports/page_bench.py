"""The parts of the page that a bench run fills: growth, measures, workloads, the theorem and the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reports import plots, tables
from reports.layout import COUNT, EXPONENT, NUMBER, Column, Table
from reports.origins import mark, origin
from reports.page import Block, Code, Section, Statement, Statements, panels, said
from reports.sweeps import GROWTH, REWRITES, WORKLOADS, Record, of_kind, stem, title

FAMILIES = ("product", "square", "sigmoid-square", "doubling", "projection")
SUITES = (*FAMILIES, "random", "theorem", "native", WORKLOADS, REWRITES, GROWTH, "jacobian", "repeat")
"""The suites that a whole run has."""

MISSING = "No bench run is in this folder. To measure: adjudge bench"


def sections(records: Sequence[Record]) -> list[Section]:
    """The sections of a bench run; what it did not measure has one too, which says so. Of no run, one that says so."""
    if not records:
        return [Section("families", "Growth of the families", "", (Statements((Statement(None, MISSING),)),))]
    made = tables.bench(records)
    drawable = plots.families(records)
    measured = _suites(records)
    measures = [table for table in made if table.name.endswith("-measures")]
    families = (*FAMILIES, *(suite for suite in measured if suite not in SUITES))

    def drawn(metric: str, *suites: str) -> list[Block]:
        return panels([sweep for sweep in drawable if sweep.suite in suites and sweep.metric == metric])

    def of(*suites: str) -> list[Block]:
        return [table for suite in suites for table in made if table.suite == suite and table not in measures]

    def section(anchor: str, title: str, lead: str, suites: Sequence[str], blocks: Sequence[Block]) -> Section:
        absent = [suite for suite in suites if suite not in measured]
        return Section(anchor, title, lead, (*_absent(absent), *blocks))

    return [
        section(
            "families",
            "Growth of the families",
            "Exact counts of operations, value and full gradient together, against a program's size. Both axes are "
            "logarithmic: growth n^e is a line of slope e. Grey lines have the slopes that are expected.",
            FAMILIES,
            [*drawn("operations", *families), *of(*families)],
        ),
        section(
            "measures",
            "The three measures side by side",
            "The same programs in operations of the source language, in the cost model of the efficiency theorem, and "
            "in instructions that compiled code executes. None is derived from another.",
            ("theorem", "native"),
            measures,
        ),
        section(
            "workloads",
            "Gradients by hand and generated",
            "Models whose gradients are derived by hand, beside those that the reverse macro writes for the same loss: "
            "as they are, simplified to the same bits, and reassociated; rewrite by rewrite, and at growing sizes.",
            (WORKLOADS, REWRITES, GROWTH),
            of(WORKLOADS, REWRITES, GROWTH),
        ),
        section(
            "theorem",
            "The efficiency theorem",
            "The cost that the theorem bounds, computed as the theorem defines it: the worst programs found, the bound "
            "on every program, and what each construct needs of the constant.",
            ("theorem",),
            [*_reached(records, "theorem"), *drawn("model_cost", "theorem"), *of("theorem")],
        ),
        section(
            "native",
            "Compiled code",
            "Instructions executed, counted exactly, of the same programs as C at two levels of optimisation.",
            ("native",),
            [*drawn("instructions", "native"), *of("native")],
        ),
        section(
            "jacobian",
            "Jacobians",
            "A whole Jacobian by forward sweeps, one for each input, and by reverse runs, one for each output.",
            ("jacobian",),
            [*drawn("operations", "jacobian"), *of("jacobian")],
        ),
        section(
            "random",
            "Random programs",
            "Bounds, and agreement of all ways to differentiate, on programs drawn at random.",
            ("random",),
            [*_reached(records, "random"), *of("random"), *_statistics(records)],
        ),
        section(
            "repeat",
            "The run repeated",
            "The whole run a second time: every count is the same.",
            ("repeat",),
            of("repeat"),
        ),
    ]


def skipped(records: Sequence[Record]) -> list[Table]:
    """The table of what was skipped, if anything was."""
    return [table for table in tables.bench(records) if table.suite == "skipped"]


def verdict(records: Sequence[Record]) -> list[Statement]:
    """What the run says of what was claimed, each finding on its own, the worst first; and what it did not measure."""
    if not records:
        return [Statement(None, MISSING)]
    found = [
        *_judged(records, "bound", "bounds and closed forms", _bound),
        *_judged(records, "fit", "growth exponents", _fit),
        *_judged(records, "need", "constructs within the theorem's constant", _need),
    ]
    suites = _suites(records)
    if absent := [suite for suite in SUITES if suite not in suites]:
        found.append(Statement(None, f"Not measured in this run: {', '.join(absent)}."))
    for skip in of_kind(records, "skip"):
        found.append(Statement(None, f"Skipped: {skip['what']}, because {skip['reason']}.", origin(skip)))
    return sorted(found, key=lambda statement: (statement.holds is not False, statement.holds is None))


def _suites(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(r["suite"] for r in records if r["kind"] in ("measurement", "fit", "bound", "need")))


def _absent(suites: Sequence[str]) -> list[Block]:
    """Which suites are missing, and how to run these."""
    if not suites:
        return []
    names = " or ".join(suites)
    return [
        Statements((Statement(None, f"Not in this run: {', '.join(suites)}. To measure: adjudge bench -k '{names}'"),))
    ]


def _reached(records: Sequence[Record], suite: str) -> list[Block]:
    """The programs that come nearest to a bound on a ratio, and those that break a bound."""
    return [
        Code(
            f"{title(suite, bound['case'])}: {said(bound['value'], NUMBER)} of at most {bound['limit']}, reached by",
            bound["program"],
            origin(bound),
        )
        for bound in of_kind(records, "bound")
        if bound["suite"] == suite and bound.get("program") and ("ratio" in bound["claim"] or not bound["holds"])
    ]


def _statistics(records: Sequence[Record]) -> list[Table]:
    """What the random programs contain."""
    found = []
    for record in of_kind(records, "statistics"):
        rows = []
        for key, value in record.items():
            if key not in ("kind", "suite", "case"):
                several = isinstance(value, dict)
                text = (
                    ", ".join(f"{name} {said(n, COUNT)}" for name, n in value.items())
                    if several
                    else said(value, COUNT)
                )
                rows.append((key.replace("_", " "), mark(text, origin(record))))
        name = title(record["suite"], record["case"])
        columns = Column("statistic"), Column("value")
        what = f"{name}: what its programs contain"
        found.append(Table(stem(name, "statistics"), record["suite"], what, columns, tuple(rows)))
    return found


def _judged(records: Sequence[Record], kind: str, what: str, say: Callable[[Record], str]) -> list[Statement]:
    """How many of a kind hold, and each that does not."""
    claims = [record for record in of_kind(records, kind) if record["holds"] is not None]
    if not claims:
        return []
    broken = [record for record in claims if not record["holds"]]
    held = len(claims) - len(broken)
    total = Statement(
        not broken,
        f"{held:,} of {len(claims):,} {what} are as claimed.",
        f"{origin(claims[0]).partition(':')[0]}: its {len(claims):,} records of kind {kind} with a claim",
    )
    return [total, *(Statement(False, say(record), origin(record)) for record in broken)]


def _bound(record: Record) -> str:
    value, limit = (said(record[name], NUMBER) for name in ("value", "limit"))
    return f"{title(record['suite'], record['case'])}: {record['claim']}: {value} beside {limit}."


def _fit(record: Record) -> str:
    name, exponent = title(record["suite"], record["case"]), said(record["exponent"], EXPONENT)
    return f"{name}: {record['subject']} grows with exponent {exponent}, expected {record['expected']}."


def _need(record: Record) -> str:
    return f"{record['construct']} at {record['cotangent']} cotangent needs {record['value']} of {record['limit']}."
