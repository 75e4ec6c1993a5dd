"""`softmax` and its logarithm."""

from __future__ import annotations

from typing import Any

from ...engine.backend import Array, get_array_module, numpys
from ...engine.declare import primitive
from ..elementwise.exponentials import exp, expm1
from ..reductions.extrema import max
from ..reductions.norms import log_total, logsumexp
from ..reductions.reduce import sum
from ..working_precision import in_single, real

_SHORT = 32
"""Up to this length of rows, bringing a matrix into the order of its columns is worth it."""


@primitive()
@real
def softmax(xp: Any, x: Array, *, axis: int = -1) -> Array:
    """``exp(x)`` divided by its sum along an axis, without overflow: positive numbers that sum to 1.

    Parameters
    ----------
    x : Variable or array
    axis : int

    Raises
    ------
    ValueError
        If ``x`` does not have the axis.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.softmax(Variable([0.0, 1000.0, 1000.0]))
    variable([0.  0.5 0.5])
    """
    e = xp.exp(below_zero(x, axis))
    return e / e.sum(axis=_along(x, axis), keepdims=True)


@softmax.vjp("x")
@in_single
def _softmax_x(g: Any, y: Any, axis: int) -> Any:
    """y * (g - sum(g * y, axis=axis))"""
    beside = _beside_leader(g, y, axis=axis)
    return y * (beside - sum(beside * y, axis=_along(y, axis), keepdims=True))


@primitive(x=lambda g: g)
def _beside_leader(xp: Any, x: Array, y: Array, *, axis: int) -> Array:
    """``x`` less its element where ``y``, a softmax, is above a half.

    The gradient of softmax does not change if all upstream gradients do by the same number. This one makes it exact to
    all digits where one share is almost 1.
    """
    return x - xp.where(y > 0.5, x, 0).sum(axis=_along(y, axis), keepdims=True)


@softmax.composite
def _softmax(x: Any, axis: int) -> Any:
    powers = exp(x - max(x, axis=axis, keepdims=True))
    return powers / sum(powers, axis=axis, keepdims=True)


@primitive()
@real
def log_softmax(xp: Any, x: Array, *, axis: int = -1) -> Array:
    """The logarithm of `softmax`, finite also where that one is too small for a number.

    Parameters
    ----------
    x : Variable or array
    axis : int

    Raises
    ------
    ValueError
        If ``x`` does not have the axis.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.log_softmax(Variable([0.0, 1000.0]))
    variable([-1000.     0.])
    """
    below = below_zero(x, axis)
    return below - log_total(xp, below, _along(x, axis), True) if x.size else below


@log_softmax.vjp("x")
@in_single
def _log_softmax_x(g: Any, y: Any, axis: int) -> Any:
    """g - exp(y) * sum(g, axis=axis)"""
    others = sum(g, axis=_along(y, axis), keepdims=True) - g
    return -(g * expm1(y)) - exp(y) * others  # 1 - exp(y) has no digits where one share is almost 1


@log_softmax.composite
def _log_softmax(x: Any, axis: int) -> Any:
    return x - logsumexp(x, axis=axis, keepdims=True)


def below_zero(x: Array, axis: int) -> Array:
    """``x`` moved along the axis so that its largest element is 0, where exp cannot overflow."""
    return x - x.max(axis=_along(x, axis), keepdims=True) if x.size else x


def _along(x: Any, axis: int) -> int | None:
    """The axis; None for the first and last one of a number, which NumPy lets pass and CuPy does not know."""
    return None if axis in (0, -1) and not x.ndim else axis


def by_columns(x: Array) -> Array:
    """A matrix with short rows, column after column in memory: NumPy then sums the rows several times faster.

    Else it would begin a loop of its own for every row.
    """
    short = type(x) in numpys and x.ndim == 2 and x.shape[1] <= _SHORT
    return get_array_module(x).asfortranarray(x) if short else x
