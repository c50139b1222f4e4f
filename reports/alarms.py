"""False alarms: what the battery found over many seeds on the transformation as it should be.

`make alarms` runs the seeds, for half an hour, and keeps one record for each check in `published/alarms.jsonl`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from reports import files
from reports.sweeps import Record, of_kind

PUBLISHED = Path(__file__).parent / "published" / "alarms.jsonl"


def alarms(records: Sequence[Record]) -> list[Record]:
    """For each check of a run over seeds: how many of them, in how many it failed, and the largest error that passed,
    over its tolerance; None where the tolerance is 0."""
    found: dict[str, Record] = {}
    for record in of_kind(records, "check"):
        one = found.setdefault(
            record["check"], {"kind": "alarms", "check": record["check"], "seeds": 0, "alarms": 0, "nearest": None}
        )
        one["seeds"] += 1
        if record["outcome"] != "pass":
            one["alarms"] += 1
        elif record["tolerance"]:
            one["nearest"] = max(one["nearest"] or 0.0, record["margin"])
    return list(found.values())


if __name__ == "__main__":
    read = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    files.write(PUBLISHED, "".join([json.dumps(record) + "\n" for record in alarms(read)]).encode())
