"""Random programs as text, for properties that hold of every program."""

from __future__ import annotations

import random

from transforms.mountain_goat.inline import inline
from transforms.mountain_goat.lower import lower
from transforms.mountain_goat.straight import Straight

Shape = tuple[int, int]


def straight(source: str) -> Straight:
    return inline(lower(source, "p.mg"), source)


def random_program(seed: int, lines: int = 12) -> tuple[str, list[str]]:
    """A program that prints a 1x1 loss, and its inputs. Every line depends on one before; shapes are small.

    Arguments of log, sqrt and divisions are made positive, so that values stay finite; stretching is frequent.
    """
    rng = random.Random(seed)
    sizes = rng.sample((1, 2, 3, 4), 2)
    shapes: dict[str, Shape] = {}
    text = []
    for k in range(rng.randint(2, 4)):
        shape = (rng.choice((1, *sizes)), rng.choice((1, *sizes)))
        rows = [[round(rng.uniform(-1.5, 1.5), 3) for _ in range(shape[1])] for _ in range(shape[0])]
        shapes[f"x{k}"] = shape
        text.append(f"let x{k} = {rows}")
    inputs = list(shapes)
    for k in range(lines):
        expression, shape = _expression(rng, shapes)
        shapes[f"y{k}"] = shape
        text.append(f"let y{k} = {expression}")
    total = " + ".join(f"col_sum(row_mean({name}))" for name in shapes)
    return "\n".join([*text, f"print {total}", f"print y{lines - 1}"]) + "\n", inputs


def _expression(rng: random.Random, shapes: dict[str, Shape]) -> tuple[str, Shape]:
    a = rng.choice(list(shapes)[-6:])
    (m, n), k = shapes[a], round(rng.uniform(0.5, 2.0), 2)
    others = [name for name, (p, q) in shapes.items() if p in (1, m) and q in (1, n)]
    wider = [name for name, (p, q) in shapes.items() if m in (1, p) and n in (1, q)]
    products = [name for name, (p, _) in shapes.items() if p == n]
    b = rng.choice([*others, *wider])
    common = max(m, shapes[b][0]), max(n, shapes[b][1])
    choices = [
        (f"{a} + {b}", common), (f"{a} - {b}", common), (f"{b} - {a}", common), (f"{a} * {b}", common),
        (f"{a} / ({b} * {b} + 1.0)", common), (f"{a} * ge({a}, {b})", common),
        (f"-{a}", (m, n)), (f"relu({a})", (m, n)), (f"exp({a} * {a} * -0.5)", (m, n)),
        (f"log({a} * {a} + {k})", (m, n)), (f"sqrt({a} * {a} + {k})", (m, n)),
        (f"{a} + {k}", (m, n)), (f"{k} - {a}", (m, n)), (f"{a} - {k}", (m, n)), (f"-{k} * {a}", (m, n)),
        (f"{a} / {k}", (m, n)), (f"{k} / ({a} * {a} + 1.0)", (m, n)),
        (f"{a} * [[{k}]]", (m, n)), (f"{a} - {[[k] * n]}", (m, n)), (f"{a} + {[[k + i] for i in range(m)]}", (m, n)),
        (f"transpose({a})", (n, m)), (f"reshape({a}, {n}, {m})", (n, m)), (f"permute({a}, 1, 0)", (n, m)),
        (f"row_sum({a})", (m, 1)), (f"row_mean({a})", (m, 1)), (f"row_max({a})", (m, 1)),
        (f"col_sum({a})", (1, n)), (f"col_mean({a})", (1, n)), (f"col_max({a})", (1, n)),
        (f"contract(reshape({a}, 1, {m}, {n}), (0, 1), permute(reshape({a}, {m}, 1, {n}), 2, 1, 0), (1, 2))", (n, n)),
    ]  # fmt: skip
    if products:
        c = rng.choice(products)
        choices += [(f"{a} @ {c}", (m, shapes[c][1]))] * 3
    return rng.choice(choices)
