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
"""Up to this row length, copying a matrix to column-major order pays off."""


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

    The gradient of softmax does not change if the same number is subtracted from all upstream gradients. Subtracting
    this one makes it accurate to all digits where one probability is almost 1.
    """
    return x - xp.where(y > 0.5, x, 0).sum(axis=_along(y, axis), keepdims=True)


@softmax.composite
def _softmax(x: Any, axis: int) -> Any:
    powers = exp(x - max(x, axis=axis, keepdims=True))
    return powers / sum(powers, axis=axis, keepdims=True)


@primitive()
@real
def log_softmax(xp: Any, x: Array, *, axis: int = -1) -> Array:
    """Logarithm of `softmax`, finite even where the softmax underflows.

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
    return -(g * expm1(y)) - exp(y) * others  # 1 - exp(y) would lose all digits where exp(y) is almost 1


@log_softmax.composite
def _log_softmax(x: Any, axis: int) -> Any:
    return x - logsumexp(x, axis=axis, keepdims=True)


def below_zero(x: Array, axis: int) -> Array:
    """``x`` less its maximum along the axis, so that exp cannot overflow."""
    return x - x.max(axis=_along(x, axis), keepdims=True) if x.size else x


def _along(x: Any, axis: int) -> int | None:
    """The axis; None for axis 0 or -1 of a 0-d array, which NumPy accepts and CuPy does not."""
    return None if axis in (0, -1) and not x.ndim else axis


def by_columns(x: Array) -> Array:
    """A matrix with short rows in column-major order: NumPy then sums the rows several times faster.

    Otherwise it would start an inner loop for each row.
    """
    short = type(x) in numpys and x.ndim == 2 and x.shape[1] <= _SHORT
    return get_array_module(x).asfortranarray(x) if short else x
