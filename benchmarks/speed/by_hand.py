"""The workloads as one would write them with NumPy alone: each returns (value, pullback)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray
Pulled = tuple[Array, Callable[[Array], tuple[Array, ...]]]


def chain(turns: int, constants: Sequence[Any], leaves: Sequence[Array]) -> Pulled:
    """The operands a and b are leaves, which get gradients, or plain numbers, which do not."""
    operands: list[Any] = [*leaves, *constants]
    h, a, b = operands
    differentiate_all = len(leaves) == 3
    saved = []
    for _ in range(turns):
        t = np.tanh(h * a + b)
        e = np.exp(t)
        saved.append((h, t, e))
        h = e

    def pullback(g: Array) -> tuple[Array, ...]:
        ga = gb = np.zeros_like(g)
        for x, t, e in reversed(saved):
            g = g * e
            g = g - g * (t * t)
            if differentiate_all:
                ga = ga + g * x
                gb = gb + g
            g = g * a
        return (g, ga, gb) if differentiate_all else (g,)

    return h, pullback


def muladd(constants: Sequence[Array], leaves: Sequence[Array]) -> Pulled:
    x, y, z = leaves
    w = x * y
    w += z
    return w, lambda g: (g * y, g * x, g)


def linear(constants: Sequence[Array], leaves: Sequence[Array]) -> Pulled:
    x, w, b = leaves
    y = x @ w
    y += b
    return y, lambda g: (g @ w.T, x.T @ g, g.sum(axis=0))


def tiny_net(constants: Sequence[Array], leaves: Sequence[Array]) -> Pulled:
    x, t = constants
    w1, b1, w2, b2 = leaves
    h = np.tanh(x @ w1 + b1)
    d = h @ w2 + b2 - t

    def pullback(g: Array) -> tuple[Array, ...]:
        gd = g * (d + d)
        gh = gd @ w2.T
        gh -= gh * (h * h)
        return x.T @ gh, gh.sum(axis=0), h.T @ gd, gd.sum(axis=0)

    return (d * d).sum(), pullback


def mlp(constants: Sequence[Array], leaves: Sequence[Array]) -> Pulled:
    x, target = constants
    w1, b1, w2, b2, w3, b3 = leaves
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.tanh(h1 @ w2 + b2)
    z = h2 @ w3 + b3
    e = np.exp(z)
    s = e.sum(axis=1, keepdims=True)
    loss = ((z - np.log(s)) * target).sum()

    def pullback(g: Array) -> tuple[Array, ...]:
        gz = g * target
        gz -= e * (gz.sum(axis=1, keepdims=True) / s)
        g2 = gz @ w3.T
        g2 -= g2 * (h2 * h2)
        g1 = g2 @ w2.T
        g1 -= g1 * (h1 * h1)
        return x.T @ g1, g1.sum(axis=0), h1.T @ g2, g2.sum(axis=0), h2.T @ gz, gz.sum(axis=0)

    return loss, pullback
