"""The search of `mutants.differences`, continued among matrix programs: gradients, descents and second derivatives.

What surrounds the macro there (a step of descent, names and the constants they stand for, what is kept of a program)
shows in no term.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from harness.checks.subject import Subject
from harness.records import Record
from harness.workload_suite import straight
from transforms.errors import AdjudgeError
from transforms.mountain_goat.gradients import Generated, descend, gradient, hvp
from transforms.mountain_goat.judged import MatrixTransformation
from transforms.mountain_goat.run import run
from transforms.mountain_goat.straight import Straight

LETS = "let x = [[0.5, -1.25], [2.0, 0.75]]\nlet w = [[1.5, -0.5], [0.25, 2.0]]\n"
EQUAL = "let x = [[0.5, -1.25], [2.0, 0.75]]\nlet w = [[0.5, -1.25], [2.0, 0.75]]\n"
PROGRAMS = (
    LETS + "print col_sum(row_sum(x * w))\n",
    LETS + "print col_sum(row_sum(exp(x @ w)))\n",
    LETS + "print col_sum(row_sum(relu(x @ w) * 2.0))\n",
    EQUAL + "print col_sum(row_sum(exp(x) * w))\n",
    LETS + "print col_sum(row_sum(exp(w * row_sum(x * x))))\n",
    LETS + "let dead = exp(x) @ w\nlet y = x * x\nprint col_sum(row_sum(y * y * w))\n",
)
DIRECTIONS = [np.array([[1.0, -2.0], [0.5, 1.0]]), np.array([[-0.5, 1.0], [2.0, 0.25]])]
WRT = ("x", "w")

Task = Callable[[Straight, MatrixTransformation], Generated]
TASKS: dict[str, Task] = {
    "gradient in x and w": lambda program, judged: gradient(program, WRT, judged=judged),
    "two steps of descent in x and w": lambda program, judged: descend(program, WRT, 2, 0.25, judged=judged),
    "Hessian-vector product in x and w": lambda program, judged: hvp(program, WRT, DIRECTIONS, judged=judged),
}


def difference(before: Subject, after: Subject, close: Callable[[float, float], bool]) -> Record | None:
    """The first program and task that differ, in what the generated program prints, or in its number of lines."""
    if not before.transformations:
        return None
    for text in PROGRAMS:
        for task, generate in TASKS.items():
            right, wrong = (_asked(partial(generate, straight(text, "program.mg")), s) for s in (before, after))
            if differs := _differs(right, wrong, close):
                return {
                    "program": text, "label": task, "point": {}, "cotangent": "", "differs": differs, "in": "matrices",
                    "before": str(right), "after": str(wrong),
                }  # fmt: skip
    return None


Found = tuple[list[float], int] | str


def _asked(generate: Callable[[MatrixTransformation], Generated], subject: Subject) -> Found:
    """The numbers that the generated program prints and its number of lines, or the error."""
    judged = subject.matrices()
    try:
        found = generate(judged)
        printed = [float(x) for matrix in run(found.straight, judged) for x in matrix.ravel()]
        return printed, sum(statements for _, statements in found.sections)
    except AdjudgeError as error:
        return f"refused: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _differs(right: Found, wrong: Found, close: Callable[[float, float], bool]) -> str:
    if isinstance(right, str) or isinstance(wrong, str):
        return "value" if right != wrong else ""
    (expected, lines), (found, others) = right, wrong
    if len(expected) != len(found) or not all(close(a, b) for a, b in zip(expected, found, strict=True)):
        return "value"
    return "cost" if lines != others else ""
