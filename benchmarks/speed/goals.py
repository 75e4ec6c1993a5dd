"""The numbers to reach: AutoLab's share of another library's time in one run, or a figure of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from speed.rows import OURS

CHAIN = {"torch": 0.5, "dezero": 0.2, "chainer": 0.05, "autograd": 0.25, "mygrad": 0.35}
GOALS: dict[str, dict[str, float]] = {
    "chain, arrays": CHAIN,
    "chain, numbers": {"torch": 0.5},
    "tiny net": {"torch": 0.25},
    "MLP": {"torch": 0.8, "chainer": 0.55, "numpy": 1.1},
    "MulAdd composed": {"torch": 0.7},
    "MulAdd as one function": {"torch": 0.65},
    "Linear": {"numpy": 1.05},
    "tanh, order 4": {"torch": 0.65},
    "gradcheck, Linear": {"torch": 0.35},
    "gradcheck, a user's Linear": {"torch": 0.35},
    "MLP epoch": {"torch": 0.7, "chainer": 0.55},
    "convnet step": {"torch": 1.4},
    "attention block": {"torch": 1.0},
    "GRU": {"torch": 1.0},
    "deep chain: peak": {OURS: 28.5},  # "28 arrays" to the whole array
    "deep chain: growth": {OURS: 0.5},
    "deep chain: cyclic garbage": {OURS: 0},
    "long chain: time per time of a tenth": {OURS: 12},
    "long chain: free": {OURS: 1},
    "long chain: cyclic garbage": {OURS: 0},
    "first gradient of a cold interpreter": {OURS: 150},
}


def verdicts(row: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Return {name: (reached, goal)} for the goals of a row; a library that is not in the row has none."""
    found = {}
    for name, goal in GOALS.get(row["title"], {}).items():
        cell = row["cells"].get(name)
        if cell is not None:
            found[name] = (cell["median"] if name == OURS else cell["ratio"], goal)
    return found
