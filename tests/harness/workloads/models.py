"""The workloads' losses in plain NumPy, and their gradients by complex steps: independent of any backward pass.

The step is 1e-30 along the imaginary axis, so nothing cancels, and a gradient is as exact as its loss.
"""

import json
import re

import numpy as np

STEP = 1e-30


def literals(text):
    """The matrices that a program's `let`s bind, by name."""
    return {
        name: np.array(json.loads(matrix), float)
        for name, matrix in re.findall(r"^let (\w+) = (\[\[.*\]\])$", text, re.M)
    }


def complex_step(loss, inputs, name):
    """The gradient of `loss(**inputs)` by one of the inputs."""
    gradient = np.empty_like(inputs[name])
    for index in np.ndindex(gradient.shape):
        moved = inputs[name].astype(complex)
        moved[index] += 1j * STEP
        gradient[index] = loss(**inputs | {name: moved}).imag / STEP
    return gradient


def descent(loss, inputs, names, rate, steps):
    """The losses before the first step of gradient descent and after each."""
    losses = [loss(**inputs)]
    for _ in range(steps):
        gradients = {name: complex_step(loss, inputs, name) for name in names}
        inputs = inputs | {name: inputs[name] - rate * gradients[name] for name in names}
        losses.append(loss(**inputs))
    return losses


def attention(x, g, y, q, wk, wv, wo):
    count = len(y)
    keys = (x @ wk).reshape(count, 4, -1)
    mixed = softmax(keys @ q[0] / np.sqrt(q.shape[1]))
    context = np.einsum("bt,btd->bd", mixed, (x @ wv).reshape(count, 4, -1))
    return cross_entropy(context @ wo, y) / count


def layernorm(h, d):
    return np.sum(d * normal(h))


def transformer(x, ps, mk, y, e, g1, n1, wq, wk, wv, wo, g2, n2, w1, c1, w2, c2, gf, nf, wu, mr=None):
    x0 = x @ e + ps
    u1 = normal(x0) * g1 + n1
    mixed = softmax((u1 @ wq) @ (u1 @ wk).T / np.sqrt(wq.shape[1]) + mk)
    x1 = x0 + mixed @ (u1 @ wv) @ wo
    inner = (normal(x1) * g2 + n2) @ w1 + c1
    x2 = x1 + np.where(inner.real > 0, inner, 0) @ w2 + c2
    return cross_entropy((normal(x2) * gf + nf) @ wu, y) / y.sum()


def softmax(s):
    powers = np.exp(s - s.real.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def cross_entropy(z, y):
    z = z - z.real.max(axis=1, keepdims=True)
    return (y * (np.log(np.exp(z).sum(axis=1, keepdims=True)) - z)).sum()


def normal(h):
    centred = h - h.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
