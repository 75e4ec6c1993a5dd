"""Activation functions of neural networks. Conventions at kinks stand in the docstrings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import elementwise, primitive
from .choose import clip
from .exponentials import expm1, sigmoid
from .math import exp
from .norms import log_total, logsumexp
from .order import max
from .precision import in_single, real
from .reduce import sum
from .special import density, normal

_FAR = 1000.0
"""Where sigmoid, the normal distribution and its density are 0 in every precision: 0 times infinity would be NaN."""

_SHORT = 32
"""Up to this length of rows, bringing a matrix into the order of its columns is worth it."""


@elementwise(domain=(-3, 3))
def relu(xp: Any, x: Array) -> Array:
    """The greater of ``x`` and 0, elementwise. Its gradient at 0 is 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.relu(Variable([-2.0, 0.0, 3.0]))
    variable([0. 0. 3.])
    """
    return xp.maximum(x, 0)


@relu.vjp("x")
def _relu_x(g: Any, y: Any) -> Any:
    """g * (y > 0)"""
    return g * _slope(y, below=0)


@elementwise(domain=(-3, 3))
def leaky_relu(xp: Any, x: Array, *, slope: float = 0.2) -> Array:
    """``x`` where it is positive, else ``slope * x``, elementwise. Its gradient at 0 is ``slope``.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.leaky_relu(Variable([-2.0, 0.0, 3.0]), slope=0.5)
    variable([-1.  0.  3.])
    """
    return xp.where(x > 0, x, slope * x)


@leaky_relu.vjp("x")
def _leaky_relu_x(g: Any, x: Any, slope: float) -> Any:
    """g * (1 if x > 0 else slope)"""
    return g * _slope(x, below=slope)


@elementwise()
def _slope(xp: Any, x: Array, *, below: float) -> Array:
    """1 where ``x`` is positive, else ``below``. Constant, so it has no rule."""
    positive = x > 0
    return positive.astype(x.dtype) if below == 0 else xp.where(positive, x.dtype.type(1), x.dtype.type(below))


@elementwise(domain=(-3, 3))
@real
def elu(xp: Any, x: Array, *, alpha: float = 1.0) -> Array:
    """``x`` where it is positive, else ``alpha * (exp(x) - 1)``, elementwise. Its gradient at 0 is ``alpha``.

    D. Clevert, T. Unterthiner, S. Hochreiter, "Fast and accurate deep network learning by exponential linear units",
    2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.elu(Variable([-1000.0, 0.0, 3.0]))
    variable([-1.  0.  3.])
    """
    return xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0)))


@elu.vjp("x")
def _elu_x(g: Any, x: Any, alpha: float) -> Any:
    """g * (1 if x > 0 else alpha * exp(x))"""
    return g * _elu_slope(x, alpha=alpha)


@elementwise(x=lambda g, x, y: g * (y - _slope(x, below=0)))
def _elu_slope(xp: Any, x: Array, *, alpha: float) -> Array:
    """The gradient of `elu`. Its own is the same below 0, and 0 above."""
    return xp.where(x > 0, 1, alpha * xp.exp(xp.minimum(x, 0)))


@elementwise(domain=(-4, 4))
@real
def gelu(xp: Any, x: Array) -> Array:
    """``x * Φ(x)`` with the normal distribution ``Φ``, elementwise: exact, not the approximation by tanh.

    D. Hendrycks, K. Gimpel, "Gaussian error linear units", 2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.gelu(Variable([-1.0, 0.0, 1.0]))
    variable([-0.15865525  0.          0.84134475])
    """
    return xp.maximum(x, -_FAR) * normal(x)


@gelu.vjp("x")
@in_single
def _gelu_x(g: Any, x: Any) -> Any:
    """g * (Φ(x) + x * exp(-x * x / 2) / sqrt(2 * π))"""
    return g * (normal(x) + clip(x, -_FAR, _FAR) * density(x))


@elementwise(domain=(-6, 6))
@real
def silu(xp: Any, x: Array) -> Array:
    """``x * sigmoid(x)``, elementwise; also known as swish.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.silu(Variable([-1000.0, 0.0, 1000.0]))
    variable([  -0.    0. 1000.])
    """
    return xp.maximum(x, -_FAR) * sigmoid(x)


@silu.vjp("x")
@in_single
def _silu_x(g: Any, x: Any) -> Any:
    """g * sigmoid(x) * (1 + x * sigmoid(-x))"""
    return g * (sigmoid(x) * (1 + clip(x, -_FAR, _FAR) * sigmoid(-x)))


@silu.composite
def _silu(x: Any) -> Any:
    return x * sigmoid(x)


@elementwise(x=lambda g, x: g * sigmoid(x), domain=(-6, 6))
@real
def softplus(xp: Any, x: Array) -> Array:
    """``log(1 + exp(x))``, elementwise, without overflow.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.softplus(Variable([-1000.0, 1000.0]))
    variable([   0. 1000.])
    """
    return xp.logaddexp(x, 0)


@elementwise(x=lambda g, x: g * sigmoid(-x), domain=(-6, 6))
@real
def logsigmoid(xp: Any, x: Array) -> Array:
    """``log(sigmoid(x))``, elementwise, finite also where sigmoid is too small for a number.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.logsigmoid(Variable([-1000.0, 1000.0]))
    variable([-1000.    -0.])
    """
    return -xp.logaddexp(-x, 0)


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
    """``x`` moved along the axis so that its greatest element is 0, where exp cannot overflow."""
    return x - x.max(axis=_along(x, axis), keepdims=True) if x.size else x


def _along(x: Any, axis: int) -> int | None:
    """The axis; None for the first and last one of a number, which NumPy lets pass and CuPy does not know."""
    return None if axis in (0, -1) and not x.ndim else axis


def by_columns(x: Array) -> Array:
    """A matrix with short rows, column after column in memory: NumPy then sums the rows several times faster.

    Else it would begin a loop of its own for every row.
    """
    short = type(x) is np.ndarray and x.ndim == 2 and x.shape[1] <= _SHORT
    return np.asfortranarray(x) if short else x
