"""One block of a causal language model, hand-derived with shared intermediates, one `let` for each step.

A sequence is a b c a b c a for a triple of tokens; the model predicts the four tokens that follow from those before.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, product
from math import cos, sin, sqrt

import numpy as np

from harness.workloads.draws import draws, one_hot, weights
from harness.workloads.text import bound

PARAMETERS = ("e", "g1", "n1", "wq", "wk", "wv", "wo", "g2", "n2", "w1", "c1", "w2", "c2", "gf", "nf", "wu")

VOCABULARY = 4
TOKENS = 7
"""In a sequence."""

TARGETS = (2, 3, 4, 5)
"""The positions from which the next token is predicted."""

_MODEL = """\
# Embedding and positions.
let x0 = x @ e + ps

# Attention on the normalised rows, within each sequence and backwards only.
let centred1 = x0 - row_mean(x0)
let sigma1 = sqrt(row_mean(centred1 * centred1) + 0.00001)
let normal1 = centred1 / sigma1
let u1 = normal1 * g1 + n1
let q = u1 @ wq
let k = u1 @ wk
let v = u1 @ wv
let scores = q @ transpose(k) / {root} + mk
let es = exp(scores - row_max(scores))
let a = es / row_sum(es)
let h = a @ v
let x1 = x0 + h @ wo

# The feed-forward network on the normalised rows.
let centred2 = x1 - row_mean(x1)
let sigma2 = sqrt(row_mean(centred2 * centred2) + 0.00001)
let normal2 = centred2 / sigma2
let u2 = normal2 * g2 + n2
let inner = u2 @ w1 + c1
let active = relu(inner)
let x2 = x1 + active @ w2 + c2

# Logits of the next token, and the loss: minus the mean log-probability of the targets.
let centredf = x2 - row_mean(x2)
let sigmaf = sqrt(row_mean(centredf * centredf) + 0.00001)
let normalf = centredf / sigmaf
let uf = normalf * gf + nf
let z = uf @ wu
let shifted = z - row_max(z)
let ez = exp(shifted)
let total = row_sum(ez)
let loss = -(1.0 / {targets}) * col_sum(row_sum(y * (shifted - log(total))))
"""

_GRADIENTS = """\
# The backward pass, where da is the gradient of the loss by a. A normalised row passes on what is orthogonal to it.
def normal_back({dn}, {n}, {sigma}) = (dn - row_mean(dn) - n * row_mean(dn * n)) / sigma

# Output layer.
let dz = (ez / total * mr - y) / {targets}
let dwu = transpose(uf) @ dz
let duf = dz @ transpose(wu)
let dgf = col_sum(duf * normalf)
let dnf = col_sum(duf)
let dnormalf = duf * gf
let dx2 = normal_back(dnormalf, normalf, sigmaf)

# Feed-forward network.
let dw2 = transpose(active) @ dx2
let dc2 = col_sum(dx2)
let dactive = dx2 @ transpose(w2)
let dinner = dactive * ge(inner, [[0.0]])
let dw1 = transpose(u2) @ dinner
let dc1 = col_sum(dinner)
let du2 = dinner @ transpose(w1)
let dg2 = col_sum(du2 * normal2)
let dn2 = col_sum(du2)
let dnormal2 = du2 * g2
let dx1 = dx2 + normal_back(dnormal2, normal2, sigma2)

# Attention.
let dwo = transpose(h) @ dx1
let dh = dx1 @ transpose(wo)
let da = dh @ transpose(v)
let dscores = a * (da - row_sum(a * da)) / {root}
let dq = dscores @ k
let dk = transpose(dscores) @ q
let dv = transpose(a) @ dh
let dwq = transpose(u1) @ dq
let dwk = transpose(u1) @ dk
let dwv = transpose(u1) @ dv
let du1 = dq @ transpose(wq) + dk @ transpose(wk) + dv @ transpose(wv)
let dg1 = col_sum(du1 * normal1)
let dn1 = col_sum(du1)
let dnormal1 = du1 * g1
let dx0 = dx1 + normal_back(dnormal1, normal1, sigma1)

# Embedding.
let de = transpose(x) @ dx0
"""


def value(sequences: int = 16, width: int = 8) -> str:
    """The program that prints the loss; at most 64 sequences."""
    return f"{_inputs(sequences, width)}\n{_MODEL.format_map(_sizes(sequences, width))}\nprint loss\n"


def hand_derived(sequences: int = 16, width: int = 8) -> str:
    """The program that prints the loss and the gradient of each parameter; at most 64 sequences."""
    rows = np.tile([[float(position in TARGETS)] for position in range(TOKENS)], (sequences, 1))
    gradients = _GRADIENTS.format_map(_sizes(sequences, width))
    prints = "".join(f"print d{name}\n" for name in PARAMETERS)
    return (
        f"{value(sequences, width)}\n# mr: the rows that have a target.\n{bound({'mr': rows})}\n\n{gradients}\n{prints}"
    )


def _sizes(sequences: int, width: int) -> Mapping[str, object]:
    """What the templates leave open: two divisors, and the parameters of a function with their types."""
    rows = sequences * TOKENS
    shapes = {"dn": (rows, width), "n": (rows, width), "sigma": (rows, 1)}
    typed = {name: f"{name}: tensor[{m}x{n}]" for name, (m, n) in shapes.items()}
    return typed | {"root": sqrt(width), "targets": sequences * len(TARGETS)}


def _inputs(sequences: int, width: int) -> str:
    return f"""\
# One block of a causal language model: {sequences} sequences of {TOKENS} tokens, width {width}.
# x: tokens, one-hot, sequence after sequence. ps: positions. mk: who attends to whom. y: targets, one-hot.
{bound(_data(sequences, width))}

{bound(_parameters(width))}
"""


def _data(sequences: int, width: int) -> Mapping[str, np.ndarray]:
    tokens = np.array(_chosen(sequences))
    following = np.roll(tokens, -1, axis=1)
    targets = one_hot(following, VOCABULARY) * np.isin(np.arange(TOKENS), TARGETS)[:, None]
    attended = np.kron(np.eye(sequences), np.tri(TOKENS)) > 0
    return {
        "x": one_hot(tokens.ravel(), VOCABULARY),
        "ps": np.tile([[_position(p, j, width) for j in range(width)] for p in range(TOKENS)], (sequences, 1)),
        "mk": np.where(attended, 0.0, -1e9),
        "y": targets.reshape(-1, VOCABULARY),
    }


def _chosen(sequences: int) -> list[tuple[int, ...]]:
    """The first sequences of all 64 in an order that is drawn."""
    every = [(a, b, c, a, b, c, a) for a, b, c in product(range(VOCABULARY), repeat=3)]
    keys = list(islice(draws(5), len(every)))
    return [every[k] for k in sorted(range(len(every)), key=keys.__getitem__)[:sequences]]


def _position(position: int, column: int, width: int) -> float:
    wave = cos if column % 2 else sin
    return round(wave(position / 10 ** (2 * (column // 2) / width)), 4)


def _parameters(width: int) -> Mapping[str, np.ndarray]:
    drawn = draws(1)
    ones, zeros = np.ones((1, width)), np.zeros((1, width))
    e = weights(drawn, VOCABULARY, width, 1.0)
    wq, wk, wv, wo = (weights(drawn, width, width, 0.3) for _ in range(4))
    w1, w2, wu = (weights(drawn, m, n, 0.3) for m, n in ((width, 2 * width), (2 * width, width), (width, VOCABULARY)))
    by_name = {
        "e": e, "g1": ones, "n1": zeros, "wq": wq, "wk": wk, "wv": wv, "wo": wo, "g2": ones, "n2": zeros,
        "w1": w1, "c1": np.zeros((1, 2 * width)), "w2": w2, "c2": zeros, "gf": ones, "nf": zeros, "wu": wu,
    }  # fmt: skip
    return {name: by_name[name] for name in PARAMETERS}
