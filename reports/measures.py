"""Several measures of one program side by side, and what each construct needs of the theorem's constant."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from reports.layout import COUNT, EXPONENT, NUMBER, RATIO, Column, Table
from reports.sweeps import Record, Sizes, Sweep, stem, title

EXACT = ("operations", "model_cost", "instructions")
"""The measures that are exact counts, and can be put beside each other."""

CLOSE = 0.1
"""Exponents that differ by no more are the same growth: at finite sizes the lower terms still show."""


def comparisons(measured: Sequence[Sweep]) -> list[Table]:
    """One table for each case that was measured in several measures: all of them at the largest size they share.

    Instructions that another suite counted of the same programs stand beside the case's own measures.
    """
    exact = [sweep for sweep in measured if sweep.metric in EXACT and sweep.fits]
    cases: dict[tuple[str, object], list[Sweep]] = {}
    for sweep in exact:
        cases.setdefault((sweep.suite, sweep.program), []).append(sweep)
    tables = []
    for (suite, program), own in cases.items():
        others = [s for s in exact if s.suite != suite and s.metric == "instructions" and s.program == program]
        group = own + [other for other in others if _shared([*own, other])]
        if len(group) > 1 and (shared := _shared(group)):
            tables.append(_comparison(group, shared[-1]))
    return tables


def _shared(group: Sequence[Sweep]) -> list[Sizes]:
    """The sizes that are measured in every measure, in their order."""
    return [sizes for sizes in group[0].sizes if all(sizes in sweep.sizes for sweep in group)]


def _comparison(group: Sequence[Sweep], sizes: Sizes) -> Table:
    suite, case = group[0].suite, group[0].program[0]
    rows = []
    for subject in _subjects(group):
        for sweep in group:
            record, fit = sweep.measured.get((sizes, subject)), sweep.fits.get(subject)
            if record:
                exponents = [fit and fit[name] for name in ("exponent", "low", "high")]
                ratio = None if subject == "source" else record["ratio"]
                rows.append((subject, sweep.measure, record["value"], ratio, *exponents))
    columns = (
        Column("subject"),
        Column("measure"),
        Column("value", COUNT),
        Column("ratio", RATIO, "ratio"),
        *(Column(name, EXPONENT) for name in ("exponent", "low", "high")),
    )
    at = ", ".join(f"{name} = {size:,}" for name, size in sizes)
    name = title(suite, case)
    note = f"ratio: to the source. {sentence(group)}"
    return Table(stem(name, "measures"), suite, f"{name}: measures at {at}", columns, tuple(rows), note, keys=2)


def sentence(group: Sequence[Sweep]) -> str:
    """Where the measures of one case agree in growth and where they differ, by subject."""
    said = []
    for subject in _subjects(group):
        grown = {sweep.measure: _exponent(sweep, subject) for sweep in group if subject in sweep.fits}
        known = {measure: exponent for measure, exponent in grown.items() if exponent is not None}
        shown = ", ".join(f"{measure} {exponent:z.2f}" for measure, exponent in known.items())
        if len(known) > 1:
            apart = any(abs(a - b) > CLOSE for a, b in combinations(known.values(), 2))
            said.append(f"{subject}: the measures {'differ' if apart else 'agree'} in growth ({shown}).")
    return " ".join(said)


def _subjects(group: Sequence[Sweep]) -> list[str]:
    """Those that the suite itself measured, in their order."""
    suite = group[0].suite
    return list(dict.fromkeys(subject for sweep in group if sweep.suite == suite for subject in sweep.subjects))


def _exponent(sweep: Sweep, subject: str) -> float | None:
    return sweep.fits[subject]["exponent"]


def needs(records: Sequence[Record]) -> list[Table]:
    """What each construct needs, the most first, beside the constant."""
    if not records:
        return []
    rows = tuple(
        (r["construct"], r["cotangent"], r["cost"], r["change"], r["value"], r["limit"], "yes" if r["holds"] else "NO")
        for r in sorted(records, key=lambda r: -r["value"])
    )
    columns = (
        Column("construct"),
        Column("cotangent"),
        *(Column(name, NUMBER) for name in ("own cost", "change", "need", "constant")),
        Column("within"),
    )
    suite, largest = records[0]["suite"], max(r["value"] for r in records)
    setting = ", ".join(f"{r['construct']} at {r['cotangent']}" for r in records if r["value"] == largest)
    note = (
        "own cost: sub-terms excluded. change: of the potential, 1 for each node of a linear value passed on, received "
        f"or in a slot. Largest need: {largest:g}, of {setting} cotangent."
    )
    return [Table(stem(suite, "needs"), suite, f"{suite}: what each construct needs", columns, rows, note, keys=2)]
