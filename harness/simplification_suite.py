"""What simplification saves: rewrite by rewrite, and at growing sizes.

`cumulative` adds to the plain program one thing after the other and counts: kernels in place of a loop nest for each
operation, short rows written out, common subexpressions and dead code, then each rewrite in the order of its level.
`growing` counts the loss and both gradients of a workload at several sizes, as they are and simplified at each level,
with the local exponents of growth, and says whether the bounds on the ratios hold at every size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness import callgrind, compiled, native
from harness.compiled import Emitted
from harness.errors import ToolMissing
from harness.fit import growth
from harness.records import Record, bounded, skipped
from harness.workload_suite import WORKLOADS, generated, straight
from transforms.array_rules import TABLE
from transforms.kernels.plan import LIMITS, Limits
from transforms.kernels.program import emit
from transforms.machines.emit_c import EmitC
from transforms.mountain_goat.lines import unchain
from transforms.mountain_goat.straight import Straight
from transforms.mountain_goat.write import write
from transforms.simplify.gradients import reassociated_gradient
from transforms.simplify.levels import LEVELS, simplified, simplify
from transforms.simplify.rewrite import Level

OF_HAND: Mapping[Level, float] = {"reassociate": 1.02}
"""What a generated gradient may cost, at most, of the hand-derived one at the same level."""
OF_VALUE = 3.0
"""What a loss and its gradient may cost, at most, of the loss alone at the same level."""


def cumulative(suite: str, case: str, sizes: Mapping[str, int], optimised: str = "O0") -> list[Record]:
    """The instructions of the generated gradient of one of `WORKLOADS`, with one thing more in each record."""
    workload = WORKLOADS[case]
    hand = straight(workload.hand_derived(**sizes), f"{case}.mg")
    made = straight(generated(workload.hand_derived(**sizes), workload.PARAMETERS), f"{case}.mg")
    try:
        series = callgrind.series()
        stages = dict(_stages(made, hand, workload.PARAMETERS))
        profiles = callgrind.count_many([program.source() for program in stages.values()], optimised)
    except ToolMissing as missing:
        return [skipped(suite, case, missing)]
    plain = profiles[0].instructions
    return [
        {
            "kind": "measurement", "suite": suite, "case": f"{case}: {name}", "sizes": dict(sizes),
            "subject": "generated", "metric": "instructions", "value": profile.instructions, "unit": "instructions",
            "source_value": plain, "ratio": profile.instructions / plain, "level": optimised, "toolchain": series,
        }
        for name, profile in zip(stages, profiles, strict=True)
    ]  # fmt: skip


def _stages(made: Straight, hand: Straight, names: Sequence[str]) -> Iterator[tuple[str, Emitted]]:
    yield "plain", compiled.straight(made)
    untouched, _ = simplified(made, (), share=False)
    yield "kernels", _emitted(untouched, Limits(short=1, product=1, step=1))
    yield "short rows written out", _emitted(untouched)
    yield "common subexpressions, dead code", _emitted(simplified(made, ())[0])
    exact = LEVELS["exact"]
    for k, rewrite in enumerate(exact, 1):
        yield rewrite.name, _emitted(simplified(made, exact[:k])[0])
    found = reassociated_gradient(hand, names)
    recognised = straight(write(found.straight, found.sections), made.file)
    yield "recognised compositions", _emitted(simplified(recognised, exact)[0])
    rewrites = LEVELS["reassociate"]
    for k in range(len(exact) + 1, len(rewrites) + 1):
        yield rewrites[k - 1].name, _emitted(simplified(recognised, rewrites[:k])[0])
    yield "sums from their first product", compiled.straight(recognised, "reassociate")


def _emitted(line: Straight, limits: Limits = LIMITS) -> Emitted:
    machine = EmitC(TABLE)
    return Emitted(machine, emit(machine, line, limits), line.file)


def growing(
    suite: str, case: str, workload: str, against: str, sizes: Sequence[int], fixed: Mapping[str, int]
) -> list[Record]:
    """Counts of one of `WORKLOADS` as one of its sizes grows and the others are `fixed`."""
    try:
        series = callgrind.series()
        counted = {size: _counted(workload, {**fixed, against: size}) for size in sizes}
    except ToolMissing as missing:
        return [skipped(suite, case, missing)]
    records: list[Record] = []
    for level, optimised in next(iter(counted.values())):
        key = {"suite": suite, "case": f"{case}-{level or 'plain'}-{optimised}"}
        by_size = {size: found[level, optimised] for size, found in counted.items()}
        instructions = {size: {s: one.instructions for s, one in found.items()} for size, found in by_size.items()}
        for size, values in instructions.items():
            records += [
                {
                    "kind": "measurement", **key, "sizes": {**fixed, against: size}, "subject": subject,
                    "metric": "instructions", "value": value, "unit": "instructions", "source_value": values["source"],
                    "ratio": value / values["source"], "level": optimised, "toolchain": series,
                    "by_kind": by_size[size][subject].by_kind,
                }
                for subject, value in values.items()
            ]  # fmt: skip
        for subject in ("source", "hand-derived", "generated"):
            slope = growth(list(instructions), [values[subject] for values in instructions.values()])
            if slope:
                records.append(
                    {
                        "kind": "fit", **key, "subject": subject, "metric": "instructions", "against": against,
                        "exponent": slope.exponent, "low": slope.low, "high": slope.high, "points": slope.points,
                        "expected": None, "holds": None, "polynomial": None,
                    }
                )  # fmt: skip
        claims = {"a loss with its gradient, to the loss alone": ("source", OF_VALUE)} if level else {}
        if level and level in OF_HAND:
            claims["generated to hand-derived"] = "hand-derived", OF_HAND[level]
        for claim, (beside, limit) in claims.items():
            worst = max(values["generated"] / values[beside] for values in instructions.values())
            records.append(
                bounded(**{**key, "sizes": {**fixed, against: max(sizes)}}, claim=claim, limit=limit, value=worst)
            )
    return records


@dataclass(frozen=True, slots=True)
class Counted:
    """The instructions of a program, and how many lines it has once it is simplified, by what they do."""

    instructions: int
    by_kind: Mapping[str, int]


def _counted(case: str, sizes: Mapping[str, int]) -> dict[tuple[Level | None, str], dict[str, Counted]]:
    """The counts of each subject, by level of simplification and of optimisation."""
    workload = WORKLOADS[case]
    hand = straight(workload.hand_derived(**sizes), f"{case}.mg")
    programs = {
        "source": straight(workload.value(**sizes), f"{case}.mg"),
        "hand-derived": hand,
        "generated": straight(generated(workload.hand_derived(**sizes), workload.PARAMETERS), f"{case}.mg"),
    }
    found: dict[tuple[Level | None, str], dict[str, Counted]] = {}
    for level in (None, *LEVELS):
        if level == "reassociate":
            recognised = reassociated_gradient(hand, workload.PARAMETERS)
            programs["generated"] = straight(write(recognised.straight, recognised.sections), f"{case}.mg")
        sources = [compiled.straight(line, level).source() for line in programs.values()]
        kinds = [_kinds(simplify(line, level) if level else line) for line in programs.values()]
        for optimised in native.LEVELS:
            profiles = callgrind.count_many(sources, optimised)
            counts = [Counted(profile.instructions, by) for profile, by in zip(profiles, kinds, strict=True)]
            found[level, optimised] = dict(zip(programs, counts, strict=True))
    return found


def _kinds(line: Straight) -> Counter[str]:
    return Counter(operation.name for _, operation in unchain(line.program.term)[0])
