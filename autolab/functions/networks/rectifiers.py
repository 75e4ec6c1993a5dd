"""Rectifiers: piecewise activation functions. The docstrings give the gradients at kinks."""

from __future__ import annotations

import math
from typing import Any

from ...engine import Array, elementwise, takes_other_words
from ..arrays.shape import reshape
from ..elementwise.exponentials import exp
from ..elementwise.selection import minimum
from ..working_precision import in_full, in_single, real

# G. Klambauer et al., "Self-normalizing neural networks", 2017: layers preserve mean 0 and variance 1.
_SELU_ALPHA = 1.6732632423543772


_SELU_SCALE = 1.0507009873554805


@elementwise(domain=(-3, 3))
def relu(xp: Any, x: Array) -> Array:
    """Rectified linear unit, ``max(x, 0)``, elementwise. Its gradient at 0 is 0.

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
    """The derivative of `elu`. Its own derivative is the same below 0, and 0 above."""
    return xp.where(x > 0, 1, alpha * xp.exp(xp.minimum(x, 0)))


@elementwise(domain=(-3, 3))
@real
def selu(xp: Any, x: Array) -> Array:
    """Scaled `elu`, with constants that preserve mean 0 and variance 1 from layer to layer, elementwise.

    ``1.0507 * x`` where ``x`` is positive, else ``1.7581 * (exp(x) - 1)``. Its gradient at 0 is that of the left side.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.selu(Variable([-1000.0, 0.0, 1.0]))
    variable([-1.75809934  0.          1.05070099])
    """
    return _SELU_SCALE * xp.where(x > 0, x, _SELU_ALPHA * xp.expm1(xp.minimum(x, 0)))


@selu.vjp("x")
@in_single
def _selu_x(g: Any, x: Any) -> Any:
    """g * 1.0507 * (1 if x > 0 else 1.6733 * exp(x))"""
    return g * (_SELU_SCALE * _elu_slope(x, alpha=_SELU_ALPHA))


@elementwise(domain=(-3, 3))
@real
def celu(xp: Any, x: Array, *, alpha: float = 1.0) -> Array:
    """``x`` where it is positive, else ``alpha * (exp(x / alpha) - 1)``, elementwise; no kink for any alpha.

    J. T. Barron, "Continuously differentiable exponential linear units", 2017.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.celu(Variable([-1000.0, 0.0, 3.0]), alpha=2.0)
    variable([-2.  0.  3.])
    """
    if not alpha:
        raise ValueError(f"alpha is {alpha!r:.40}; expected another number than 0")
    return xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0) / alpha))


@celu.vjp("x")
@in_single
def _celu_x(g: Any, x: Any, alpha: float) -> Any:
    """g * (1 if x > 0 else exp(x / alpha))"""
    return g * exp(minimum(x, 0) / alpha)


@elementwise(domain=(-3, 3))
def hardtanh(xp: Any, x: Array, *, low: float = -1.0, high: float = 1.0) -> Array:
    """``x`` limited to the interval from ``low`` to ``high``, elementwise. Its gradient on a bound is 0, as in `relu`.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.hardtanh(Variable([-3.0, 0.5, 3.0]))
    variable([-1.   0.5  1. ])
    """
    if low > high:
        raise ValueError(f"low is {low!r:.40}; expected at most high, {high!r:.40}")
    return xp.minimum(xp.maximum(x, low), high)


@hardtanh.vjp("x")
def _hardtanh_x(g: Any, x: Any, low: float, high: float) -> Any:
    """g * (low < x < high)"""
    return g * _between(x, low=low, high=high)


@elementwise(domain=(-3, 9))
def relu6(xp: Any, x: Array) -> Array:
    """``x`` limited to the interval from 0 to 6, elementwise. Its gradient at 0 and 6 is 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.relu6(Variable([-3.0, 3.0, 9.0]))
    variable([0. 3. 6.])
    """
    return xp.minimum(xp.maximum(x, 0), 6)


@relu6.vjp("x")
def _relu6_x(g: Any, x: Any) -> Any:
    """g * (0 < x < 6)"""
    return g * _between(x, low=0, high=6)


@elementwise()
def _between(xp: Any, x: Array, *, low: float, high: float) -> Array:
    """1 where ``x`` is strictly between the bounds, else 0. Constant, so it has no rules."""
    return xp.logical_and(x > low, x < high).astype(x.dtype)


@elementwise(domain=(-5, 5))
@real
def hardsigmoid(xp: Any, x: Array) -> Array:
    """Piecewise linear `sigmoid`: ``(x + 3) / 6`` limited to [0, 1], elementwise. Its gradient at ±3 is 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.hardsigmoid(Variable([-4.0, 0.0, 4.0]))
    variable([0.  0.5 1. ])
    """
    return xp.minimum(xp.maximum(x + 3, 0), 6) / 6


@hardsigmoid.vjp("x")
def _hardsigmoid_x(g: Any, x: Any) -> Any:
    """g * (-3 < x < 3) / 6"""
    return g * (_between(x, low=-3, high=3) / 6)


@elementwise(domain=(-5, 5))
@real
def hardswish(xp: Any, x: Array) -> Array:
    """``x * hardsigmoid(x)``, elementwise. Its gradient is 0 at -3 and 1 at 3.

    A. Howard et al., "Searching for MobileNetV3", 2019.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.hardswish(Variable([-4.0, 1.5, 4.0]))
    variable([-0.     1.125  4.   ])
    """
    return xp.maximum(x, -3) * (xp.minimum(xp.maximum(x + 3, 0), 6) / 6)


@hardswish.vjp("x")
@in_single
def _hardswish_x(g: Any, x: Any) -> Any:
    """g * (0 if x <= -3 else 1 if x >= 3 else (2 * x + 3) / 6)"""
    return g * _hardswish_slope(x)


@elementwise(x=lambda g, x: g * (_between(x, low=-3, high=3) / 3))
def _hardswish_slope(xp: Any, x: Array) -> Array:
    """The derivative of `hardswish`."""
    inside = xp.minimum(xp.maximum(x, -3), 3)
    return xp.where(x <= -3, 0, xp.where(x >= 3, 1, (2 * inside + 3) / 6))


@takes_other_words
def prelu(x: Any, w: Any) -> Any:
    """`leaky_relu` with a learnt slope: ``x`` where it is positive, else ``w * x``.

    The gradient at 0 is that of the left side.

    Parameters
    ----------
    x : Variable or array
    w : Variable or array
        One slope, or one per channel, of shape ``(channels,)``; the channels are axis 1 of ``x``.

    Raises
    ------
    ValueError
        If the number of slopes is neither 1 nor that of the channels.

    Notes
    -----
    K. He et al., "Delving deep into rectifiers", 2015.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.prelu(Variable([[-2.0, -2.0], [3.0, 3.0]]), Variable([0.5, 0.25]))
    variable([[-1.  -0.5]
              [ 3.   3. ]])
    """
    (x, w), rounded = in_full("prelu", x=x, w=w)
    if w.size != 1:
        if w.ndim != 1 or x.ndim < 2 or x.shape[1] != w.size:
            raise ValueError(
                f"prelu: x has shape {x.shape}, w has shape {w.shape}: expected one number, or one for each channel, "
                "the elements along axis 1 of x"
            )
        w = reshape(w, shape=(-1, *[1] * (x.ndim - 2)))
    elif w.ndim:
        w = reshape(w, shape=())
    return rounded(_prelu(x, w))


@elementwise(w=lambda g, x: g * minimum(x, 0.0), name="prelu")
def _prelu(xp: Any, x: Array, w: Array) -> Array:
    """`prelu` with broadcasting."""
    return xp.where(x > 0, x, w * x)


@_prelu.vjp("x")
def _prelu_x(g: Any, x: Any, w: Any) -> Any:
    """g * (1 if x > 0 else w)"""
    return g * _prelu_slope(x, w)


@elementwise(w=lambda g, x: g * (1 - _between(x, low=0, high=math.inf)))
def _prelu_slope(xp: Any, x: Array, w: Array) -> Array:
    """The derivative of `prelu` by ``x``: 1 where ``x`` is positive, else ``w``."""
    return xp.where(x > 0, xp.ones_like(x), w)
