"""A benchmark of long programs: `python -m harness.scaling`.

Chains of 10,000 and of 100,000 lets are parsed, checked, evaluated and differentiated (accumulator), each chain in
processes of its own. Ten times the length should take about ten times the seconds: anything quadratic would take a
hundred. Clock times are of the machine at hand; the ratio is what counts.
"""

from __future__ import annotations

import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from time import perf_counter

from transforms.drivers import TRANSFORMATIONS, gradient, value
from transforms.parse import parse
from transforms.typecheck import typecheck

SIZES = 10_000, 100_000
RUNS = 3


def measure(lets: int) -> dict[str, float]:
    """Seconds for each step on a chain of that many lets, in all, and the process's peak memory in MiB."""
    source = "let y0 = x * x in\n" + "".join(f"let y{k} = y{k - 1} * x in\n" for k in range(1, lets)) + f"y{lets - 1}"
    point = {"x": 1.0}
    marks = [perf_counter()]
    program = parse(source)
    marks.append(perf_counter())
    typecheck(program)
    marks.append(perf_counter())
    value(program, point)
    marks.append(perf_counter())
    found = gradient(TRANSFORMATIONS["accumulator"], program, point, 1.0)
    marks.append(perf_counter())
    if found.cotangent != {"x": lets + 1.0}:
        raise AssertionError(f"the derivative of x^{lets + 1} at 1 is not {found.cotangent['x']}")
    steps = ("parse", "check", "evaluate", "differentiate")
    seconds = {step: end - start for step, (start, end) in zip(steps, pairwise(marks), strict=True)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return seconds | {"in all": marks[-1] - marks[0], "MiB": peak}


def _best(lets: int) -> dict[str, float]:
    """The least of each figure in a few processes, one after the other: whatever else the machine does only adds."""
    runs = []
    for _ in range(RUNS):
        with ProcessPoolExecutor(max_workers=1) as pool:
            runs.append(pool.submit(measure, lets).result())
    return {figure: min(run[figure] for run in runs) for figure in runs[0]}


def main() -> None:
    """Print the table."""
    small, large = map(_best, SIZES)
    rows = [f"{'lets':<14}" + "".join(f"{lets:>10,}" for lets in SIZES) + f"{'ratio':>10}"]
    rows += [f"{step:<14}{small[step]:>10.3f}{large[step]:>10.3f}{large[step] / small[step]:>10.1f}" for step in small]
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
