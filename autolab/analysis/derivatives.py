"""A function of one number with its derivatives: curves, values at a point, and the graphs, as plain data.

How the graph grows from one order of differentiation to the next, and how much of it is shared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine import Savable, Variable, a_kind, check_whole
from ..engine.undisturbed import quietly
from ..recording import record
from ..recording.model import Recording
from ..recording.orders import MAX_ORDER
from ..shared.numerals import round_up
from .curves import HIGHEST, Curves, only, sampled
from .formulas import NO_FORMULAS, Formulas, read_formulas
from .ladder import Ladder


@dataclass(frozen=True)
class Growth:
    """The size of the graph of one order.

    ``steps`` counts the steps computed for this order, ``reused`` the values of lower orders that it uses. ``unshared``
    is the number of steps from the input to the result if every use of a value computed it again: the size of the
    formula written out in full.

    Examples
    --------
    >>> import autolab
    >>> from autolab.analysis import growth
    >>> (numbers,) = growth(autolab.record(lambda x: x * x * x, 2.0))
    >>> numbers.order, numbers.steps, numbers.reused
    (0, 2, 0)
    """

    order: int
    name: str
    steps: int
    reused: int
    unshared: int


def growth(recording: Recording) -> tuple[Growth, ...]:
    """The sizes of the graphs of a recording and of its derivatives, by order.

    Examples
    --------
    >>> import autolab
    >>> from autolab.analysis import growth
    >>> found = growth(autolab.record(lambda x: x * x * x, 2.0, options={"order": 1}))
    >>> [(g.steps, g.reused) for g in found]
    [(2, 0), (6, 1)]
    """
    sizes: dict[int, int] = {}
    found = []
    for graph in (recording, *recording.higher):
        for step in graph.steps:
            if step.kind in ("call", "part"):
                operands = sum([sizes[use.step] for use in step.operands if use.step is not None])
                sizes[step.id] = (step.kind == "call") + operands
            else:
                sizes.setdefault(step.id, 0)  # a reused value has the size that it has in the order that computed it
        steps = sum([step.kind == "call" and step.order == graph.order for step in graph.steps])
        reused = sum([step.kind == "reference" for step in graph.steps])
        names = [step.name or "" for step in graph.steps if step.id in graph.outputs]
        name = graph.function if graph.order else names[0] or "f"
        found.append(Growth(graph.order, name, steps, reused, sum([sizes[i] for i in graph.outputs])))
    return tuple(found)


_BESIDE = 1e-3
CALLER = "derivatives"
_STEPS = (1, 2, 4, 5)  # round numbers for the ends of a domain


@dataclass(frozen=True, eq=False)
class Derivatives(Savable):
    """A function of one number and its derivatives up to an order, at a point and as curves over a domain.

    ``values`` are f, f' ... at ``x``; NaN where they are undefined. ``recording`` holds their graphs; None where ``fn``
    raises. ``formulas`` hold on the whole domain, also those of higher orders.

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
    formulas: Formulas = NO_FORMULAS

    def taylor(self, x: Any, order: int | None = None) -> Any:
        """Evaluate the Taylor polynomial about the point at ``x``.

        Parameters
        ----------
        x : float or array
        order : int, optional
            The degree, by default and at most the order of the derivatives; 1 is the tangent.

        Examples
        --------
        >>> from autolab.analysis import Study
        >>> found = Study(lambda x: x ** 3, 1.0, order=2).data
        >>> found.taylor(2.0, 1), found.taylor(2.0)
        (4.0, 7.0)
        """
        chosen = self.values[: (self.order if order is None else order) + 1]
        with np.errstate(all="ignore"):
            return sum([value * (x - self.x) ** k / math.factorial(k) for k, value in enumerate(chosen)])

    def up_to(self, order: int) -> Derivatives:
        """A copy with the derivatives up to ``order`` only."""
        curves = replace(self.curves, y=self.curves.y[: order + 1])
        return replace(self, order=order, values=self.values[: order + 1], curves=curves)

    def to_json(self) -> dict[str, Any]:
        """The data as dictionaries, lists, strings and numbers; None replaces numbers that are not finite."""
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

    def __str__(self) -> str:
        return str(self._repr_mimebundle_()["text/plain"])


def finite_or_none(values: Any) -> list[float | None]:
    """Numbers for JSON: NaN and infinities become None."""
    return [float(v) if math.isfinite(v) else None for v in values]


class Study:
    """A function of one number under study: it computes the `Derivatives` at any point of the domain.

    Parameters
    ----------
    fn : callable
        Takes a Variable that holds one number and returns another.
    x : float
        The point; None for the middle of the domain. An increasing sequence of numbers sets the domain instead.
    order : int
        The highest derivative, from 0 to 10; of more than 4, graphs and most formulas end at 4.
    domain : tuple of two floats, optional
        The interval over which the curves are drawn. By default, the interesting range of the functions that ``fn``
        applies to ``x`` directly, or else an interval around 0.
    curves : bool
        Whether to compute the curves; otherwise only the values at the point are computed.

    Attributes
    ----------
    fn : callable
    data : Derivatives
        The derivatives at the current point.
    most : int
        The highest order that can be chosen.
    has_curves : bool
        Whether the curves were computed.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or value, or ``fn`` does not return a number.

    Examples
    --------
    >>> from autolab.analysis import Study
    >>> study = Study(lambda x: x**2, 1.0, order=1)
    >>> [float(value) for value in study.move(3.0).values]
    [9.0, 6.0]
    """

    def __init__(
        self,
        fn: Callable[[Variable], Any],
        x: Any,
        order: int = 2,
        domain: tuple[float, float] | None = None,
        curves: bool = True,
    ) -> None:
        if not callable(fn):
            raise TypeError(
                f"{CALLER}: fn is {a_kind(fn)}; expected a function of a Variable; write {CALLER}(f, x=...)"
            )
        self.fn, self._name = fn, getattr(fn, "__name__", type(fn).__name__)
        at, domain = _place(x.data if isinstance(x, Variable) else x, domain)
        order = check_whole(CALLER, "order", order, 0, HIGHEST)
        values, near = Ladder(CALLER, fn, order).begin(at)  # an error at the point itself is raised
        self._domain = _domain(at, domain, near)
        self.has_curves = curves
        self._curves = sampled(CALLER, fn, at, order, self._domain) if curves else only(at, values, self._domain)
        self.most = len(self._curves.y) - 1
        self._formulas = self._read(at) if curves else NO_FORMULAS
        self.data = self.look(at, order) if curves else self._derivatives(at, values, None, ())

    def move(self, x: Any) -> Derivatives:
        """Move to another point of the domain; ``data`` is updated."""
        self.data = self.look(_finite("x", x), self.data.order)
        return self.data

    def choose(self, order: int) -> Derivatives:
        """Choose another highest order; ``data`` is updated."""
        self.data = self.look(self.data.x, check_whole(CALLER, "order", order, 0, HIGHEST))
        return self.data

    def look(self, x: float, order: int) -> Derivatives:
        """The derivatives at a point, which is clipped to the domain; ``data`` does not change."""
        x = min(max(x, self._domain[0]), self._domain[1])
        values = Ladder(CALLER, self.fn, order).at(np.array([x]))[:, 0]
        recording = _recorded(self.fn, x, order) if np.isfinite(values[0]) or self.error_at(x) is None else None
        found = growth(recording) if recording else ()
        return self._derivatives(x, values, recording, found)

    def holds(self, x: float) -> bool:
        """Whether the curves around ``x`` are still those of the function."""
        return self._curves.hold(Ladder(CALLER, self.fn, 0), x)

    def samples(self, most: int) -> list[Derivatives]:
        """The derivatives of all orders at up to ``most`` points of the curves.

        They are read from the curves, so they have no graphs. Breaks and points very near to them are left out.
        """
        if not self.has_curves:
            return []
        low, high = self._domain
        broken = [np.abs(self._curves.x - found.x) <= _BESIDE * (high - low) for found in self._curves.breaks]
        places = np.where(np.any(broken, axis=0), np.inf, self._curves.x) if broken else self._curves.x
        wished = np.linspace(low, high, most)
        nearest = np.unique(np.abs(places[:, None] - wished).argmin(axis=0))
        return [self._derivatives(float(places[i]), self._curves.y[:, i], None, ()) for i in nearest]

    def _derivatives(
        self, x: float, values: np.ndarray, recording: Recording | None, found: tuple[Growth, ...]
    ) -> Derivatives:
        held = self._curves if self.has_curves else only(x, values, self._domain)
        curves = replace(held, y=held.y[: len(values)])
        known = tuple([float(value) for value in values])
        order = len(values) - 1
        return Derivatives(self._name, x, order, self._domain, known, curves, recording, found, self._formulas)

    def _read(self, at: float) -> Formulas:
        """The formulas, read near the point; none if ``fn`` cannot be recorded."""
        xs, rows = self._curves.x, self._curves.y
        usual = np.isfinite(rows).all(axis=0) & (xs != 0)  # a formula read at 0 may hold only there
        if not usual.any():
            return NO_FORMULAS
        x = float(xs[usual][np.abs(xs[usual] - at).argmin()])
        try:
            return read_formulas(lambda: _recorded(self.fn, x, self.most), self._curves)
        except Exception:  # ``fn`` may raise anything there, although it did not elsewhere
            return NO_FORMULAS

    def error_at(self, x: float) -> Exception | None:
        """What ``fn`` raises at a point (its values say only that it is undefined there); None if it returns."""
        try:
            Ladder(CALLER, self.fn, 0).exactly(x)
        except Exception as error:
            return error
        return None


def _recorded(fn: Callable[[Variable], Any], x: float, order: int) -> Recording:
    """The graphs up to an order, `MAX_ORDER`, or the highest one at which ``fn`` can still be differentiated."""
    with quietly():
        for highest in range(min(order, MAX_ORDER), 0, -1):
            try:
                return record(fn, x, options={"order": highest})
            except RuntimeError:  # raised by a function that cannot be differentiated once more
                continue
        return record(fn, x)


def _domain(x: float, given: Any, near: tuple[float, float] | None) -> tuple[float, float]:
    """The given domain, or else one around the interesting range of the function, or a symmetric one."""
    if given is not None:
        return _checked_domain(given, x)
    if not math.isfinite(10 * x):
        raise ValueError(f"{CALLER}: x is {x:g}, too large for curves around it; expected it with domain=(low, high)")
    end, least = round_up(max(2 * abs(x), 4.0), _STEPS), round_up(abs(x), _STEPS)
    low, high = near or (-end, end)
    return min(low, -least if x < 0 else x), max(high, least if x > 0 else x)


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


def _place(x: Any, domain: Any) -> tuple[float, Any]:
    """The point and the domain. An increasing sequence is a domain; without ``x`` the point is in its middle."""
    if x is None:
        middle = float(_numbers((0.0, 1.0) if domain is None else domain).sum() / 2)
        return middle if math.isfinite(middle) else 0.5, domain
    numbers = _numbers(x)
    if domain is None and numbers.ndim == 1 and numbers.size > 1 and np.all(np.diff(numbers) > 0):
        return _finite("x", (numbers[0] + numbers[-1]) / 2), (numbers[0], numbers[-1])
    return _finite("x", x), domain


def _numbers(value: Any) -> Any:
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        return np.empty(0)


def _finite(name: str, value: Any) -> float:
    array = _numbers(value)
    if array.size != 1 or isinstance(value, bool | str) or not math.isfinite(array.item()):
        curve = "; the ends of the curves are domain=(low, high)" if array.size > 1 else ""
        raise TypeError(f"{CALLER}: {name} is {value!r:.80}; expected one finite number{curve}")
    return float(array.item())
