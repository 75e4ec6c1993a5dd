"""Trigonometric and hyperbolic functions and their inverses, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, elementwise
from .powers import hypot, sqrt


@elementwise(x=lambda g, x: g * cos(x), domain=(-7, 7), numpy=np.sin)
def sin(xp: Any, x: Array) -> Array:
    """Sine of an angle in radians, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sin(Variable(0.0))
    variable(0.0)
    """
    return xp.sin(x)


@elementwise(x=lambda g, x: -(g * sin(x)), domain=(-7, 7), numpy=np.cos)
def cos(xp: Any, x: Array) -> Array:
    """Cosine of an angle in radians, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cos(Variable(0.0))
    variable(1.0)
    """
    return xp.cos(x)


@elementwise(x=lambda g, y: g + g * (y * y), domain=(-1.4, 1.4), numpy=np.tan)
def tan(xp: Any, x: Array) -> Array:
    """Tangent of an angle in radians, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.tan(Variable(0.0))
    variable(0.0)
    """
    return xp.tan(x)


@elementwise(x=lambda g, x: g / sqrt((1 - x) * (1 + x)), domain=(-1, 1), numpy=np.arcsin)
def arcsin(xp: Any, x: Array) -> Array:
    """The angle in [-π/2, π/2] whose sine is ``x``, elementwise; NaN outside [-1, 1]. Its gradient at -1 and 1 is
    infinite.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.arcsin(Variable(1.0))
    variable(1.5707963267948966)
    """
    return xp.arcsin(x)


@elementwise(x=lambda g, x: -g / sqrt((1 - x) * (1 + x)), domain=(-1, 1), numpy=np.arccos)
def arccos(xp: Any, x: Array) -> Array:
    """The angle in [0, π] whose cosine is ``x``, elementwise; NaN outside [-1, 1]. Its gradient at -1 and 1 is
    infinite.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.arccos(Variable(1.0))
    variable(0.0)
    """
    return xp.arccos(x)


@elementwise(x=lambda g, x: g / (1 + x * x), domain=(-5, 5), numpy=np.arctan)
def arctan(xp: Any, x: Array) -> Array:
    """The angle in (-π/2, π/2) whose tangent is ``x``, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.arctan(Variable(1.0))
    variable(0.7853981633974483)
    """
    return xp.arctan(x)


@elementwise(numpy=np.arctan2)
def arctan2(xp: Any, a: Array, b: Array) -> Array:
    """The angle in [-π, π] of the point with ordinate ``a`` and abscissa ``b``, elementwise with broadcasting.

    At the origin, where the angle is undefined, the gradients are NaN.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.arctan2(Variable(1.0), -1.0)
    variable(2.356194490192345)
    """
    return xp.arctan2(a, b)


@arctan2.vjp("a")
def _arctan2_a(g: Any, a: Any, b: Any) -> Any:
    """g * b / (a ** 2 + b ** 2)"""
    radius = hypot(a, b)  # its square could overflow
    return g * (b / radius) / radius


@arctan2.vjp("b")
def _arctan2_b(g: Any, a: Any, b: Any) -> Any:
    """-g * a / (a ** 2 + b ** 2)"""
    radius = hypot(a, b)
    return -g * (a / radius) / radius


@elementwise(x=lambda g, x: g * cosh(x), domain=(-3, 3), numpy=np.sinh)
def sinh(xp: Any, x: Array) -> Array:
    """Hyperbolic sine, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sinh(Variable(0.0))
    variable(0.0)
    """
    return xp.sinh(x)


@elementwise(x=lambda g, x: g * sinh(x), domain=(-3, 3), numpy=np.cosh)
def cosh(xp: Any, x: Array) -> Array:
    """Hyperbolic cosine, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cosh(Variable(0.0))
    variable(1.0)
    """
    return xp.cosh(x)


@elementwise(x=lambda g, y: g - g * (y * y), domain=(-4, 4), numpy=np.tanh)
def tanh(xp: Any, x: Array) -> Array:
    """Hyperbolic tangent, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.tanh(Variable(0.0))
    variable(0.0)
    """
    return xp.tanh(x)


@elementwise(x=lambda g, x: g / hypot(x, 1), domain=(-5, 5), numpy=np.arcsinh)
def arcsinh(xp: Any, x: Array) -> Array:
    """Inverse of the hyperbolic sine, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.arcsinh(Variable(0.0))
    variable(0.0)
    """
    return xp.arcsinh(x)


@elementwise(x=lambda g, x: g / (sqrt(x - 1) * sqrt(x + 1)), domain=(1, 5), numpy=np.arccosh)
def arccosh(xp: Any, x: Array) -> Array:
    """Inverse of the hyperbolic cosine, elementwise; NaN below 1. Its gradient at 1 is infinite.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.arccosh(Variable(1.0))
    variable(0.0)
    """
    return xp.arccosh(x)


@elementwise(x=lambda g, x: g / ((1 - x) * (1 + x)), domain=(-0.95, 0.95), numpy=np.arctanh)
def arctanh(xp: Any, x: Array) -> Array:
    """Inverse of the hyperbolic tangent, elementwise; NaN outside [-1, 1]. Its gradient at -1 and 1 is infinite.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.arctanh(Variable(0.0))
    variable(0.0)
    """
    return xp.arctanh(x)
