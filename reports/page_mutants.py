"""The parts of the page that a mutation run fills: the kill matrix, the survivors, and what is read off the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reports import heat_map, kill_matrix
from reports.layout import Table
from reports.origins import mark, origin
from reports.page import Block, Cell, Code, Heading, Matrix, MatrixRow, Section, Statement, Statements
from reports.sweeps import Record, of_kind

OF_SUMMARY = ("summary", "threats", "separation", "tolerances", "groups")
"""The tables that are made from the summary alone."""

WHOLE = ("summary", "threats", "separation", "tolerances", "checks", "groups")
"""The tables that are read off the matrix, in the order of the page."""

STYLES = {
    heat_map.PASS: "pass",
    **{shade: f"shade{k}" for k, shade in enumerate(heat_map.SHADES)},
    **{colour: name for _, colour, name in heat_map.OTHERS.values()},
}
"""The name that the page's style sheet has for each colour of a cell."""

MISSING = "No mutation run is in this folder. To judge the checks: adjudge mutate"


def sections(records: Sequence[Record]) -> list[Section]:
    """The sections of a mutation run; of none, or of one whose baseline failed, one section that says so."""
    title = "The kill matrix"
    lead = "Each row is a deliberately wrong version of the transformation, each column a check of the battery."
    if not records:
        return [Section("matrix", title, lead, (Statements((Statement(None, MISSING),)),))]
    made = {table.name: table for table in kill_matrix.tables(records)}
    summaries = of_kind(records, "summary")
    if not summaries:
        return [Section("matrix", title, lead, tuple(made.values()))]
    for name in made.keys() & set(OF_SUMMARY):
        rows = tuple(tuple(mark(list(row), origin(summaries[0]))) for row in made[name].rows)
        made[name] = replace(made[name], rows=rows)
    return [
        Section("matrix", title, lead, (_matrix(records),)),
        Section(
            "survivors",
            "Survivors",
            "Mutants that are not as they were expected to be, each with a small program on which it differs; then "
            "those that no check can tell from the transformation, with the reason.",
            (*_survivors(records), *_chosen(made, ("equivalent",))),
        ),
        Section(
            "read-off",
            "What is read off the matrix",
            "Which checks are needed, what each threatens, and how much the tolerances matter.",
            tuple(_chosen(made, WHOLE)),
        ),
        Section(
            "mutants",
            "The mutants",
            "What each of them breaks, where the idea is from, who catches it, and how many there are of each rule.",
            tuple(_chosen(made, ("mutants", "rules"))),
        ),
    ]


def verdict(records: Sequence[Record]) -> list[Statement]:
    """What the run says of the checks."""
    if not records:
        return [Statement(None, MISSING)]
    alarms = [cell for cell in of_kind(records, "baseline") if cell["outcome"] != "pass"]
    if alarms or not of_kind(records, "summary"):
        return [
            Statement(False, f"{cell['check']} fails on the unmutated transformation: {cell['where']}", origin(cell))
            for cell in alarms
        ] or [Statement(False, "The mutation run ended before its summary.", origin(records[0]))]
    (summary,) = of_kind(records, "summary")
    judged = summary["mutants"] - len(summary["equivalent"])
    found = [
        Statement(
            True,
            f"All {len(of_kind(records, 'baseline'))} checks pass on the unmutated transformation.",
            origin(records[0]),
        ),
        Statement(
            not summary["survived"],
            f"{summary['caught']:,} of {judged:,} mutants are caught, a score of {summary['score']:.1%}; "
            f"{len(summary['equivalent'])} more are declared equivalent.",
            origin(summary),
        ),
    ]
    surprising = kill_matrix.surprising(of_kind(records, "verdict"))
    found += [Statement(False, f"{v['mutant']}: {'; '.join(v['surprises'])}.", origin(v)) for v in surprising]
    return found


def _chosen(made: dict[str, Table], names: Sequence[str]) -> list[Table]:
    return [made[name] for name in names if name in made]


def _matrix(records: Sequence[Record]) -> Matrix:
    cells = {(cell["mutant"], cell["check"]): cell for cell in of_kind(records, "cell")}
    checks = of_kind(records, "check")
    groups = []
    for breaks in kill_matrix.ORDER:
        rows = tuple(
            MatrixRow(
                v["mutant"],
                f"{v['wrong']} ({origin(v)})",
                tuple(_cell(cells[v["mutant"], check["check"]]) for check in checks),
                _remark(v),
            )
            for v in of_kind(records, "verdict")
            if v["breaks"] == breaks
        )
        if rows:
            groups.append((f"breaks {breaks}", rows))
    return Matrix(tuple((c["check"], f"{c['claim']} ({origin(c)})") for c in checks), tuple(groups), _legend())


def _cell(cell: Record) -> Cell:
    symbol, colour, _ = heat_map.look(cell)
    said = kill_matrix.NAMES[cell["outcome"]]
    if cell["margin"] is not None:
        said += f": error {float(cell['error']):.3g}, tolerance {cell['tolerance']:.3g}"
    return Cell(symbol or "·", STYLES[colour], f"{cell['check']}, {said} ({origin(cell)})")


def _legend() -> tuple[tuple[str, str, str], ...]:
    """Symbol, style and meaning."""
    last = len(heat_map.SHADES) - 1
    shades = (
        (str(2 * k), f"shade{k}", f"1e{2 * k}" + (" and more; ∞; ? for NaN" if k == last else ""))
        for k in range(last + 1)
    )
    others = ((symbol, STYLES[colour], name) for symbol, colour, name in heat_map.OTHERS.values())
    return (("·", "pass", "not noticed"), *shades, *others)


def _remark(v: Record) -> str:
    if v["expected"] == "equivalent":
        return "equivalent"
    return "" if v["caught"] else "NOT CAUGHT"


def _survivors(records: Sequence[Record]) -> list[Block]:
    """What is not as expected, each with its program and the leaf that it replaces."""
    found = kill_matrix.surprising(of_kind(records, "verdict"))
    if not found:
        return [Statements((Statement(True, "Every mutant is as expected: all are caught that can be."),))]
    blocks: list[Block] = []
    for v in found:
        blocks += [Heading(v["mutant"]), Statements((Statement(False, kill_matrix.told(v), origin(v)),))]
        if v["difference"]:
            point = ", ".join(f"{name} = {value}" for name, value in v["difference"]["point"].items())
            caption = (
                f"Differs at {point}, cotangent {v['difference']['cotangent']}, in its {v['difference']['differs']}"
            )
            blocks.append(Code(caption, v["difference"]["program"], origin(v)))
        leaf = v["leaf"]
        where = f"{leaf['path']}, lines {leaf['start']} to {leaf['end']}"
        blocks += [
            Code(f"{where}: the leaf", leaf["before"], origin(v)),
            Code("and in the mutant", leaf["after"], origin(v)),
        ]
    return blocks
