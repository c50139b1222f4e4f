"""The workloads: what a hand-derived gradient costs and what a generated one does, beside the loss alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reports.layout import COUNT, Column, Table
from reports.sweeps import Record, stem

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
        key = record["case"].removesuffix(f"-{record.get('level')}"), MEASURES[record["metric"], record.get("level")]
        cells.setdefault(key, {})[record["subject"]] = record
    cases = dict.fromkeys(case for case, _ in cells)
    keys = [(case, measure) for case in cases for measure in MEASURES.values() if (case, measure) in cells]
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
        generated.get("hand_ratio"),
    )
