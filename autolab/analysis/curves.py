"""The curves of a function of one number and its derivatives: samples, and the gaps between them.

Where curves break: jumps, poles, holes, the ends of where a function is defined, and where its numbers become too
large for floats, found by bisection.

Between two samples, bisection follows the half with the larger change. The change of a smooth function shrinks with the
interval; at a jump it stays the same, at a pole it grows. The change of a curve that is all rounding does not shrink
either, but there the values on one side alone differ as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..engine import Variable
from ..recording.orders import MAX_ORDER
from ..transforms.tracing import agree
from .ladder import Ladder

Kind = Literal["jump", "pole", "hole", "edge", "overflow"]
_STRONGEST: tuple[Kind, ...] = ("pole", "overflow", "jump", "hole", "edge")
At = Callable[[np.ndarray], np.ndarray]

_ROUNDS = 36
_HALF = _ROUNDS // 2
_AWAY = 3.0 ** -np.array([7, 9, *range(11, 23)])
"""How far beside a place one looks, in cells. The first three tell a jump, where the sides keep their distance, from a
hole; the third and later ones tell how much is rounding."""
_EXCEEDS, _TOWERS, _ROUNDED = 2.0, 64.0, 64 * np.finfo(float).eps
_OVERFLOWS = 1e250
_STAYS, _GROWS, _SWELLS = 0.7, 4.0, 1.5
_VISIBLE = 1e-3
"""A jump smaller than this fraction of the curve's height counts as noise."""
_SUSPECT = 3.0
_SAME = 1e-9


@dataclass(frozen=True)
class Break:
    """A place where the curve of an order, and so of all higher orders, has a gap.

    At a ``jump`` the two sides end at different heights, at a ``hole`` at the same; at a ``pole`` a side goes to
    infinity; at an ``edge`` the function is undefined on one side; beyond an ``overflow``, to the end of the domain,
    its numbers are too large for floats, as those of ``exp`` are from 709.78 on.

    Examples
    --------
    >>> from autolab.analysis import Study
    >>> (gap,) = Study(lambda x: 1 / x, 1.0, order=1, domain=(-2.0, 2.0)).data.curves.breaks
    >>> gap.kind, gap.order, round(abs(gap.x), 6)
    ('pole', 0, 0.0)
    """

    x: float
    order: int
    kind: Kind


@dataclass(eq=False)
class _Lanes:
    """Shrinking intervals, one per suspicious pair of samples: ends, values there, and the change halfway. Then, of
    the lane's own order: the values on both sides of the place, ``_AWAY`` from it, and how much of them is rounding."""

    order: np.ndarray
    a: np.ndarray
    b: np.ndarray
    at_a: np.ndarray
    at_b: np.ndarray
    halfway: np.ndarray
    sides: np.ndarray
    rounding: np.ndarray

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The values of the lane's own order at both ends."""
        lanes = np.arange(len(self.order))
        return self.at_a[self.order, lanes], self.at_b[self.order, lanes]


def find_breaks(at: At, xs: np.ndarray, ys: np.ndarray, most: int) -> tuple[list[Break], np.ndarray, np.ndarray]:
    """Find the breaks between samples; also returns points closer and closer to them, with the values there.

    Parameters
    ----------
    at : callable
        Returns the values of all orders at points.
    xs, ys : array
        Samples: shapes (n,) and (orders, n).
    most : int
        The maximum number of pairs of samples to examine per order.
    """
    lanes = _suspects(xs, ys, most)
    looked: list[np.ndarray] = []
    values: list[np.ndarray] = []
    for turn in range(_ROUNDS):
        middle = (lanes.a + lanes.b) / 2
        found = at(middle) if len(middle) else np.empty((len(ys), 0))
        looked.append(middle)
        values.append(found)
        _shrink(lanes, middle, found)
        if turn == _HALF:
            lanes.halfway = _change(*lanes.ends)
    if len(lanes.order):
        _look_beside(at, lanes, xs)
    ended = [_classified(lanes, lane, ys) for lane in range(len(lanes.order))]
    at_break = np.array([end is not None for end in ended], bool)
    breaks = _merged([end for end in ended if end is not None], xs, ys[-1])
    near = np.array(looked)[:, at_break].reshape(-1)
    beside = np.array(values)[:, :, at_break].transpose(1, 0, 2).reshape(len(ys), -1)
    holes = np.array([one.x for one in breaks if one.kind == "hole"])
    apart = (np.abs(near[:, None] - holes) > (xs[1] - xs[0]) / 4).all(axis=1)  # nearer, terms that cancel are rounded
    return breaks, near[apart], beside[:, apart]


def _suspects(xs: np.ndarray, ys: np.ndarray, most: int) -> _Lanes:
    picked = []
    for order, y in enumerate(ys):
        change = _change(y[:-1], y[1:])
        around = np.maximum(change, np.maximum(np.append(change[1:], 0), np.append(0, change[:-1])))
        finite = around[np.isfinite(around)]
        usual = np.median(finite) if finite.size else 0.0
        worst = np.argsort(-around, kind="stable")[:most]
        picked += [(order, cell) for cell in worst if around[cell] > _SUSPECT * usual]
    orders, cells = np.array(picked, int).reshape(-1, 2).T
    left, right = xs[cells], xs[cells + 1]
    sides, (halfway, rounding) = np.zeros((len(cells), 2, len(_AWAY))), np.zeros((2, len(cells)))
    return _Lanes(orders, left, right, ys[:, cells], ys[:, cells + 1], halfway, sides, rounding)


@np.errstate(invalid="ignore", over="ignore")
def _change(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """How much two ends differ; infinite if only one of them is defined."""
    known, other = np.isfinite(y), np.isfinite(z)
    return np.where(known & other, np.abs(z - y), np.where(known | other, np.inf, -1.0))


def _shrink(lanes: _Lanes, middle: np.ndarray, found: np.ndarray) -> None:
    """Keep the half of each interval with the larger change."""
    here = found[lanes.order, np.arange(len(middle))]
    left, right = lanes.ends
    goes_left = _change(left, here) >= _change(here, right)
    lanes.b = np.where(goes_left, middle, lanes.b)
    lanes.at_b = np.where(goes_left, found, lanes.at_b)
    lanes.a = np.where(goes_left, lanes.a, middle)
    lanes.at_a = np.where(goes_left, lanes.at_a, found)


@np.errstate(all="ignore")
def _look_beside(at: At, lanes: _Lanes, xs: np.ndarray) -> None:
    """Fill in the values on both sides, which are NaN outside the domain, and by how much they wander to and fro."""
    away = (xs[1] - xs[0]) * _AWAY[:, None]
    places = np.stack([lanes.a - away, lanes.b + away])
    found = at(np.clip(places, xs[0], xs[-1]).reshape(-1)).reshape(-1, *places.shape)
    found[:, (places < xs[0]) | (places > xs[-1])] = np.nan
    lanes.sides = found[lanes.order, :, :, np.arange(len(lanes.order))]
    near = lanes.sides[:, :, 2:]
    to_and_fro = np.abs(np.diff(near)).sum(axis=2) - np.ptp(near, axis=2)  # 0 if they rise or fall all the way
    above = lanes.order - np.arange(len(found))[:, None]
    terms = np.abs(lanes.at_a) * (10 / (xs[-1] - xs[0])) ** np.maximum(above, 0)
    terms[(above < 0) | ~np.isfinite(terms)] = 0.0
    lanes.rounding = np.where(np.isfinite(to_and_fro), to_and_fro, 0.0).sum(axis=1) + _ROUNDED * terms.max(axis=0)


def _classified(lanes: _Lanes, lane: int, ys: np.ndarray) -> tuple[Break, int] | None:
    """The break at which a lane ended, and on which side numbers overflow there: 1 right, -1 left, 0 neither; None if
    the curve is smooth there."""
    order = int(lanes.order[lane])
    left, right = lanes.at_a[order, lane], lanes.at_b[order, lane]
    change = float(_change(left, right))
    if not change > max(_VISIBLE * _height(ys[order]), _EXCEEDS * lanes.rounding[lane]):
        return None
    x = float((lanes.a[lane] + lanes.b[lane]) / 2)
    high = max([abs(end) for end in (left, right) if np.isfinite(end)], default=0.0)
    towers = high > _TOWERS * lanes.rounding[lane]
    swollen = [k for k in range(order + 1) if towers and _is_swollen(lanes, lane, k, ys[k])]
    ratio = change / lanes.halfway[lane] if 0 < lanes.halfway[lane] < np.inf else np.inf
    overflows = (1 if np.isfinite(left) else -1) if np.isinf(change) and high > _OVERFLOWS else 0
    if swollen and (np.isinf(change) or ratio > _STAYS):
        return Break(x, swollen[0], "pole"), overflows
    if np.isinf(change):
        kind = _undefined(lanes.sides[lane, :, :3])
        return (Break(x, order, kind), overflows) if kind else None
    return (Break(x, order, "pole" if ratio > _GROWS else "jump"), 0) if ratio > _STAYS else None


def _undefined(sides: np.ndarray) -> Kind | None:
    """The kind of a place where a curve is undefined; None if it is defined nowhere else."""
    defined = np.isfinite(sides).all(axis=1)
    if not defined.all():
        return "edge" if defined.any() else None
    gaps = np.abs(sides[1] - sides[0])
    return "jump" if gaps.min() > max(_STAYS * gaps.max(), _SAME * np.abs(sides).max()) else "hole"


def _is_swollen(lanes: _Lanes, lane: int, order: int, y: np.ndarray) -> bool:
    """Whether the curve of an order is far higher where a lane ended than anywhere else.

    One sample is ignored: it may lie next to the pole by chance.
    """
    sizes = [abs(end[order, lane]) for end in (lanes.at_a, lanes.at_b) if np.isfinite(end[order, lane])]
    samples = np.sort(np.abs(y[np.isfinite(y)]))
    return bool(max(sizes, default=0.0) / _SWELLS > (samples[-2] if samples.size > 1 else 0.0))


def _height(y: np.ndarray) -> float:
    """The height of a curve without its extremes, or with them if the rest is flat."""
    finite = y[np.isfinite(y)]
    if not finite.size:
        return 0.0
    low, high = np.quantile(finite, (0.02, 0.98))
    return float(high - low) or float(finite.max() - finite.min())


def _merged(found: list[tuple[Break, int]], xs: np.ndarray, highest: np.ndarray) -> list[Break]:
    """One break per place, that of the lowest order. Numbers may overflow before a place is reached."""
    groups: list[list[tuple[Break, int]]] = []
    for item in sorted(found, key=lambda item: item[0].x):
        if groups and _is_same(groups[-1], item, xs, highest):
            groups[-1].append(item)
        else:
            groups.append([item])
    return [_one(group) for group in groups]


def _is_same(group: list[tuple[Break, int]], item: tuple[Break, int], xs: np.ndarray, highest: np.ndarray) -> bool:
    last, x = group[-1][0].x, item[0].x
    if x - group[0][0].x <= _SAME * (xs[-1] - xs[0]):
        return True
    return bool(group[-1][1] or item[1]) and not np.isfinite(highest[(xs > last) & (xs < x)]).any()


def _one(group: list[tuple[Break, int]]) -> Break:
    """The break that the orders have in common. Numbers that overflow towards a place from both sides have a pole
    between; those that do so on one side only are too large for floats from there on."""
    order = min(found.order for found, _ in group)
    exact = [found.x for found, overflows in group if not overflows]
    kinds = {found.kind for found, _ in group if found.order == order}
    if not exact and "pole" in kinds and len({overflows for _, overflows in group}) == 1:
        return Break(next(found.x for found, _ in group if found.order == order), order, "overflow")
    x = exact[0] if exact else (group[0][0].x + group[-1][0].x) / 2
    return Break(x, order, next(kind for kind in _STRONGEST if kind in kinds))


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
