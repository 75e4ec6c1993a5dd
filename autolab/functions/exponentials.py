"""Exponentials and logarithms beyond `exp` and `log`, elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import elementwise
from .math import exp, tanh
from .precision import in_single, real

LOG2_E, LOG10_E = 1 / math.log(2), 1 / math.log(10)


@elementwise(x=lambda g, x: g * exp(x), domain=(-3, 3), numpy=np.expm1)
def expm1(xp: Any, x: Array) -> Array:
    """``exp(x) - 1``, elementwise, exact also for small ``x``.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.expm1(Variable(1e-20))
    variable(1e-20)
    """
    return xp.expm1(x)


@elementwise(x=lambda g, x: g / (1 + x), domain=(-0.9, 4), numpy=np.log1p)
def log1p(xp: Any, x: Array) -> Array:
    """``log(1 + x)``, elementwise, exact also for small ``x``; NaN below -1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.log1p(Variable(1e-20))
    variable(1e-20)
    """
    return xp.log1p(x)


@elementwise(x=lambda g, x: g * LOG2_E / x, domain=(0.1, 8), numpy=np.log2)
def log2(xp: Any, x: Array) -> Array:
    """Logarithm to base 2, elementwise; NaN below 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.log2(Variable(8.0))
    variable(3.0)
    """
    return xp.log2(x)


@elementwise(x=lambda g, x: g * LOG10_E / x, domain=(0.1, 10), numpy=np.log10)
def log10(xp: Any, x: Array) -> Array:
    """Logarithm to base 10, elementwise; NaN below 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.log10(Variable(1000.0))
    variable(3.0)
    """
    return xp.log10(x)


@elementwise(x=lambda g, x: g * sigmoid_slope(x), domain=(-6, 6))
@real
def sigmoid(xp: Any, x: Array) -> Array:
    """Logistic function, ``1 / (1 + exp(-x))``, elementwise; no overflow, and small results keep all their digits.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sigmoid(Variable([-1000.0, 0.0, 1000.0]))
    variable([0.  0.5 1. ])
    """
    e = xp.exp(-xp.absolute(x))  # at most 1
    return xp.where(x < 0, e, 1) / (1 + e)


@elementwise()
@real
def sigmoid_slope(xp: Any, x: Array) -> Array:
    """The gradient of `sigmoid`, not by way of its value, which has no digits left beside 1."""
    e = xp.exp(-xp.absolute(x))
    return e / (1 + e) / (1 + e)


@sigmoid_slope.vjp("x")
@in_single
def _sigmoid_slope_x(g: Any, x: Any, y: Any) -> Any:
    """-g * y * tanh(x / 2)"""
    return -(g * y * tanh(x * 0.5))


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
