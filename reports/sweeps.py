"""Measurements put in order: the sweep of one case over its sizes, in one metric.

Tables and plots both start from here. Everything keeps the order of the records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
Sizes = tuple[tuple[str, int], ...]

COSTS = ("operations", "model_cost", "instructions", "seconds")
"""The metrics in which subjects are compared; the others say how much they store."""

WORKLOADS = "workloads"
"""The suite whose cases are programs of one size, compared in several measures."""

REWRITES, GROWTH = "workload-rewrites", "workload-growth"
"""The suites of the same programs: with one rewrite more in each case, and at growing sizes."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The measurements of a case by sizes and subject, and the fits made to them."""

    suite: str
    case: str
    metric: str
    sizes: tuple[Sizes, ...]
    subjects: tuple[str, ...]
    measured: Mapping[tuple[Sizes, str], Record]
    fits: Mapping[str, Record]

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the sizes that differ between points; all of them where there is one point."""
        names = dict.fromkeys(name for sizes in self.sizes for name, _ in sizes)
        differ = tuple(name for name in names if len({dict(sizes).get(name) for sizes in self.sizes}) > 1)
        return differ or tuple(names)

    @property
    def level(self) -> str:
        """How the programs were compiled, where instructions were counted: "O0", "O2"."""
        return next(iter(self.measured.values())).get("level", "")

    @property
    def measure(self) -> str:
        """What was measured, as one says it."""
        return words(self.metric) + (f" at -{self.level}" if self.level else "")

    @property
    def program(self) -> tuple[str, Sizes]:
        """Which programs were measured: the case, whatever they were compiled with, and the sizes that stay."""
        varying = self.varying
        return self.case.removesuffix(f"-{self.level}"), tuple(s for s in self.sizes[0] if s[0] not in varying)

    @property
    def title(self) -> str:
        """Suite and case, with the sizes that stay as they are: `square in m (n = 2,048)`."""
        varying = self.varying
        fixed = [f"{name} = {size:,}" for name, size in self.sizes[0] if name not in varying]
        return title(self.suite, self.case) + (f" ({', '.join(fixed)})" if fixed else "")


def sweeps(records: Sequence[Record]) -> list[Sweep]:
    """One sweep for each suite, case and metric of cost that was measured; workloads have tables of their own."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for record in of_kind(records, "measurement"):
        if record["metric"] in COSTS and record["suite"] not in (WORKLOADS, REWRITES, GROWTH):
            groups.setdefault((record["suite"], record["case"], record["metric"]), []).append(record)
    fits: dict[tuple[str, str, str], dict[str, Record]] = {}
    for fit in of_kind(records, "fit"):
        fits.setdefault((fit["suite"], fit["case"], fit["metric"]), {})[fit["subject"]] = fit
    return [
        Sweep(
            *key,
            sizes=tuple(dict.fromkeys(tuple(r["sizes"].items()) for r in group)),
            subjects=tuple(dict.fromkeys(r["subject"] for r in group)),
            measured={(tuple(r["sizes"].items()), r["subject"]): r for r in group},
            fits=fits.get(key, {}),
        )
        for key, group in groups.items()
    ]


def of_kind(records: Sequence[Record], kind: str) -> list[Record]:
    return [record for record in records if record["kind"] == kind]


def title(suite: str, case: str) -> str:
    """A case's full name in words; a case may repeat its suite's name or leave it out."""
    words = case.replace("-", " ")
    return words if words.startswith(suite.replace("-", " ")) else f"{suite} {words}"


def words(metric: str) -> str:
    """A metric's name as one says it."""
    return metric.replace("_", " ")


def stem(*words: str) -> str:
    """A file's name without its ending, the same on every system: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") or "unnamed"
