"""Cases of the suite `workloads`: what a generated gradient costs beside a hand-derived one, and beside the loss alone.

Of each program: the `let`s that it has once functions are inlined, the bytes of its text, the instructions that it
executes compiled at each level in all and by line, and the most bytes of arrays that are alive at
once. `source` is the program of the loss alone; a generated gradient also has the ratio to the hand-derived one. What
is compared is right: a bound says how far apart the entries are. Where a tool is missing, what needs it is skipped.

All three are compiled as they are, and simplified at each level, in the cases `NAME-exact` and `NAME-reassociate`. At
the latter level the gradient is generated with the pullbacks of recognised compositions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from harness import callgrind, compiled, native
from harness.errors import ToolMissing
from harness.mountain_goat_count import costliest
from harness.records import Record, bounded, skipped
from harness.workloads import attention, layernorm, transformer
from transforms.mountain_goat.gradients import gradient
from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.write import write
from transforms.simplify.gradients import reassociated_gradient
from transforms.simplify.levels import simplify
from transforms.simplify.rewrite import Level

WORKLOADS: Mapping[str, ModuleType] = {"attention": attention, "layernorm": layernorm, "transformer": transformer}

TOLERANCE = 1e-10
"""How far a generated entry may be from the hand-derived one, relatively."""


def compared(suite: str, case: str, sizes: Mapping[str, int]) -> list[Record]:
    """The costs of one of `WORKLOADS` at these sizes, by subject, and whether the two gradients are one."""
    workload = WORKLOADS[case]
    texts = {"source": workload.value(**sizes), "hand-derived": workload.hand_derived(**sizes)}
    texts["generated"] = generated(texts["hand-derived"], workload.PARAMETERS)
    programs = {subject: straight(text, f"{case}.mg") for subject, text in texts.items()}
    key = {"suite": suite, "case": case, "sizes": dict(sizes)}
    records = _measurements(
        key, "source_bytes", "bytes", {subject: len(text.encode()) for subject, text in texts.items()}
    )
    records.append(_distance(key, *[run(programs[subject]) for subject in ("hand-derived", "generated")]))
    records += _costs(key, programs, None)
    records += _costs({**key, "case": f"{case}-exact"}, programs, "exact")
    recognised = reassociated_gradient(programs["hand-derived"], workload.PARAMETERS)
    programs["generated"] = straight(write(recognised.straight, recognised.sections), f"{case}.mg")
    return records + _costs({**key, "case": f"{case}-reassociate"}, programs, "reassociate")


def _costs(key: Mapping[str, object], programs: Mapping[str, Straight], level: Level | None) -> list[Record]:
    """The costs of the programs simplified at a level, or as they are."""
    suite, case = str(key["suite"]), key["case"]
    simplified = {subject: simplify(line, level) if level else line for subject, line in programs.items()}
    lets = {subject: len(unchain(program.program.term)[0]) for subject, program in simplified.items()}
    records = _measurements(key, "lets", "lets", lets)
    emitted = {subject: compiled.straight(program, level) for subject, program in programs.items()}
    try:
        memory = [native.peak_memory(native.build(program.source(memory=True))) for program in emitted.values()]
        records += _measurements(key, "peak_bytes", "bytes", dict(zip(emitted, memory, strict=True)))
    except ToolMissing as missing:
        records.append(skipped(suite, f"peak memory of {case}", missing))
    try:
        series = callgrind.series()
    except ToolMissing as missing:
        return [*records, skipped(suite, f"instruction counts of {case}", missing)]
    for optimised in native.LEVELS:
        profiles = callgrind.count_many([program.source() for program in emitted.values()], optimised, lines=True)
        counts = {subject: profile.instructions for subject, profile in zip(emitted, profiles, strict=True)}
        at_level = {**key, "case": f"{case}-{optimised}", "level": optimised, "toolchain": series}
        for record, profile in zip(
            _measurements(at_level, "instructions", "instructions", counts), profiles, strict=True
        ):
            lines = costliest(programs[record["subject"]], {optimised: profile}, most=None)
            by_line = {f"{line.number}: {line.text}": line.instructions[optimised] for line in lines}
            records.append({**record, "by_line": by_line})
        results = [emitted[subject].run(optimised) for subject in ("hand-derived", "generated")]
        records.append(_distance({**key, "case": f"{case}-{optimised}"}, *results))
    return records


def straight(text: str, file: str) -> Straight:
    """A program's straight line."""
    return inline(lower(text, file), text)


def generated(text: str, names: Sequence[str]) -> str:
    """The text of the program that prints a program's first print and its gradient in the named matrices."""
    found = gradient(straight(text, "workload.mg"), names)
    return write(found.straight, found.sections)


def distance(hand: Sequence[np.ndarray], made: Sequence[np.ndarray]) -> float:
    """The largest difference between entries of what two programs print, relative to the first's; NaN where one is."""
    gaps = [np.zeros(1)]
    for expected, found in zip(hand, made, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = np.abs(found - expected) / np.abs(expected)
        gaps.append(np.where(found == expected, 0.0, gap).ravel())
    return float(np.concatenate(gaps).max())


def _measurements(key: Mapping[str, object], metric: str, unit: str, values: Mapping[str, int]) -> list[Record]:
    source, hand = values["source"], values["hand-derived"]
    return [
        {
            "kind": "measurement", **key, "subject": subject, "metric": metric, "value": value, "unit": unit,
            "source_value": source, "ratio": value / source,
            **({"hand_value": hand, "hand_ratio": value / hand} if subject == "generated" else {}),
        }
        for subject, value in values.items()
    ]  # fmt: skip


def _distance(key: Mapping[str, Any], hand: Sequence[np.ndarray], made: Sequence[np.ndarray]) -> Record:
    claim = "relative difference of an entry, generated to hand-derived"
    return bounded(**key, claim=claim, limit=TOLERANCE, value=distance(hand, made))
