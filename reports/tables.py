"""Tables of a bench run.

Nothing is computed here that the records do not say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reports import files, measures, workloads
from reports.layout import COUNT, EXPONENT, NUMBER, RATIO, Column, Table
from reports.sweeps import GROWTH, REWRITES, WORKLOADS, Record, Sweep, of_kind, stem, sweeps, title, words

VERDICTS = {True: "as expected", False: "NOT as expected", None: "no claim"}
HOLDS = {True: "yes", False: "NO"}


def bench(records: Sequence[Record]) -> list[Table]:
    """The tables of a run, suite by suite in the order of the records: counts, growth, bounds; at the end, skips."""
    measured = sweeps(records)
    compared = measures.comparisons(measured)
    suites = dict.fromkeys(r["suite"] for r in records if r["kind"] in ("measurement", "fit", "bound", "need"))
    tables = [
        table
        for suite in suites
        for table in (
            *_counts([sweep for sweep in measured if sweep.suite == suite]),
            *[table for table in compared if table.suite == suite],
            *_growth([fit for fit in of_kind(records, "fit") if suite == fit["suite"] != GROWTH]),
            *workloads.comparison([r for r in of_kind(records, "measurement") if suite == r["suite"] == WORKLOADS]),
            *workloads.rewrites([r for r in of_kind(records, "measurement") if suite == r["suite"] == REWRITES]),
            *workloads.growing(
                [r for r in records if r["kind"] in ("measurement", "fit") and suite == r["suite"] == GROWTH]
            ),
            *measures.needs([need for need in of_kind(records, "need") if need["suite"] == suite]),
            *_bounds([bound for bound in of_kind(records, "bound") if bound["suite"] == suite]),
        )
    ]
    return tables + _skips(of_kind(records, "skip"))


def write(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write `tables.txt`, `tables.md` and one CSV file for each table into a folder; returns their paths."""
    tables = bench(records)
    texts = {
        "tables.txt": "\n\n".join(table.text() for table in tables) or "No records.\n",
        "tables.md": "\n".join(table.markdown() for table in tables) or "No records.\n",
    }
    for table in tables:
        name, k = f"{table.name}.csv", 2
        while name in texts:  # cases whose names differ in punctuation alone
            name, k = f"{table.name}-{k}.csv", k + 1
        texts[name] = table.csv()
    return [files.write(Path(folder) / name, text.encode()) for name, text in texts.items()]


def _counts(measured: Sequence[Sweep]) -> list[Table]:
    """A table for each sweep of a suite; cases of one point each share a table, a row for each."""
    single = [sweep for sweep in measured if len(sweep.sizes) == 1]
    if len({sweep.case for sweep in single}) < 2:
        return [_by_size(sweep) for sweep in measured]
    several = [_by_size(sweep) for sweep in measured if sweep not in single]
    metrics = dict.fromkeys(sweep.metric for sweep in single)
    return several + [_by_case([sweep for sweep in single if sweep.metric == metric]) for metric in metrics]


def _by_size(sweep: Sweep) -> Table:
    names = sweep.varying
    columns, note = _subjects(sweep.subjects, [sweep])
    return Table(
        stem(title(sweep.suite, sweep.case), sweep.metric),
        sweep.suite,
        f"{sweep.title}: {words(sweep.metric)}",
        (*(Column(name, COUNT) for name in names), *columns),
        tuple((*(dict(sizes).get(n) for n in names), *_values(sweep, sizes, sweep.subjects)) for sizes in sweep.sizes),
        note,
        len(names),
    )


def _by_case(measured: Sequence[Sweep]) -> Table:
    suite, metric = measured[0].suite, measured[0].metric
    subjects = tuple(dict.fromkeys(subject for sweep in measured for subject in sweep.subjects))
    columns, note = _subjects(subjects, measured)
    rows = tuple((sweep.case, *_values(sweep, sweep.sizes[0], subjects)) for sweep in measured)
    return Table(stem(suite, metric), suite, f"{suite}: {words(metric)}", (Column("case"), *columns), rows, note)


def _subjects(subjects: Sequence[str], measured: Sequence[Sweep]) -> tuple[list[Column], str]:
    """Two columns for each subject but the source, its value and its ratio, and the note that explains them."""
    form = NUMBER if measured[0].metric == "seconds" else COUNT
    columns = []
    for subject in subjects:
        columns.append(Column(subject, form))
        if subject != "source":
            columns.append(Column(f"{subject} ratio", RATIO, "ratio"))
    note = "ratio: to the source." if len(columns) > len(subjects) else ""
    return columns, note + (" forward: one sweep for each input." if "forward" in subjects else "")


def _values(sweep: Sweep, sizes: Any, subjects: Sequence[str]) -> list[Any]:
    cells = []
    for subject in subjects:
        record = sweep.measured.get((sizes, subject), {})
        cells.append(record.get("value"))
        if subject != "source":
            cells.append(record.get("ratio"))
    return cells


def _growth(fits: Sequence[Record]) -> list[Table]:
    """A table for each case and size; the metric is a column only where there are several."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for fit in fits:
        groups.setdefault((fit["case"], fit["against"]), []).append(fit)
    tables = []
    for (case, against), group in groups.items():
        suite, metrics = group[0]["suite"], list(dict.fromkeys(fit["metric"] for fit in group))
        several = len(metrics) > 1
        columns = (
            Column("subject"),
            *((Column("metric"),) if several else ()),
            *(Column(name, EXPONENT) for name in ("exponent", "low", "high")),
            Column("expected", NUMBER),
            Column("polynomial"),
            Column("verdict"),
        )
        rows = tuple(
            (
                fit["subject"],
                *((words(fit["metric"]),) if several else ()),
                *(fit[name] for name in ("exponent", "low", "high", "expected", "polynomial")),
                VERDICTS[fit["holds"]],
            )
            for fit in group
        )
        what = "growth" if several else f"growth of {words(metrics[0])}"
        again = [other for other, _ in groups].count(case) > 1
        tables.append(
            Table(
                stem(title(suite, case), *((against,) if again else ()), "growth"),
                suite,
                f"{title(suite, case)}: {what} with {against}",
                columns,
                rows,
                "exponent: log-log slope at the largest sizes, within low and high.",
                1 + several,
            )
        )
    return tables


def _bounds(bounds: Sequence[Record]) -> list[Table]:
    """One table of a suite's claims, each with the value that comes nearest to breaking it."""
    if not bounds:
        return []
    groups: dict[tuple[str, str], list[Record]] = {}
    for bound in bounds:
        groups.setdefault((bound["case"], bound["claim"]), []).append(bound)
    rows = []
    for (case, claim), group in groups.items():
        worst = max(group, key=_nearness)
        rows.append((case, claim, worst["limit"], worst["value"], HOLDS[worst["holds"]]))
    suite = bounds[0]["suite"]
    numbers = Column("limit", NUMBER), Column("worst value", NUMBER, "worst")
    columns = (Column("case"), Column("claim"), *numbers, Column("holds"))
    note = " ".join(bound["explanation"] for bound in bounds if bound.get("explanation"))
    return [Table(stem(suite, "bounds"), suite, f"{suite}: bounds", columns, tuple(rows), note, keys=2)]


def _nearness(bound: Record) -> tuple[bool, float]:
    """A broken bound is worse than one that holds; then the larger share of a limit, or the smaller of a floor."""
    value, limit = bound["value"], bound["limit"]
    if not isinstance(value, (int, float)) or not isinstance(limit, (int, float)):
        return not bound["holds"], 0.0
    share = value / limit if limit else float(value)
    return not bound["holds"], -share if ">=" in bound["claim"] else share


def _skips(skips: Sequence[Record]) -> list[Table]:
    if not skips:
        return []
    columns = tuple(map(Column, ("suite", "what", "reason", "fix")))
    rows = tuple(tuple(skip[column.name] for column in columns) for skip in skips)
    return [Table("skipped", "skipped", "Skipped", columns, rows, keys=2)]
