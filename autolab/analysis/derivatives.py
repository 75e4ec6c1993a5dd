"""A function of one number with its derivatives: curves, values at a point, and the graphs, as plain data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine.variable import Variable
from ..recording import record
from ..recording.model import Recording
from ..recording.orders import MAX_ORDER
from .breaks import Break, find_breaks
from .growth import Growth, growth
from .ladder import Ladder

_SAMPLES, _MOST = 601, 48
_FEW_SAMPLES, _FEW_MOST = 161, 6
"""For functions of which every point has to be computed on its own."""

_NARROW, _BESIDE = 1e-12, 1e-3
CALLER = "derivatives"


@dataclass(frozen=True, eq=False)
class Curves:
    """f, f', f'' ... over a stretch of the axis.

    ``x`` has shape (n,) and grows; ``y`` has shape (orders, n), with NaN where a curve has a gap. ``breaks`` say where
    and why. At each of ``kinks``, a place and an order, the curve of that order is continuous and its slope jumps.
    ``together`` says whether ``fn`` was given all points as one array; ``raised`` what it raised at some of them.

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


@dataclass(frozen=True, eq=False)
class Derivatives:
    """A function of one number, its derivatives up to an order, and a point at which they are looked at.

    ``values`` are those of f, f' ... at ``x``; NaN where they are undefined. ``recording`` holds the graphs; where
    ``fn`` raises there are none.

    Examples
    --------
    >>> from autolab.analysis import Study
    >>> found = Study(lambda x: x**3, 2.0, order=2).data
    >>> [float(value) for value in found.values]
    [8.0, 12.0, 12.0]
    """

    function: str
    x: float
    order: int
    domain: tuple[float, float]
    values: tuple[float, ...]
    curves: Curves
    recording: Recording | None
    growth: tuple[Growth, ...]

    def taylor(self, x: Any, order: int | None = None) -> Any:
        """The Taylor polynomial about the point, at ``x``.

        Parameters
        ----------
        x : float or array
        order : int, optional
            Its degree, at most that of the derivatives; 1 gives the tangent.

        Examples
        --------
        >>> import autolab
        >>> found = Study(lambda x: x ** 3, 1.0, order=2).data
        >>> found.taylor(2.0, 1), found.taylor(2.0)
        (4.0, 7.0)
        """
        chosen = self.values[: (self.order if order is None else order) + 1]
        with np.errstate(all="ignore"):
            return sum([value * (x - self.x) ** k / math.factorial(k) for k, value in enumerate(chosen)])

    def up_to(self, order: int) -> Derivatives:
        """The same with fewer derivatives."""
        curves = replace(self.curves, y=self.curves.y[: order + 1])
        return replace(self, order=order, values=self.values[: order + 1], curves=curves)

    def to_json(self) -> dict[str, Any]:
        """Dictionaries, lists, strings and numbers; None for what is not a finite number."""
        curves = self.curves
        return {
            "function": self.function,
            "x": self.x,
            "order": self.order,
            "domain": list(self.domain),
            "values": finite_or_none(self.values),
            "curves": {"x": curves.x.tolist(), "y": [finite_or_none(y) for y in curves.y]},
            "breaks": [vars(found) for found in curves.breaks],
            "kinks": [{"x": x, "order": order} for x, order in curves.kinks],
            "growth": [vars(found) for found in self.growth],
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        from ..display import mimebundle

        return mimebundle(self)


def finite_or_none(values: Any) -> list[float | None]:
    """Numbers as JSON has them."""
    return [float(v) if math.isfinite(v) else None for v in values]


class Study:
    """A function that is looked at: it computes `Derivatives` where the point is moved to.

    Parameters
    ----------
    fn : callable
        Takes a Variable of one number, returns one.
    x : float
        The point.
    order : int
        Up to which derivative, at most 4.
    domain : tuple of two floats, optional
        Where the curves are drawn; by default where the functions in ``fn`` are worth looking at, or about 0.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it should be, or ``fn`` does not return a number.

    Attributes
    ----------
    fn : callable
    data : Derivatives
        What there is to see at the present point.
    most : int
        The highest order that can be chosen.

    Examples
    --------
    >>> from autolab.analysis import Study
    >>> study = Study(lambda x: x**2, 1.0, order=1)
    >>> [float(value) for value in study.move(3.0).values]
    [9.0, 6.0]
    """

    def __init__(
        self, fn: Callable[[Variable], Any], x: Any, order: int = 2, domain: tuple[float, float] | None = None
    ) -> None:
        if not callable(fn):
            raise TypeError(f"{CALLER}: fn is a {type(fn).__name__}; expected a function of a Variable")
        self.fn, self._name = fn, getattr(fn, "__name__", type(fn).__name__)
        at = _number("x", x.data if isinstance(x, Variable) else x)
        order = _checked_order(order)
        Ladder(CALLER, fn, order).exactly(at)  # what is wrong at the point itself is the user's to know
        stretch = _domain(fn, at, domain)
        self._curves = _curves(fn, at, order, stretch)
        self.most = len(self._curves.y) - 1
        self._domain = stretch
        self.data = self.look(at, order)

    def move(self, x: Any) -> Derivatives:
        """Look at another point of the domain; it becomes ``data``."""
        self.data = self.look(_number("x", x), self.data.order)
        return self.data

    def choose(self, order: int) -> Derivatives:
        """Go up to another order; the result becomes ``data``."""
        self.data = self.look(self.data.x, _checked_order(order))
        return self.data

    def look(self, x: float, order: int) -> Derivatives:
        """What there is to see at a point, or at the end of the domain next to it; ``data`` stays as it is."""
        x = min(max(x, self._domain[0]), self._domain[1])
        values = Ladder(CALLER, self.fn, order).at(np.array([x]))[:, 0]
        recording = _recorded(self.fn, x, order) if np.isfinite(values[0]) or self._returns(x) else None
        found = growth(recording) if recording else ()
        return self._derivatives(x, values, recording, found)

    def samples(self, most: int) -> list[Derivatives]:
        """What there is to see at up to ``most`` points of the curves, in all orders that can be chosen.

        Nothing is computed for that, so there are no graphs. Breaks are left out, and what is very near to them.
        """
        low, high = self._domain
        broken = [np.abs(self._curves.x - found.x) <= _BESIDE * (high - low) for found in self._curves.breaks]
        places = np.where(np.any(broken, axis=0), np.inf, self._curves.x) if broken else self._curves.x
        wished = np.linspace(low, high, most)
        nearest = np.unique(np.abs(places[:, None] - wished).argmin(axis=0))
        return [self._derivatives(float(places[i]), self._curves.y[:, i], None, ()) for i in nearest]

    def _derivatives(
        self, x: float, values: np.ndarray, recording: Recording | None, found: tuple[Growth, ...]
    ) -> Derivatives:
        curves = replace(self._curves, y=self._curves.y[: len(values)])
        known = tuple([float(value) for value in values])
        return Derivatives(self._name, x, len(values) - 1, self._domain, known, curves, recording, found)

    def _returns(self, x: float) -> bool:
        try:
            Ladder(CALLER, self.fn, 0).exactly(x)
        except Exception:  # the values say that the function is undefined there
            return False
        return True


def _curves(fn: Callable[[Variable], Any], at: float, order: int, domain: tuple[float, float]) -> Curves:
    """All orders that can be shown, and one more, which tells the kinks of the last."""
    ladder = _highest(fn, at, order)
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


def _recorded(fn: Callable[[Variable], Any], x: float, order: int) -> Recording:
    """The graphs up to an order; fewer where ``fn`` cannot be differentiated once more, which they show as well."""
    with np.errstate(all="ignore"):
        for highest in range(order, 0, -1):
            try:
                return record(fn, x, options={"order": highest})
            except RuntimeError:  # such a function says so itself when it is asked for one order more
                continue
        return record(fn, x)


def _highest(fn: Callable[[Variable], Any], at: float, order: int) -> Ladder:
    """The highest ladder that ``fn`` allows: some functions can be differentiated once only."""
    for highest in range(MAX_ORDER + 1, order, -1):
        ladder = Ladder(CALLER, fn, highest)
        try:
            ladder.exactly(at)
        except Exception:  # it is the next lower order that is asked then
            continue
        return ladder
    return Ladder(CALLER, fn, order)


def _with_gaps(x: np.ndarray, y: np.ndarray, breaks: list[Break]) -> tuple[np.ndarray, np.ndarray]:
    """The samples with NaN at every break, in its order and all higher ones; lower ones go on."""
    places = np.array([found.x for found in breaks])
    between = np.array([np.interp(places, x, row) for row in y]).reshape(len(y), len(places))
    for column, found in enumerate(breaks):
        between[found.order :, column] = np.nan
    where = np.searchsorted(x, places)
    for found in breaks:  # what stands at the place itself belongs to neither side
        y[found.order :, np.abs(x - found.x) <= _NARROW * (x[-1] - x[0])] = np.nan
    return np.insert(x, where, places), np.insert(y, where, between, axis=1)


def _domain(fn: Callable[[Variable], Any], x: float, given: Any) -> tuple[float, float]:
    if given is not None:
        return _checked_domain(given, x)
    end = round_up(max(2 * abs(x), 4.0))
    low, high = Ladder(CALLER, fn, 0).domain(x) or (-end, end)
    return min(low, -round_up(-x) if x < 0 else x), max(high, round_up(x) if x > 0 else x)


def round_up(size: float) -> float:
    """The next of 1, 2, 5, 10 ... times a power of ten, for a size above 0."""
    power = 10.0 ** math.floor(math.log10(size))
    return next(n * power for n in (1.0, 2.0, 4.0, 5.0, 10.0) if n * power >= size * (1 - 1e-12))


def _checked_domain(given: Any, x: float) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(high - low) and low < high):
        raise ValueError(f"{CALLER}: domain is {given!r:.80}; expected two finite numbers, the lower one first")
    if not low <= x <= high:
        raise ValueError(f"{CALLER}: x is {x:g}; expected a point of the domain, from {low:g} to {high:g}")
    return low, high


def _checked_order(order: Any) -> int:
    if isinstance(order, bool) or not isinstance(order, int) or not 0 <= order <= MAX_ORDER:
        raise ValueError(f"{CALLER}: order is {order!r:.60}; expected a whole number from 0 to {MAX_ORDER}")
    return order


def _number(name: str, value: Any) -> float:
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.size != 1 or isinstance(value, bool | str) or not math.isfinite(array.item()):
        raise TypeError(f"{CALLER}: {name} is {value!r:.80}; expected one finite number")
    return float(array.item())
