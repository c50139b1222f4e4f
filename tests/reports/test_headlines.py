from __future__ import annotations

import pytest

from reports import headlines
from reports.errors import NotMeasured

RUN = {
    "kind": "run", "schema": 1, "version": "0.1", "commit": "0123abc", "seed": 0, "quick": True, "platform": "x86_64",
    "toolchain": "python",
}  # fmt: skip
MUTATION = [{"kind": "summary", "mutants": 12, "caught": 10, "equivalent": ["one"], "survived": ["two"]}]


def workload(case: str, ratio: float, level: str = "O0", subject: str = "generated") -> dict:
    return {
        "kind": "measurement", "suite": "workloads", "case": f"{case}-{level}", "level": level, "subject": subject,
        "metric": "instructions", "value": 100 * ratio, "hand_value": 100, "hand_ratio": ratio,
        "toolchain": "cc 12 valgrind 3",
    }  # fmt: skip


def bound(suite: str, case: str, claim: str, value: float, limit: float, **sizes: int) -> dict:
    return {
        "kind": "bound", "suite": suite, "case": case, "sizes": sizes, "claim": claim, "value": value, "limit": limit,
    }  # fmt: skip


RECORDS = [
    RUN,
    *[workload(f"attention{step}", 0.25) for step in ("", "-exact", "-reassociate")],
    *[workload(f"layernorm{step}", 0.25) for step in ("", "-exact", "-reassociate")],
    workload("transformer", 1.5), workload("transformer-exact", 1.25), workload("transformer-reassociate", 1.0),
    bound("random", "one-real", "largest ratio: accumulator operations to source operations", 4.0, 5, programs=1000),
    bound("random", "one-real", "ratio on a witness that the bound is tight", 5.0, 5),
    bound("theorem", "figures", "t_48: transformed cost <= 5 + 34 cost(t) + size(d) + 4n", 4811, 8222),
    bound("theorem", "search", "largest measured constant found: ratio to cost(t)", 22.125, 34),
]  # fmt: skip


def row(table: str, start: str) -> list[str]:
    (line,) = [line for line in table.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_each_figure_stands_beside_the_one_that_others_published():
    table = headlines.table(RECORDS, MUTATION)
    ours, published = row(table, "gradient of transformer")
    assert ours == "1.50; both simplified 1.25, both reassociated 1.00; it alone simplified 1.25"
    assert published.startswith("1.11 (")
    assert row(table, "operations, value and gradient")[0] == "5.00 of a program made for it; 4.00 of 1,000 random ones"
    assert row(table, "cost in the efficiency theorem's model of a product of 48 factors")[0] == "4,811"
    assert row(table, "wrong versions")[0] == "10 of 11"


def test_the_toolchain_is_named():
    assert "cc 12 valgrind 3" in headlines.table(RECORDS, MUTATION)


def test_a_figure_that_was_not_measured_is_an_error():
    without = [record for record in RECORDS if record.get("case") != "transformer-O0"]
    with pytest.raises(NotMeasured, match="transformer-O0"):
        headlines.table(without, MUTATION)


def test_other_records_change_nothing():
    more = [*RECORDS, workload("attention", 9.0, "O2"), workload("attention", 9.0, subject="source")]
    assert headlines.table(more, MUTATION) == headlines.table(RECORDS, MUTATION)


def test_code_is_shown_by_size_and_program():
    measured = [
        {
            "kind": "measurement", "suite": "native", "case": f"sigmoid-square-in-n{case}", "sizes": {"n": n},
            "subject": "accumulator", "metric": metric, "value": value, **more,
        }
        for n in (8, 1024)
        for case, metric, value, more in (
            ("", "operations", 12, {}),
            ("-O0", "instructions", 2000, {"level": "O0", "toolchain": "cc 12"}),
            ("-O2", "instructions", 200, {"level": "O2", "toolchain": "cc 12"}),
        )
    ]  # fmt: skip
    lines = headlines.code([RUN, *measured]).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:4]]
    assert cells == [[n, "accumulator", "12", "2,000", "200"] for n in ("8", "1,024")]
    assert lines[-1] == "Counted with cc 12."


def test_code_that_was_not_counted_is_an_error():
    with pytest.raises(NotMeasured, match="doctor"):
        headlines.code([RUN])
