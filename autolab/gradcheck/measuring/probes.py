"""Large inputs: random directions through all elements detect that something is wrong, bisection finds where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .gauge import Gauge
from .numeric_slopes import SMOOTH
from .point import Direction

MARGIN = 10.0
"""How many times the estimated error a disagreement must be to count."""

KNOWN = 1e-2
"""A slope known to within this fraction of its size counts as measured."""


@dataclass(frozen=True, eq=False)
class Claim:
    """The analytic gradient of one input, flat, with its noise; ``root_eps`` is the relative error that is always
    tolerated."""

    input: int
    analytic: np.ndarray
    noise: np.ndarray
    root_eps: float


@dataclass(frozen=True, eq=False)
class Search:
    """The result of random directions through all elements of an input.

    ``halves`` are the ever smaller parts that disagree, from all elements to a single one; empty if they agree.
    ``conclusive`` says whether the directions could be measured at all. The defaults are those of an input that needs
    none, as all its elements are measured.
    """

    halves: tuple[slice, ...] = ()
    conclusive: bool = True

    @property
    def suspects(self) -> np.ndarray:
        """The element that fails, if one does."""
        return np.array([part.start for part in self.halves[-1:]], int)


def search(gauge: Gauge, claim: Claim, rng: np.random.Generator, probes: int = 4) -> Search:
    """Look along random directions for an error in the gradient of one input, and where it is."""
    everything = slice(0, claim.analytic.size)
    conclusive = True
    for _ in range(probes):
        signs = rng.choice((-1.0, 1.0), claim.analytic.size)
        disagrees = _disagrees(gauge, claim, signs, everything)
        if disagrees:
            wrong = partial(_disagrees, gauge, claim, signs, quick=True)
            return Search(tuple(halved(wrong, everything)), conclusive)
        conclusive &= disagrees is not None
    return Search(conclusive=conclusive)


def halved(disagrees: Callable[[slice], bool | None], within: slice) -> list[slice]:
    """Bisect ``within``, which disagrees, down to a single element. Returns all the parts, largest first."""
    parts = [slice(int(within.start), int(within.stop))]
    while parts[-1].stop - parts[-1].start > 1:
        first, end = parts[-1].start, parts[-1].stop
        middle = (first + end) // 2
        parts.append(slice(first, middle) if disagrees(slice(first, middle)) else slice(middle, end))
    return parts


def _disagrees(gauge: Gauge, claim: Claim, signs: np.ndarray, index: slice, quick: bool = False) -> bool | None:
    """Whether the slope along some elements differs from that of the gradient; None if undecided."""
    step = signs[index] * gauge.point.scales[claim.input][index]
    found = gauge.slopes([Direction(claim.input, index, step)], quick=quick)
    parts = claim.analytic[index] * step
    size = float(np.sqrt(np.sum(parts**2)))
    jitter = float(np.sum(claim.noise[index] * np.abs(step)))
    tolerance = MARGIN * (found.error[0] + jitter) + claim.root_eps * size
    distance = abs(float(parts.sum()) - found.value[0])
    if found.kind[0] != SMOOTH or not np.isfinite(distance):
        return None
    if distance > max(tolerance, gauge.grain if found.value[0] == found.error[0] == 0 else 0.0):
        return True
    return False if tolerance <= KNOWN * max(size, float(found.reach[0])) else None
