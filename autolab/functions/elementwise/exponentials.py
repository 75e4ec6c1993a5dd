"""Exponentials and logarithms, elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Array, elementwise

LOG2_E, LOG10_E = 1 / math.log(2), 1 / math.log(10)


@elementwise(x=lambda g, y: g * y, domain=(-3, 3), numpy=np.exp)
def exp(xp: Any, x: Array) -> Array:
    """Exponential, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.exp(Variable(0.0))
    variable(1.0)
    """
    return xp.exp(x)


@elementwise(x=lambda g, x: g / x, domain=(0.1, 4), numpy=np.log)
def log(xp: Any, x: Array) -> Array:
    """Natural logarithm, elementwise; as in NumPy, NaN below 0 and minus infinity at 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.log(Variable(1.0))
    variable(0.0)
    """
    return xp.log(x)


@elementwise(x=lambda g, x: g * exp(x), domain=(-3, 3), numpy=np.expm1)
def expm1(xp: Any, x: Array) -> Array:
    """``exp(x) - 1``, elementwise, accurate also for small ``x``.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.expm1(Variable(1e-20))
    variable(1e-20)
    """
    return xp.expm1(x)


@elementwise(x=lambda g, x: g / (1 + x), domain=(-0.9, 4), numpy=np.log1p)
def log1p(xp: Any, x: Array) -> Array:
    """``log(1 + x)``, elementwise, accurate also for small ``x``; NaN below -1.

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
