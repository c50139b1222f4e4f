"""A classifier with one head of attention, hand-derived as one function per gradient that recomputes what it needs.

A sequence is 4 tokens out of 5; its class is the one of its tokens that comes first in a fixed order. A function of
Mountain Goat is one expression, so what a helper needs twice it computes twice: the exponentials of a softmax, the
attention weights of a gradient. That is what makes this gradient expensive.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from math import sqrt

import numpy as np

from harness.workloads.draws import draws, one_hot, weights
from harness.workloads.text import bound

PARAMETERS = ("q", "wk", "wv", "wo")

VOCABULARY = CLASSES = 5
TOKENS = 4
"""In a sequence."""

ORDER = (1, 3, 2, 0, 4)
"""The token that comes first in this order is the class of a sequence that has it."""

_MODEL = """\
# The model: scores of the tokens, attention within each sequence, its context, logits of the classes.
def exponentials({s}) = exp(s - row_max(s))
def attention({s}) = exponentials(s) / row_sum(exponentials(s))
def scores({x}, {q}, {wk}) = reshape((x @ wk) @ transpose(q) / {root}, {sequences}, {tokens})
def weights({x}, {q}, {wk}) = attention(scores(x, q, wk))
def context({x}, {g}, {q}, {wk}, {wv}) = g @ ((x @ wv) * reshape(weights(x, q, wk), {all}, 1))
def logits({x}, {g}, {q}, {wk}, {wv}, {wo}) = context(x, g, q, wk, wv) @ wo

# The loss: minus the mean log-probability of the labels.
def shifted({z}) = z - row_max(z)
def log_softmax({z}) = shifted(z) - log(row_sum(exp(shifted(z))))
def cross_entropy({z}, {y}) = -(1.0 / {sequences}) * col_sum(row_sum(y * log_softmax(z)))
let loss = cross_entropy(logits(x, g, q, wk, wv, wo), y)
"""

_GRADIENTS = """\
# The backward pass. d_a is the gradient of the loss by a; each function starts from the data again.
def softmax({z}) = exp(shifted(z)) / row_sum(exp(shifted(z)))
def d_logits({data}, {parameters}) = (softmax(logits(x, g, q, wk, wv, wo)) - y) / {sequences}
def d_context({data}, {parameters}) = transpose(g) @ (d_logits(x, g, y, q, wk, wv, wo) @ transpose(wo))
def d_weights({data}, {parameters}) = \
reshape(row_sum(d_context(x, g, y, q, wk, wv, wo) * (x @ wv)), {sequences}, {tokens})
def attention_back({a}, {d_a}) = a * (d_a - row_sum(a * d_a))
def d_scores({data}, {parameters}) = \
reshape(attention_back(weights(x, q, wk), d_weights(x, g, y, q, wk, wv, wo)), {all}, 1)
def d_q({data}, {parameters}) = transpose(d_scores(x, g, y, q, wk, wv, wo)) @ (x @ wk) / {root}
def d_wk({data}, {parameters}) = transpose(x) @ (d_scores(x, g, y, q, wk, wv, wo) @ q) / {root}
def d_wv({data}, {parameters}) = \
transpose(x) @ (d_context(x, g, y, q, wk, wv, wo) * reshape(weights(x, q, wk), {all}, 1))
def d_wo({data}, {parameters}) = transpose(context(x, g, q, wk, wv)) @ d_logits(x, g, y, q, wk, wv, wo)
"""


def value(sequences: int = 24, width: int = 3) -> str:
    """The program that prints the loss."""
    return f"{_inputs(sequences, width)}\n{_MODEL.format_map(_sizes(sequences, width))}\nprint loss\n"


def hand_derived(sequences: int = 24, width: int = 3) -> str:
    """The program that prints the loss and the gradients of q, wk, wv and wo."""
    gradients = _GRADIENTS.format_map(_sizes(sequences, width))
    prints = "".join(f"print d_{name}(x, g, y, q, wk, wv, wo)\n" for name in PARAMETERS)
    return f"{value(sequences, width)}\n{gradients}\n{prints}"


def _sizes(sequences: int, width: int) -> Mapping[str, object]:
    """What the templates leave open: the sizes, and the parameters of functions with their types."""
    every = sequences * TOKENS
    shapes = {
        "x": (every, VOCABULARY), "g": (sequences, every), "y": (sequences, CLASSES),
        "q": (1, width), "wk": (VOCABULARY, width), "wv": (VOCABULARY, width), "wo": (width, CLASSES),
        "s": (sequences, TOKENS), "a": (sequences, TOKENS), "d_a": (sequences, TOKENS), "z": (sequences, CLASSES),
    }  # fmt: skip
    typed = {name: f"{name}: tensor[{rows}x{columns}]" for name, (rows, columns) in shapes.items()}
    return typed | {
        "data": ", ".join(typed[name] for name in ("x", "g", "y")),
        "parameters": ", ".join(typed[name] for name in PARAMETERS),
        "sequences": sequences, "tokens": TOKENS, "all": every, "root": sqrt(width),
    }  # fmt: skip


def _inputs(sequences: int, width: int) -> str:
    drawn = draws(3)
    tokens = np.array([int(VOCABULARY * draw) for draw in islice(drawn, sequences * TOKENS)]).reshape(-1, TOKENS)
    labels = [next(token for token in ORDER if token in sequence) for sequence in tokens]
    drawn = draws(1)
    data = {
        "x": one_hot(tokens.ravel(), VOCABULARY),
        "g": np.kron(np.eye(sequences), np.ones((1, TOKENS))),
        "y": one_hot(labels, CLASSES),
    }
    parameters = {
        "q": weights(drawn, 1, width, 0.5),
        "wk": weights(drawn, VOCABULARY, width, 0.5),
        "wv": weights(drawn, VOCABULARY, width, 0.5),
        "wo": weights(drawn, width, CLASSES, 0.5),
    }
    return f"""\
# An attention classifier: {sequences} sequences of {TOKENS} tokens, width {width}.
# x: tokens, one-hot, sequence after sequence. g: sums the rows of each sequence. y: labels, one-hot.
{bound(data)}

{bound(parameters)}
"""
