"""Tables of a mutation run: the kill matrix, and what is read off it. Whatever is not as expected comes first.

Nothing is computed here that the records do not say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reports import files
from reports.layout import COUNT, NUMBER, Column, Table
from reports.sweeps import Record, of_kind

SHARE = "{:.1%}"
SUITE = "mutants"
NAMES = {
    "pass": "pass",
    "killed-value": "value",
    "killed-crash": "crash",
    "killed-refusal": "refusal",
    "timeout": "timeout",
}
ORDER = ("value", "accuracy", "cost")
"""What mutants break, the worst first."""

SYMBOLS = {"pass": ".", "killed-value": "v", "killed-crash": "C", "killed-refusal": "R", "timeout": "T"}
LEGEND = "v: killed by value, C: by a crash, R: by a refusal, T: timeout, .: not noticed."


def tables(records: Sequence[Record]) -> list[Table]:
    """The tables of a run: what is not as expected, the whole, the checks, the mutants, the matrix and its structure.

    Of a run whose baseline failed there is one table, of the checks that raise an alarm on what is right.
    """
    alarms = [cell for cell in of_kind(records, "baseline") if cell["outcome"] != "pass"]
    if alarms or not of_kind(records, "summary"):
        return _alarms(alarms)
    (summary,) = of_kind(records, "summary")
    verdicts, checks = of_kind(records, "verdict"), of_kind(records, "check")
    return [
        *_surprises(verdicts),
        _whole(summary),
        _checks(checks),
        _threats(summary),
        *_exceptions(summary),
        *_equivalent(verdicts),
        matrix(records),
        _mutants(verdicts),
        *_groups(summary),
        _tolerances(summary, len(checks)),
        _rules(of_kind(records, "rule")),
    ]


def brief(records: Sequence[Record]) -> list[Table]:
    """The tables that are worth a screen."""
    return [table for table in tables(records) if table.name not in ("kill-matrix", "mutants", "groups", "rules")]


def write(records: Sequence[Record], folder: Path) -> list[Path]:
    """Write `mutants.md`, and each table as CSV; returns their paths."""
    made = tables(records)
    texts = {"mutants.md": "# Kill matrix\n\n" + "\n".join(table.markdown() for table in made)}
    texts |= {f"{'' if table.name == 'kill-matrix' else 'mutants-'}{table.name}.csv": table.csv() for table in made}
    return [files.write(Path(folder) / name, text.encode()) for name, text in texts.items()]


def matrix(records: Sequence[Record]) -> Table:
    """Every mutant against every check; in CSV the outcome in words, with its margin."""
    cells = {(cell["mutant"], cell["check"]): cell for cell in of_kind(records, "cell")}
    checks = [record["check"] for record in of_kind(records, "check")]
    numbers = [str(k + 1) for k in range(len(checks))]
    rows = tuple(
        (v["mutant"], *(SYMBOLS[cells[v["mutant"], check]["outcome"]] for check in checks))
        for v in of_kind(records, "verdict")
    )
    columns = (Column("mutant"), *(Column(c, heading=n) for c, n in zip(checks, numbers, strict=True)))
    named = ", ".join(f"{n} {check}" for n, check in zip(numbers, checks, strict=True))
    return Table("kill-matrix", SUITE, "Every mutant against every check", columns, rows, f"{LEGEND} {named}.")


def program(difference: Record) -> str:
    """A small program on which a mutant differs, in one line."""
    text = "; ".join(line for line in difference["program"].splitlines() if line).replace("|-; ", "|- ")
    point = ", ".join(f"{name}={value}" for name, value in difference["point"].items())
    at = f" at {point}, cotangent {difference['cotangent']}" if point else f" ({difference['label']})"
    return f"{text}{at}: differs in its {difference['differs']}"


def told(verdict: Record) -> str:
    """A verdict that is not as expected, in words, with the program on which the mutant differs."""
    text = f"{verdict['wrong']}: {'; '.join(verdict['surprises'])}"
    if verdict["expected"] == "caught" and not verdict["caught"] and not verdict["timeouts"]:
        found = verdict["difference"]
        return f"{text}. {program(found)}" if found else f"{text}. No program was found on which it differs"
    return text


def surprising(verdicts: Sequence[Record]) -> list[Record]:
    """The verdicts that are not as expected, survivors first, and of those the wrong values before costs."""
    return sorted(
        (v for v in verdicts if v["surprises"]),
        key=lambda v: (v["caught"], v["expected"] == "equivalent", ORDER.index(v["breaks"])),
    )


def _alarms(alarms: Sequence[Record]) -> list[Table]:
    columns = Column("check"), Column("outcome"), Column("error", NUMBER), Column("tolerance", NUMBER), Column("where")
    rows = tuple((a["check"], NAMES[a["outcome"]], a["error"], a["tolerance"], a["where"]) for a in alarms)
    title = "The unmutated transformation fails: no mutant was run"
    return [Table("alarms", SUITE, title, columns, rows)]


def _surprises(verdicts: Sequence[Record]) -> list[Table]:
    found = surprising(verdicts)
    if not found:
        return []
    rows = tuple((v["mutant"], told(v)) for v in found)
    return [Table("not-as-expected", SUITE, "NOT as expected", (Column("mutant"), Column("what")), rows)]


def _whole(summary: Record) -> Table:
    rows = (
        ("mutants", summary["mutants"]),
        ("caught", summary["caught"]),
        ("survived", ", ".join(summary["survived"]) or "none"),
        ("declared equivalent", ", ".join(summary["equivalent"]) or "none"),
        ("score", SHARE.format(summary["score"])),
        ("distinct kill rows", summary["rows"]),
        ("mutants that subsume the others", f"{len(summary['subsuming'])}: {', '.join(summary['subsuming'])}"),
        ("score over these", SHARE.format(summary["subsuming_score"])),
        ("killed by a crash alone", _counted(summary["crash_only"])),
        ("killed by value alone, margin below 1e6", len(summary["narrow"])),
        ("leaf called by no check", ", ".join(summary["unreached"]) or "none"),
        ("smallest set of checks with this score", _counted(summary["minimal_checks"])),
    )
    return Table("summary", SUITE, "The whole", (Column("what"), Column("value")), rows)


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "none"


def _checks(checks: Sequence[Record]) -> Table:
    columns = (
        Column("check"), Column("question"), Column("kills", COUNT), Column("solo score", SHARE, "solo"),
        Column("solo over the subsuming", SHARE, "subsuming"), Column("unique kills", COUNT, "unique"),
        Column("score without it", SHARE, "without"),
    )  # fmt: skip
    rows = tuple(
        (c["check"], c["question"], c["kills"], c["solo"], c["subsuming_solo"], len(c["unique"]), c["without"])
        for c in checks
    )
    note = " ".join(
        f"{c['check']} has no unique kill: {c.get('stays') or 'redundant here'}." for c in checks if not c["unique"]
    )
    return Table("checks", SUITE, "What each check is worth", columns, rows, note)


def _threats(summary: Record) -> Table:
    questions = {q: None for t in summary["threats"] for q in t if q not in ("breaks", "mutants", "nobody")}
    columns = (
        Column("what is broken"), Column("mutants", COUNT),
        *(Column(f"killed by checks of: {q}", COUNT, q) for q in questions), Column("not noticed", COUNT),
    )  # fmt: skip
    rows = tuple((t["breaks"], t["mutants"], *map(t.get, questions), t["nobody"]) for t in summary["threats"])
    note = "Of the mutants that break one of these, how many are killed by the checks of each question."
    return Table("threats", SUITE, "Which question each mutant threatens", columns, rows, note)


def _exceptions(summary: Record) -> list[Table]:
    columns = Column("mutant"), Column("breaks"), Column("killed by"), Column("allowed")
    rows = tuple(
        (e["mutant"], e["breaks"], e["check"], e["allowed"] or "NO")
        for e in sorted(summary["separation"], key=lambda e: e["allowed"] is not None)
    )
    title = "Kills across the separation of cost and accuracy"
    return [Table("separation", SUITE, title, columns, rows, keys=3)] if rows else []


def _equivalent(verdicts: Sequence[Record]) -> list[Table]:
    rows = tuple((v["mutant"], v["equivalent"]) for v in verdicts if v["equivalent"])
    columns = Column("mutant"), Column("why no check can tell")
    return [Table("equivalent", SUITE, "Declared equivalent", columns, rows)] if rows else []


def _mutants(verdicts: Sequence[Record]) -> Table:
    columns = (
        Column("mutant"), Column("target"), Column("breaks"), Column("wrong"), Column("source"), Column("caught by"),
        Column("margin"), Column("difficulty", SHARE),
    )  # fmt: skip
    rows = tuple(
        (
            *(v[name] for name in ("mutant", "target", "breaks", "wrong", "source")),
            ", ".join(v["by"]) or (", ".join(f"timeout of {check}" for check in v["timeouts"]) or "nobody"),
            _margin(v["margin"]), v["difficulty"],
        )
        for v in verdicts
    )  # fmt: skip
    note = "margin: largest error over tolerance of the kills by value. difficulty: the share of checks that kill it."
    return Table("mutants", SUITE, "The mutants", columns, rows, note)


def _margin(margin: float | str | None) -> str:
    return "-" if margin is None else f"{float(margin):.1e}"


def _groups(summary: Record) -> list[Table]:
    rows = tuple((len(group), ", ".join(group)) for group in summary["groups"])
    columns = Column("mutants", COUNT), Column("which")
    return [Table("groups", SUITE, "Mutants that the very same checks kill", columns, rows)] if rows else []


def _tolerances(summary: Record, checks: int) -> Table:
    columns = (
        Column("tolerances times", NUMBER), Column("score", SHARE), Column("false alarms", COUNT, "alarms"),
        Column("of which checks"),
    )  # fmt: skip
    rows = tuple(
        (t["factor"], t["score"], len(t["false_alarms"]), ", ".join(t["false_alarms"])) for t in summary["tolerances"]
    )
    note = f"alarms: of the {checks} checks, those that would fail the unmutated transformation."
    return Table("tolerances", SUITE, "The score if all tolerances were multiplied", columns, rows, note)


def _rules(rules: Sequence[Record]) -> Table:
    fields = list(rules[0]["fields"]) if rules else []
    columns = Column("rule"), *(Column(field, COUNT) for field in fields), Column("none for")
    rows = tuple(
        (r["rule"], *r["fields"].values(), ", ".join(f for f, n in r["fields"].items() if not n) or "-")
        for r in sorted(rules, key=lambda r: (sum(map(bool, r["fields"].values())), r["rule"]))
    )
    note = "Mutants of the whole catalogue by rule and field, the rules with the fewest first."
    return Table("rules", SUITE, "Mutants of each rule", columns, rows, note)
