"""Functions that the tests look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable


def muladd(x: Variable, y: Variable, z: Variable) -> Variable:
    h = x * y
    w = h + z
    return w


def layer(x: Variable, W: Variable, b: Variable) -> Variable:
    a = x @ W
    h = np.tanh(a + b)
    loss = (h * h).sum()
    return loss


def picky(x: Variable, y: Variable) -> Variable:
    if x.data < 0:
        raise ValueError(f"x must not be negative, got {x.data}")
    w = x * y
    return w


def branching(x: Variable) -> Variable:
    """Its graph depends on the sign of x."""
    if x.data > 0:
        w = x * x
    else:
        h = np.exp(x)
        w = h + 1
    return w


def twenty(x: Variable, y: Variable) -> Variable:
    """A graph of 20 nodes."""
    a = x * y
    for _ in range(8):
        a = np.tanh(a) + x
    w = a * y
    return w


LAYER: dict[str, Any] = {
    "x": np.array([[1.0, -2.0, 0.5], [0.25, 1.5, -1.0]]),
    "W": np.array([[0.5, -0.25, 1.0, 0.0], [1.5, 0.75, -0.5, 0.25], [-1.0, 0.125, 0.5, 2.0]]),
    "b": np.array([0.1, -0.2, 0.3, -0.4]),
}


def damaging(x):
    """Changes a value in place that backward needs, where x is negative."""
    h = x * 2
    y = h * h
    if x.item() < 0:
        h.data[...] = 0
    return y
