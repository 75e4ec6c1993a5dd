"""Large inputs: random directions through all elements find that something is wrong, bisection finds where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .numeric import SMOOTH, Gauge
from .point import Direction

MARGIN = 10.0
"""How many times the estimated error a disagreement must be to count."""

KNOWN = 1e-2
"""What is known to this fraction of its size counts as measured."""


@dataclass(frozen=True, eq=False)
class Claim:
    """The analytic gradient of one input, flat, with its noise; ``root_eps`` is the relative error that is always
    forgiven."""

    input: int
    analytic: np.ndarray
    noise: np.ndarray
    root_eps: float


def search(gauge: Gauge, claim: Claim, rng: np.random.Generator, probes: int = 4) -> tuple[np.ndarray, bool]:
    """An element of one input that random directions accuse, if they do, and whether they could be measured at all."""
    everything = slice(0, claim.analytic.size)
    conclusive = True
    for _ in range(probes):
        signs = rng.choice((-1.0, 1.0), claim.analytic.size)
        disagrees = _disagrees(gauge, claim, signs, everything)
        if disagrees:
            wrong = partial(_disagrees, gauge, claim, signs, quick=True)
            return np.array([bisect(wrong, everything)]), conclusive
        conclusive &= disagrees is not None
    return np.array([], int), conclusive


def bisect(disagrees: Callable[[slice], bool | None], within: slice) -> int:
    """An element within those that disagree together, if a part that disagrees is known by itself."""
    first, end = within.start, within.stop
    while end - first > 1:
        middle = (first + end) // 2
        first, end = (first, middle) if disagrees(slice(first, middle)) else (middle, end)
    return int(first)


def _disagrees(gauge: Gauge, claim: Claim, signs: np.ndarray, index: slice, quick: bool = False) -> bool | None:
    """Whether the slope along some elements is another than the gradient says; None if that cannot be told."""
    step = signs[index] * gauge.point.scales[claim.input][index]
    found = gauge.slopes([Direction(claim.input, index, step)], quick=quick)
    parts = claim.analytic[index] * step
    size = float(np.sqrt(np.sum(parts**2)))
    jitter = float(np.sum(claim.noise[index] * np.abs(step)))
    tolerance = MARGIN * (found.error[0] + jitter) + claim.root_eps * size
    distance = abs(float(parts.sum()) - found.value[0])
    if found.kind[0] != SMOOTH or not np.isfinite(distance):
        return None
    if distance > tolerance:
        return True
    return False if tolerance <= KNOWN * max(size, float(found.reach[0])) else None
