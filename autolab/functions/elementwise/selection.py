"""Functions that select between values, elementwise. The gradient goes to the selected value."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, numpy_protocol
from ...engine.calls import Call
from ...engine.declare import elementwise, primitive


@elementwise(numpy=np.maximum)
def maximum(xp: Any, a: Array, b: Array) -> Array:
    """The larger of two values, elementwise with broadcasting; NaN where either is NaN.

    Where both are equal, each gets half of the gradient.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.maximum(Variable([3.0, 1.0]), 2.0)
    variable([3. 2.])
    """
    return xp.maximum(a, b)


@elementwise(numpy=np.minimum)
def minimum(xp: Any, a: Array, b: Array) -> Array:
    """The smaller of two values, elementwise with broadcasting; NaN where either is NaN.

    Where both are equal, each gets half of the gradient.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.minimum(Variable([1.0, 5.0]), 2.0)
    variable([1. 2.])
    """
    return xp.minimum(a, b)


@maximum.vjp("a")
@minimum.vjp("b")
def _where_a_is_greater(g: Any, a: Any, b: Any) -> Any:
    """g * (1 if a > b else 0.5 if a == b else 0)"""
    return g * _above(a, b)


@maximum.vjp("b")
@minimum.vjp("a")
def _where_b_is_greater(g: Any, a: Any, b: Any) -> Any:
    """g * (1 if b > a else 0.5 if a == b else 0)"""
    return g * _above(b, a)


@elementwise(a=lambda g, a, b: g * above_or_alone(a, b), b=lambda g, a, b: g * above_or_alone(b, a), numpy=np.fmax)
def fmax(xp: Any, a: Array, b: Array) -> Array:
    """The larger of two values, elementwise with broadcasting; where one is NaN, the other.

    Where both are equal, each gets half of the gradient; where both are NaN, none.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.fmax(Variable([1.0, float("nan")]), 2.0)
    variable([2. 2.])
    """
    return xp.fmax(a, b)


@elementwise(a=lambda g, a, b: g * below_or_alone(a, b), b=lambda g, a, b: g * below_or_alone(b, a), numpy=np.fmin)
def fmin(xp: Any, a: Array, b: Array) -> Array:
    """The smaller of two values, elementwise with broadcasting; where one is NaN, the other.

    Where both are equal, each gets half of the gradient; where both are NaN, none.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.fmin(Variable([1.0, float("nan")]), 2.0)
    variable([1. 2.])
    """
    return xp.fmin(a, b)


@elementwise()
def above_or_alone(xp: Any, a: Array, b: Array) -> Array:
    """1 where ``a`` is larger or only ``b`` is NaN, 0.5 where both are equal, else 0. Constant, so it has no rules."""
    alone = xp.logical_and(a == a, b != b)
    return xp.where(alone, 1, ((a > b).astype(xp.result_type(a, b)) + (a >= b)) / 2)


@elementwise()
def below_or_alone(xp: Any, a: Array, b: Array) -> Array:
    """1 where ``a`` is smaller or only ``b`` is NaN, 0.5 where both are equal, else 0. Constant, so it has no rules."""
    alone = xp.logical_and(a == a, b != b)
    return xp.where(alone, 1, ((a < b).astype(xp.result_type(a, b)) + (a <= b)) / 2)


@elementwise(x=lambda g, x: where_finite(g, x), numpy=np.nan_to_num)
def nan_to_num(
    xp: Any, x: Array, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Replace NaN and infinities by finite numbers, elementwise. The gradient is 0 there.

    Parameters
    ----------
    x : Variable or array
    nan : float
        Replaces NaN.
    posinf, neginf : float, optional
        Replace the infinities; by default the largest and the most negative finite number of the dtype.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.nan_to_num(Variable([1.0, float("nan"), float("inf")]), posinf=9.0)
    variable([1. 0. 9.])
    """
    for name, value in {"nan": nan, "posinf": posinf, "neginf": neginf}.items():
        if not isinstance(value, int | float | np.number) and (value is not None or name == "nan"):
            raise TypeError(f"nan_to_num: {name} is {value!r:.60}; expected a number")
    if x.dtype.kind != "f":
        return x.copy()
    most = xp.finfo(x.dtype).max
    above, below = most if posinf is None else posinf, -most if neginf is None else neginf
    return xp.where(x != x, nan, xp.where(x > most, above, xp.where(x < -most, below, x)))


@elementwise(g=lambda g, x: where_finite(g, x))
def where_finite(xp: Any, g: Array, x: Array) -> Array:
    """``g`` where ``x`` is finite, else 0."""
    return xp.where(xp.isfinite(x), g, 0)


@elementwise()
def _above(xp: Any, a: Array, b: Array) -> Array:
    """1 where ``a`` is larger, 0.5 where both are equal, else 0. Constant, so it has no rules."""
    return ((a > b).astype(xp.result_type(a, b)) + (a >= b)) / 2


@elementwise(a=lambda g, condition: where(condition, g, 0), b=lambda g, condition: where(condition, 0, g))
def where(xp: Any, condition: Array, a: Array, b: Array) -> Array:
    """``a`` where the condition holds, ``b`` elsewhere; all three broadcast.

    Both branches are computed first, so an infinite or NaN gradient in the branch that was not chosen still gives NaN
    (0 times infinity). Select the input instead: ``log(where(x > 0, x, 1))``.

    Parameters
    ----------
    condition : array of booleans
        For example ``x > 0``. It has no gradient.
    a, b : Variable, array or number

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([2.0, -1.0])
    >>> F.where(x > 0, x, 10 * x)
    variable([  2. -10.])
    """
    return xp.where(condition, a, b)


@elementwise(numpy=np.clip)
def clip(xp: Any, a: Array, a_min: Array | None = None, a_max: Array | None = None) -> Array:
    """Limit ``a`` to the interval from ``a_min`` to ``a_max``, elementwise with broadcasting; either bound may be None.

    The gradient goes to ``a`` inside the interval and on its bounds, and outside to the bound that replaced it. Where
    ``a_min`` is above ``a_max``, the result is ``a_max``, as in NumPy.

    Raises
    ------
    ValueError
        If neither bound is given.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.clip(Variable([-2.0, 0.5, 2.0]), 0.0, 1.0)
    variable([0.  0.5 1. ])
    """
    if a_min is None and a_max is None:
        raise ValueError("neither a_min nor a_max is given")
    return xp.clip(a, a_min, a_max)


@clip.vjp("a")
def _clip_a(g: Any, a: Any, a_min: Any, a_max: Any) -> Any:
    """g * (a_min <= a <= a_max)"""
    return g * _inside(a, a_min, a_max)


@clip.vjp("a_min")
def _clip_a_min(g: Any, a: Any, a_min: Any, a_max: Any) -> Any:
    """g * (a < a_min <= a_max)"""
    return g * _below(a, a_min, a_max)


@clip.vjp("a_max")
def _clip_a_max(g: Any, a: Any, a_min: Any, a_max: Any) -> Any:
    """g * (maximum(a, a_min) > a_max)"""
    return g * _beyond(a, a_min, a_max)


@elementwise()
def _inside(xp: Any, x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    """1 where `clip` selects ``x``, else 0. Constant, so it has no rules; neither do the next two."""
    taken = True if low is None else x >= low
    return _as_dtype_of(taken if high is None else taken & (x <= high), x)


@elementwise()
def _below(xp: Any, x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    """1 where `clip` selects ``low``, else 0."""
    taken = x < low
    return _as_dtype_of(taken if high is None else taken & (low <= high), x)


@elementwise()
def _beyond(xp: Any, x: Array, low: Array | None = None, high: Array | None = None) -> Array:
    """1 where `clip` selects ``high``, else 0."""
    return _as_dtype_of((x if low is None else xp.maximum(x, low)) > high, x)


def _as_dtype_of(truth: Array, like: Array) -> Array:
    return truth.astype(like.dtype)


@numpy_protocol.adapt(np.where)
def _where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None or y is None:
        return np.where(numpy_protocol.unwrap(condition))  # the indices where it holds
    return where(condition, x, y)


@clip.spelling
def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Call:
    return (a, min if a_min is None else a_min, max if a_max is None else a_max), {}


@primitive(x=lambda g: g)
def with_values(xp: Any, x: Array, values: Array) -> Array:
    """``values`` in the place of those of ``x``, to which the gradient is passed on unchanged.

    ``x`` plus the difference would have the same gradient, but lose the digits that cancel.
    """
    return values.astype(x.dtype, copy=False)
