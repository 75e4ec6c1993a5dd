"""A function of one number and its derivatives at many points, all at once if the function allows it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from weakref import proxy

import numpy as np

from ..engine import Primitive, Variable, a_kind, get_array_module, grad, using_config, wrap
from ..engine.observe import ForwardEvent, observe
from ..engine.undisturbed import quietly
from ..transforms.forward_mode import Tape
from ..transforms.gradients import made_by_elementwise
from ..transforms.taylor_series import coefficients
from ..transforms.tracing import BatchEvaluator, agree

_PROBES = 5
_NESTED = 5
"""Up to this order gradients of gradients take about as long as Taylor coefficients, or less, as for normalizations."""


class Ladder:
    """f, f', f'' ... up to an order.

    Whether ``fn`` works elementwise is tested, at every order and for each array: the results must equal those of
    several single points and, where the function could be traced, those of the traced program. Otherwise every point is
    computed separately. After the first array, one point suffices if only AutoLab's elementwise functions made the
    result.

    Attributes
    ----------
    together : bool
        Whether points are computed together.
    raised : str or None
        What ``fn`` raised at some of the points, which count as undefined.
    others : sequence of arrays
        Further arguments of ``fn``. When they change, traced programs remain valid.
    """

    def __init__(self, caller: str, fn: Callable[..., Any], order: int, others: Sequence[np.ndarray] = ()) -> None:
        self.order = order
        self.together = True
        self.raised: str | None = None
        self.others = others
        self._caller, self._fn = caller, fn
        self._tried = False
        self._is_known = False  # whether the last array was computed by elementwise functions alone
        self._rng = np.random.default_rng(0)
        me = proxy(self)  # avoids a reference cycle
        self._evaluator = BatchEvaluator(lambda x, *others: me._traced(order, x, *others), lambda x: me.alone(x))
        self._lowest = BatchEvaluator(lambda x, *others: me._traced(0, x, *others), lambda x: me.alone(x)[:1])

    def exactly(self, x: float) -> np.ndarray:
        """The values of all orders at one point; exceptions that ``fn`` raises propagate."""
        return self._climb(_point(x)).reshape(-1)

    def at(self, xs: np.ndarray) -> np.ndarray:
        """The values of all orders at all points: shape (order + 1, len(xs)); NaN where ``fn`` raises."""
        found = self._whole(xs) if self.together else None
        self.together = found is not None and self._is_right(xs, found)
        if found is not None and self.together:
            return found
        values = self._evaluator.at(xs, self.others)
        return self._each(xs) if values is None else _defined(values.T)

    def _is_right(self, xs: np.ndarray, found: np.ndarray) -> bool:
        """Whether points computed together have the same values as each of them alone."""
        probes = self._probes(found)
        if not agree(found[:, probes], self._each(xs[probes])):
            return False
        evaluator = self._lowest if self._is_known else self._evaluator
        values, left = evaluator.by_programs(xs, self.others)
        if values is None:
            return evaluator.refusal is None
        done = np.setdiff1d(np.arange(len(xs)), left)
        return agree(found[: values.shape[1], done], _defined(values[done].T))

    def _probes(self, found: np.ndarray) -> np.ndarray:
        """The indices of the points to compute alone: evenly spaced, random, and those with extreme values."""
        count = found.shape[1]
        if self._tried and self._is_known:
            return np.array([count // 3])  # not the middle, where a point may equal the mean
        self._tried = True
        size = np.where(np.isfinite(found), np.abs(found), np.nan)
        known = size[~np.isnan(size).all(axis=1)]
        extreme = [np.nanargmax(known, axis=1), np.nanargmin(known, axis=1)]
        even = np.linspace(0, count - 1, _PROBES).astype(int)
        return np.unique(np.concatenate([even, self._rng.integers(count, size=_PROBES), *extreme]))

    def begin(self, x: float) -> tuple[np.ndarray, tuple[float, float] | None]:
        """`exactly`, and the interesting range of the functions that take the input directly; None if it is unknown."""
        own, events = _point(x), list[Any]()
        values = self._climb(own, lambda: observe(events.append)).reshape(-1)
        steps = [event for event in events if isinstance(event, ForwardEvent) and isinstance(event.function, Primitive)]
        direct = [step for step in steps if any([value is own for value in step.inputs])]
        domains = [step.function.domain for step in direct if step.function.domain]
        low, high = max([d[0] for d in domains], default=0.0), min([d[1] for d in domains], default=0.0)
        return values, (float(low), float(high)) if low < high else None

    def _whole(self, xs: np.ndarray) -> np.ndarray | None:
        try:
            return self._climb(_point(xs))
        except Exception:  # a function written for one number may fail in any way on an array
            return None

    def _each(self, xs: np.ndarray) -> np.ndarray:
        return np.stack([self.alone(x) for x in xs], axis=1)

    def alone(self, x: Any) -> np.ndarray:
        """`exactly`; NaN where ``fn`` raises."""
        try:
            return self.exactly(x)
        except Exception as error:
            self.raised = f"{type(error).__name__}: {error}"
            return np.full(self.order + 1, np.nan)

    def _traced(self, order: int, x: Any, *others: Any) -> list[Any]:
        """All orders up to ``order`` at a traced number."""
        rows: list[Any] = [np.zeros(())] * (order + 1)
        self._fill(rows, Variable(x, name="x"), others, nullcontext)
        return rows

    def _climb(self, x: Variable, listening: Callable[[], AbstractContextManager[Any]] = nullcontext) -> np.ndarray:
        """All orders; ``listening`` is active while ``fn`` itself runs."""
        rows = np.zeros((self.order + 1, *x.shape))
        self._fill(rows, x, self.others, listening)
        return _defined(rows)

    def _fill(
        self, rows: Any, x: Variable, others: Sequence[Any], listening: Callable[[], AbstractContextManager[Any]]
    ) -> None:
        """Fill in the orders, high ones from the Taylor coefficients if every step of ``fn`` has some."""
        highest = len(rows) - 1
        tape = Tape() if highest > _NESTED else None
        with using_config("enable_backprop", True), quietly():
            with listening(), nullcontext() if tape is None else tape:
                y = self._checked(self._fn(x, *others), x)
            if x.ndim:
                self._is_known = made_by_elementwise(y)
            found = None if tape is None else _by_coefficients(tape, y, x, highest)
            for order, slope in enumerate(_slopes(y, x, highest) if found is None else found):
                rows[order] = slope

    def _checked(self, y: Any, x: Variable) -> Variable:
        name = getattr(self._fn, "__name__", type(self._fn).__name__)
        if not isinstance(y, Variable):
            raise TypeError(f"{self._caller}: {name:.60} returned {a_kind(y)}; expected a Variable")
        if y.shape != x.shape:
            raise ValueError(
                f"{self._caller}: {name:.60} returned shape {y.shape} for a number; expected a number. For functions "
                "of arrays there are show_jacobian and show_hessian"
            )
        return y


def _by_coefficients(tape: Tape, y: Variable, x: Variable, highest: int) -> list[Any] | None:
    """The orders from the Taylor coefficients; None if a step has none."""
    ones = wrap(get_array_module(x._data).ones(x.shape, x.dtype), None)
    try:
        found = coefficients(tape, [x], [ones], [y], highest)
    except RuntimeError:  # of a function that can be differentiated only once
        return None
    return None if found is None else [c * math.factorial(order) for order, c in enumerate(found[0])]


def _slopes(y: Variable, x: Variable, highest: int) -> Iterator[Any]:
    """The orders one after the other, by gradients of gradients; those that are zero everywhere are left out."""
    yield y.data
    for order in range(1, highest + 1):
        ones = get_array_module(y._data).ones(y.shape, y.dtype)
        (slope,) = grad([y], [x], [ones], order < highest) if y.node is not None else (None,)
        if slope is None:
            return
        y = slope
        yield y.data


def _point(x: Any) -> Variable:
    return Variable(np.array(x, np.float64), name="x")


def _defined(rows: np.ndarray) -> np.ndarray:
    """The orders with NaN wherever a lower order is undefined, whatever a rule computes there."""
    undefined = np.logical_or.accumulate(~np.isfinite(rows), axis=0)
    rows[1:][undefined[:-1]] = np.nan
    return rows
