"""Roots, squares, magnitudes, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import elementwise
from .rounding import sign


@elementwise(x=lambda g, x: g * (2 * x), domain=(-3, 3), numpy=np.square)
def square(xp: Any, x: Array) -> Array:
    """Square, ``x * x``, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.square(Variable(3.0))
    variable(9.0)
    """
    return xp.square(x)


@elementwise(x=lambda g, y: g / (2 * y), domain=(0, 9), numpy=np.sqrt)
def sqrt(xp: Any, x: Array) -> Array:
    """Square root, elementwise; NaN below 0. Its gradient at 0 is infinite.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sqrt(Variable(9.0))
    variable(3.0)
    """
    return xp.sqrt(x)


@elementwise(x=lambda g, y: g / (3 * (y * y)), domain=(-8, 8), numpy=np.cbrt)
def cbrt(xp: Any, x: Array) -> Array:
    """Cube root, elementwise, also of negative numbers. Its gradient at 0 is infinite.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cbrt(Variable(-8.0))
    variable(-2.0)
    """
    return xp.cbrt(x)


@elementwise(x=lambda g, y: -(g * (y * y)), domain=(0.2, 4), numpy=np.reciprocal)
def reciprocal(xp: Any, x: Array) -> Array:
    """``1 / x``, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.reciprocal(Variable(4.0))
    variable(0.25)
    """
    return xp.reciprocal(x)


@elementwise(x=lambda g, x: g * sign(x), domain=(-3, 3), numpy=(np.absolute, np.fabs))
def abs(xp: Any, x: Array) -> Array:
    """Absolute value, elementwise. Its gradient at 0 is 0, the middle of the slopes on both sides.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.abs(Variable([-2.0, 3.0]))
    variable([2. 3.])
    """
    return xp.absolute(x)


@elementwise(a=lambda g, a, y: g * ratio(a, y), b=lambda g, b, y: g * ratio(b, y), numpy=np.hypot)
def hypot(xp: Any, a: Array, b: Array) -> Array:
    """Length of the hypotenuse, ``sqrt(a**2 + b**2)``, elementwise with broadcasting and without overflow.

    The gradients are 0 where both inputs are 0: the tip of a cone has no slope.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.hypot(Variable(3.0), 4.0)
    variable(5.0)
    """
    return xp.hypot(a, b)


@elementwise(a=lambda g, b: ratio(g, b), b=lambda g, b, y: -ratio(g * y, b))
def ratio(xp: Any, a: Array, b: Array) -> Array:
    """``a / b``, and 0 with all its derivatives where ``b`` is 0.

    Examples
    --------
    >>> from autolab.functions.powers import ratio
    >>> ratio([3.0, 0.0], [2.0, 0.0])
    array([1.5, 0. ])
    """
    zero = b == 0
    return xp.where(zero, 0, a / (b + zero))
