"""Tables of a bench run, as text, Markdown and CSV.

Text and Markdown are for people: thousands separators, rounded ratios. CSV is for programs: whole numbers plain, floats
in full, an empty cell where there is no value. Nothing is computed here that the records do not say.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from reports import files
from reports.sweeps import Record, Sweep, of_kind, stem, sweeps, title

if TYPE_CHECKING:
    import pandas

WIDTH = 80
"""Columns of the terminal that `tables.txt` is written for."""

GAP = 2
NARROWEST = 12
"""The least width to which a column of text is folded."""

COUNT, RATIO, EXPONENT, NUMBER = "{:,}", "{:,.1f}x", "{:z.3f}", "{:,.4g}"
VERDICTS = {True: "as expected", False: "NOT as expected", None: "no claim"}
HOLDS = {True: "yes", False: "NO"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in CSV, the format of its numbers (none for text), and a shorter heading for people.

    A column with a heading of its own stays beside the one before it, which the heading relies on.
    """

    name: str
    form: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is its file's, `keys` the number of leading columns that say what a row is about."""

    name: str
    suite: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""
    keys: int = 1

    def cells(self) -> list[list[str]]:
        """The rows as people read them."""
        return [[_shown(column, cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def headings(self) -> list[str]:
        return [column.heading or column.name for column in self.columns]

    def text(self, width: int = WIDTH) -> str:
        """The table for a terminal: texts are folded, and then columns set below each other, until it fits `width`."""
        heads, cells = self.headings(), self.cells()
        wide = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        texts = [k for k, column in enumerate(self.columns) if not column.form]
        while sum(wide) + GAP * (len(wide) - 1) > width and any(wide[k] > NARROWEST for k in texts):
            wide[max(texts, key=wide.__getitem__)] -= 1
        blocks = [
            tabulate(
                # Headings and rule as rows, for tabulate sets its own headings two columns wider than they are.
                [[_folded(row[k], wide[k]) for k in block] for row in (heads, ["-" * w for w in wide], *cells)],
                tablefmt="plain",
                colalign=[_side(self.columns[k]) for k in block],
                disable_numparse=True,
            )
            for block in self._blocks(wide, width)
        ]
        return "\n\n".join(filter(None, [self.title, *blocks, self.note])) + "\n"

    def markdown(self) -> str:
        """The table in GitHub's Markdown, below its title in bold."""
        table = tabulate(
            [[_escaped(cell) for cell in row] for row in self.cells()],
            headers=[_escaped(head) for head in self.headings()],
            tablefmt="pipe",
            colalign=[_side(column) for column in self.columns],
            disable_numparse=True,
        )
        return "\n\n".join(filter(None, [f"**{_escaped(self.title)}**", table, _escaped(self.note)])) + "\n"

    def frame(self) -> pandas.DataFrame:
        """The values as they are in the records; None where there is none."""
        import pandas  # here, for it takes longer to import than everything else a command does

        # As objects: a column with a gap would otherwise become floats, which are not exact above 2^53.
        return pandas.DataFrame(list(self.rows), columns=[column.name for column in self.columns], dtype=object)

    def csv(self) -> str:
        return self.frame().to_csv(index=False, lineterminator="\n")

    def _blocks(self, wide: Sequence[int], width: int) -> list[list[int]]:
        """The columns of each part of the table, the keys leading every part."""
        keys = list(range(self.keys))
        groups: list[list[int]] = []
        for k in range(self.keys, len(self.columns)):
            if self.columns[k].heading and groups:
                groups[-1].append(k)
            else:
                groups.append([k])
        blocks = [list(keys)]
        for group in groups:
            taken = [*blocks[-1], *group]
            if blocks[-1] != keys and sum(wide[k] + GAP for k in taken) - GAP > width:
                blocks.append([*keys, *group])
            else:
                blocks[-1] = taken
        return blocks


def bench(records: Sequence[Record]) -> list[Table]:
    """The tables of a run, suite by suite in the order of the records: counts, growth, bounds; at the end, skips."""
    measured = sweeps(records)
    suites = dict.fromkeys(r["suite"] for r in records if r["kind"] in ("measurement", "fit", "bound"))
    tables = [
        table
        for suite in suites
        for table in (
            *_counts([sweep for sweep in measured if sweep.suite == suite]),
            *_growth([fit for fit in of_kind(records, "fit") if fit["suite"] == suite]),
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
        f"{sweep.title}: {_words(sweep.metric)}",
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
    return Table(stem(suite, metric), suite, f"{suite}: {_words(metric)}", (Column("case"), *columns), rows, note)


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
                *((_words(fit["metric"]),) if several else ()),
                *(fit[name] for name in ("exponent", "low", "high", "expected", "polynomial")),
                VERDICTS[fit["holds"]],
            )
            for fit in group
        )
        what = "growth" if several else f"growth of {_words(metrics[0])}"
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
    return [Table(stem(suite, "bounds"), suite, f"{suite}: bounds", columns, tuple(rows), keys=2)]


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


def _shown(column: Column, cell: Any) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str) or not column.form:
        return str(cell)
    exact = isinstance(cell, int) and column.form == NUMBER
    return (COUNT if exact else column.form).format(cell)


def _folded(cell: str, width: int) -> str:
    return "\n".join(textwrap.wrap(cell, width)) if len(cell) > width else cell


def _side(column: Column) -> str:
    return "right" if column.form else "left"


def _words(metric: str) -> str:
    return metric.replace("_", " ")


def _escaped(text: str) -> str:
    """A text that cannot end a cell of a Markdown table, nor its row."""
    return " ".join(text.replace("|", "\\|").split())
