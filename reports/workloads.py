"""The workloads: what a hand-derived gradient costs and what a generated one does, beside the loss alone.

At one size, rewrite by rewrite, and at growing sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reports.layout import COUNT, EXPONENT, Column, Table
from reports.origins import made
from reports.sweeps import Record, of_kind, stem, words

TWO_DECIMALS = "{:,.2f}x"
"""A tenth can be all the difference between two gradients."""

MEASURES: Mapping[tuple[str, str | None], str] = {
    ("lets", None): "lets",
    ("source_bytes", None): "bytes",
    ("instructions", "O0"): "-O0",
    ("instructions", "O2"): "-O2",
    ("peak_bytes", None): "memory",
}
"""A short name for each metric at each level of optimisation, in the order of the rows."""

THREE_DECIMALS = "{:,.3f}x"
"""So can a hundredth, where both are simplified."""

GROWN = "Instructions executed, all programs simplified at one level. ratio: to the source. to hand: generated to that."

NOTE = (
    "lets: once functions are inlined, one operation each. bytes: of the program's text. -O0, -O2: instructions "
    "executed, without reading inputs and printing. memory: bytes of arrays alive at once, at most. source: the loss "
    "alone. ratio: to the source. to hand: generated to hand-derived."
)


def comparison(records: Sequence[Record]) -> list[Table]:
    """One table of the measurements of a suite of workloads: a row for each workload and measure."""
    if not records:
        return []
    cells: dict[tuple[str, str], dict[str, Record]] = {}
    for record in records:
        metric, level = record["metric"], record.get("level")
        measure = MEASURES.get((metric, level)) or words(f"{metric} -{level}" if level else metric)
        cells.setdefault((record["case"].removesuffix(f"-{level}"), measure), {})[record["subject"]] = record
    cases, measures = (dict.fromkeys(key[k] for key in cells) for k in (0, 1))
    measures = dict.fromkeys((*MEASURES.values(), *measures))
    keys = [(case, measure) for case in cases for measure in measures if (case, measure) in cells]
    columns = (
        Column("workload"),
        Column("measure"),
        Column("source", COUNT),
        Column("hand-derived", COUNT),
        Column("hand-derived ratio", TWO_DECIMALS, "ratio"),
        Column("generated", COUNT),
        Column("generated ratio", TWO_DECIMALS, "ratio"),
        Column("to hand", TWO_DECIMALS),
    )
    suite, rows = records[0]["suite"], tuple((*key, *_cells(cells[key])) for key in keys)
    return [Table(stem(suite), suite, f"{suite}: gradients by hand and generated", columns, rows, NOTE, keys=2)]


def _cells(row: Mapping[str, Record]) -> tuple[float | None, ...]:
    source, hand, generated = (row.get(subject, {}) for subject in ("source", "hand-derived", "generated"))
    return (
        source.get("value"),
        *(record.get(name) for record in (hand, generated) for name in ("value", "ratio")),
        _to_hand(generated.get("hand_ratio"), hand, generated),
    )


def _to_hand(ratio: float | None, hand: Record, generated: Record) -> float | None:
    """The ratio of two records, from both of them: either alone does not say it."""
    return made(ratio, [record for record in (hand, generated) if record])


def rewrites(records: Sequence[Record]) -> list[Table]:
    """One table of the suite that adds one rewrite after the other: a row for each, a column for each workload."""
    if not records:
        return []
    ratios: dict[str, dict[str, float]] = {}
    for record in records:
        workload, _, step = record["case"].partition(": ")
        ratios.setdefault(step, {})[workload] = record["ratio"]
    workloads = list(dict.fromkeys(record["case"].partition(": ")[0] for record in records))
    columns = Column("with, in addition"), *[Column(workload, "{:.3f}") for workload in workloads]
    rows = tuple((step, *map(found.get, workloads)) for step, found in ratios.items())
    suite, level = records[0]["suite"], records[0]["level"]
    note = f"Instructions of the generated gradient at -{level}, to those of the plain program."
    return [Table(stem(suite), suite, f"{suite}: what each rewrite saves", columns, rows, note)]


def growing(records: Sequence[Record]) -> list[Table]:
    """Tables of the workloads at growing sizes: one for each and what grows there, and one of the exponents."""
    tables, cases = [], {}
    for record in of_kind(records, "measurement"):
        case, _, simplified = record["case"].removesuffix(f"-{record['level']}").rpartition("-")
        key = f"{simplified} -{record['level']}", tuple(record["sizes"].items())
        cases.setdefault(case, {}).setdefault(key, {})[record["subject"]] = record
    for case, found in cases.items():
        columns = (
            Column("simplified"),
            Column(against := case.rpartition("-")[2], COUNT),
            Column("source", COUNT),
            Column("hand-derived", COUNT, "by hand"),
            Column("generated", COUNT),
            Column("generated ratio", TWO_DECIMALS, "ratio"),
            Column("to hand", THREE_DECIMALS),
        )
        rows = tuple(
            (
                simplified,
                dict(sizes)[against],
                *(row[subject]["value"] for subject in ("source", "hand-derived", "generated")),
                row["generated"]["ratio"],
                _to_hand(
                    row["generated"]["value"] / row["hand-derived"]["value"], row["hand-derived"], row["generated"]
                ),
            )
            for (simplified, sizes), row in found.items()
        )
        suite = records[0]["suite"]
        title = f"{suite}: {case.replace('-', ' ')}"
        tables.append(Table(stem(suite, case), suite, title, columns, rows, GROWN, keys=2))
    return tables + _exponents(of_kind(records, "fit"))


def _exponents(fits: Sequence[Record]) -> list[Table]:
    if not fits:
        return []
    subjects, suite = list(dict.fromkeys(fit["subject"] for fit in fits)), fits[0]["suite"]
    exponents: dict[str, dict[str, float]] = {}
    for fit in fits:
        exponents.setdefault(fit["case"], {})[fit["subject"]] = fit["exponent"]
    columns = Column("case"), *[Column(subject, EXPONENT) for subject in subjects]
    rows = tuple((case, *map(found.get, subjects)) for case, found in exponents.items())
    note = "Log-log slopes at the largest sizes."
    return [Table(stem(suite, "growth"), suite, f"{suite}: exponents of growth", columns, rows, note)]
