"""The curves of a function of one number and its derivatives: samples, and the gaps between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine import Variable
from ..recording.orders import MAX_ORDER
from ..transforms.tracing import agree
from .breaks import Break, find_breaks
from .ladder import Ladder

Function = Callable[[Variable], Any]

HIGHEST = 10
"""The highest order of curves and numbers. Graphs and formulas, which grow with each order, end at `MAX_ORDER`."""

_SAMPLES, _MOST = 601, 48
_FEW_SAMPLES, _FEW_MOST = 161, 6
"""For functions whose points must be computed one at a time."""

_NARROW = 1e-12


@dataclass(frozen=True, eq=False)
class Curves:
    """f, f', f'' ... over an interval.

    ``x`` has shape (n,) and is increasing; ``y`` has shape (orders, n), with NaN where a curve has a gap; ``breaks``
    says where these are and why. Each of ``kinks`` is a pair of a place and an order: there, the curve of that order is
    continuous, but its slope jumps. ``together`` is whether ``fn`` was given all points as one array, ``raised`` what
    it raised at some of them. ``sampled`` is False as long as only one point is known.

    Examples
    --------
    >>> from autolab.analysis import Study
    >>> curves = Study(abs, 1.0, order=1, domain=(-2.0, 2.0)).data.curves
    >>> curves.y.shape == (2, curves.x.size)
    True
    >>> [(round(abs(x), 6), order) for x, order in curves.kinks]
    [(0.0, 0)]
    """

    x: np.ndarray
    y: np.ndarray
    breaks: tuple[Break, ...]
    kinks: tuple[tuple[float, int], ...]
    together: bool
    raised: str | None
    sampled: bool = True

    def hold(self, ladder: Ladder, x: float) -> bool:
        """Whether ``fn`` still has the same value at the sample nearest to ``x``: something it depends on may have
        changed.

        Functions that differ in every call, such as random ones, are not checked.
        """
        known = np.flatnonzero(np.isfinite(self.y[0]))
        if not known.size:
            return True
        near, now = known[np.abs(self.x[known] - x).argmin()], self.y[:1].copy()
        now[0, near] = ladder.alone(self.x[near])[0]
        if agree(now, self.y[:1]):
            return True
        return not np.array_equal(now[0, near], ladder.alone(self.x[near])[0], equal_nan=True)


def only(x: float, values: np.ndarray, domain: tuple[float, float]) -> Curves:
    """Curves of which only one point is known."""
    y = np.full((len(values), 3), np.nan)
    y[:, 1] = np.where(np.isfinite(values), values, np.nan)
    return Curves(np.array([domain[0], x, domain[1]]), y, (), (), True, None, sampled=False)


def sampled(caller: str, fn: Function, at: float, order: int, domain: tuple[float, float]) -> Curves:
    """The curves of all orders that can be shown; one more order is computed to find the kinks of the last one."""
    return _looked_at(_highest(caller, fn, at, order), order, domain)


def quickly(ladder: Ladder, domain: tuple[float, float], smooth: bool) -> Curves:
    """The orders of a ladder, fast enough for a picture that follows a drag.

    Breaks are searched for unless the function is known to be ``smooth`` everywhere or its points must be computed one
    at a time.
    """
    x = np.linspace(*domain, _FEW_SAMPLES)
    y = ladder.at(x)
    if ladder.together and not smooth:
        return _looked_at(ladder, ladder.order, domain)
    y[~np.isfinite(y)] = np.nan
    return Curves(x, y, (), (), ladder.together, ladder.raised)


def _looked_at(ladder: Ladder, order: int, domain: tuple[float, float]) -> Curves:
    """The orders of a ladder, with their breaks; the kinks of the last one only if the ladder has a higher order."""
    x = np.linspace(*domain, _FEW_SAMPLES)
    y = ladder.at(x)
    if ladder.together:
        x = np.linspace(*domain, _SAMPLES)
        y = ladder.at(x)
    breaks, more, found = find_breaks(ladder.at, x, y, _MOST if ladder.together else _FEW_MOST)
    x, first = np.unique(np.concatenate([x, more]), return_index=True)
    x, y = _with_gaps(x, np.concatenate([y, found], axis=1)[:, first], breaks)
    y[~np.isfinite(y)] = np.nan
    shown = max(order, min(MAX_ORDER, ladder.order))
    digits = 11 - math.floor(math.log10(domain[1] - domain[0]))
    breaks = [replace(one, x=round(one.x, digits) + 0.0) for one in breaks]
    kinks = tuple([(one.x, one.order - 1) for one in breaks if one.kind == "jump" and 0 < one.order <= shown + 1])
    return Curves(
        x, y[: shown + 1], tuple([b for b in breaks if b.order <= shown]), kinks, ladder.together, ladder.raised
    )


def _highest(caller: str, fn: Function, at: float, order: int) -> Ladder:
    """The highest ladder that ``fn`` allows: some functions can be differentiated only once."""
    for highest in range(max(MAX_ORDER, order) + 1, order, -1):
        ladder = Ladder(caller, fn, highest)
        try:
            ladder.exactly(at)
        except Exception:  # then the next lower order is tried
            continue
        return ladder
    return Ladder(caller, fn, order)


def _with_gaps(x: np.ndarray, y: np.ndarray, breaks: list[Break]) -> tuple[np.ndarray, np.ndarray]:
    """The samples with NaN at every break, in its order and all higher ones; lower orders have no gap there."""
    places = np.array([found.x for found in breaks])
    between = np.array([np.interp(places, x, row) for row in y]).reshape(len(y), len(places))
    for column, found in enumerate(breaks):
        between[found.order :, column] = np.nan
    where = np.searchsorted(x, places)
    for found in breaks:  # the value at the break itself belongs to neither side
        y[found.order :, np.abs(x - found.x) <= _NARROW * (x[-1] - x[0])] = np.nan
    return np.insert(x, where, places), np.insert(y, where, between, axis=1)
