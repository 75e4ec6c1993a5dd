"""The logistic function `sigmoid`, its logarithm, and logarithms of sums of exponentials, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, elementwise
from ..working_precision import in_single, real
from .trig import tanh


@elementwise(domain=(-6, 6))
@real
def sigmoid(xp: Any, x: Array) -> Array:
    """Logistic function, ``1 / (1 + exp(-x))``, elementwise, without overflow; small results are fully accurate.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sigmoid(Variable([-1000.0, 0.0, 1000.0]))
    variable([0.  0.5 1. ])
    """
    e = xp.exp(-xp.absolute(x))  # at most 1
    return xp.maximum(e, xp.sign(x)) / (1 + e)  # e for negative x, else 1; `where` is several times slower


@sigmoid.vjp("x")
def _sigmoid_x(g: Any, x: Any) -> Any:
    """g * sigmoid(x) * (1 - sigmoid(x))"""
    return g * sigmoid_slope(x)


@elementwise()
@real
def sigmoid_slope(xp: Any, x: Array) -> Array:
    """The derivative of `sigmoid`, not computed from its value, which loses all digits of its distance to 1."""
    e = xp.exp(-xp.absolute(x))
    below = 1 + e
    return e / below / below


@sigmoid_slope.vjp("x")
@in_single
def _sigmoid_slope_x(g: Any, x: Any, y: Any) -> Any:
    """-g * y * tanh(x / 2)"""
    return -(g * y * tanh(x * 0.5))


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
    """``log(sigmoid(x))``, elementwise, finite even where the sigmoid underflows.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.logsigmoid(Variable([-1000.0, 1000.0]))
    variable([-1000.    -0.])
    """
    return -xp.logaddexp(-x, 0)


@elementwise(a=lambda g, a, b: g * sigmoid(a - b), b=lambda g, a, b: g * sigmoid(b - a), numpy=np.logaddexp)
def logaddexp(xp: Any, a: Array, b: Array) -> Array:
    """``log(exp(a) + exp(b))``, elementwise with broadcasting and without overflow.

    Where both inputs are the same infinity the gradients are NaN.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.logaddexp(Variable(1000.0), -1000.0)
    variable(1000.0)
    """
    return xp.logaddexp(a, b)
