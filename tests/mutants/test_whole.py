"""The whole catalogue against the whole battery, at another seed than that of the published run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import adjudge
from harness.status import Status
from reports import schema

NARROW, ROWS = 25, 40
"""How many mutants are killed with margins below 1e6 alone, and how many distinct rows of kills there are, at least."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_every_verdict_is_as_expected_at_another_seed(seed: int, tmp_path: Path):
    done = CliRunner().invoke(adjudge.main, ["mutate", "--seed", str(seed), "--out", str(tmp_path)])
    assert done.exit_code == Status.GOOD, done.output
    (summary,) = (r for r in schema.read(tmp_path / "mutants.jsonl", schema.MUTANTS) if r["kind"] == "summary")
    assert summary["survived"] == []
    assert summary["rows"] >= ROWS and len(summary["narrow"]) >= NARROW
