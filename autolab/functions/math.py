"""Elementwise functions. Conventions at points without a derivative stand in the docstrings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.backend import Array, get_array_module
from ..engine.declare import elementwise


@elementwise(a=lambda g: g, b=lambda g: g, numpy=np.add)
def add(xp: Any, a: Array, b: Array) -> Array:
    """Sum, ``a + b``, elementwise with broadcasting.

    Parameters
    ----------
    a, b : Variable, array or number
        Of shapes that broadcast together.

    Returns
    -------
    Variable, or array if neither input is a Variable
        Of the broadcast shape and NumPy's common dtype.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.add(Variable(2.0), 3.0)
    variable(5.0)
    """
    return xp.add(a, b)


@elementwise(a=lambda g: g, b=lambda g: -g, numpy=np.subtract)
def sub(xp: Any, a: Array, b: Array) -> Array:
    """Difference, ``a - b``, elementwise with broadcasting.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sub(Variable(2.0), 3.0)
    variable(-1.0)
    """
    return xp.subtract(a, b)


@elementwise(a=lambda g, b: g * b, b=lambda g, a: g * a, numpy=np.multiply)
def mul(xp: Any, a: Array, b: Array) -> Array:
    """Product, ``a * b``, elementwise with broadcasting.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.mul(Variable(2.0), 3.0)
    variable(6.0)
    """
    return xp.multiply(a, b)


@elementwise(a=lambda g, b: g / b, b=lambda g, b, y: -(g * y) / b, numpy=np.true_divide)
def div(xp: Any, a: Array, b: Array) -> Array:
    """Quotient, ``a / b``, elementwise with broadcasting.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.div(Variable(3.0), 2.0)
    variable(1.5)
    """
    return xp.true_divide(a, b)


@elementwise(x=lambda g: -g, numpy=np.negative)
def neg(xp: Any, x: Array) -> Array:
    """Negative, ``-x``, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.neg(Variable(2.0))
    variable(-2.0)
    """
    return xp.negative(x)


@elementwise(numpy=np.power)
def pow(xp: Any, base: Array, exponent: Array) -> Array:
    """Power, ``base ** exponent``, elementwise with broadcasting; either side may be a number.

    The gradient of the base is 0 where both are 0 (the power is constant 1 there), that of the exponent is 0 where
    the base is 0 and the exponent is not negative. For a negative base the gradient of the exponent is NaN: the power
    is no function of a real exponent there.

    Examples
    --------
    >>> from autolab import Variable, grad
    >>> x = Variable(3.0)
    >>> grad(x ** 2, x), grad(2 ** x, x)
    (variable(6.0), variable(5.545177444479562))
    """
    return xp.power(base, exponent)


@pow.vjp("base")
def _pow_base(g: Any, base: Any, exponent: Any) -> Any:
    """g * exponent * base ** (exponent - 1)"""
    lower = exponent - 1.0  # a float: 0 - 1 of integers without a sign is a large one
    if _may_be_zero(exponent):  # x**2 and the like need no such care
        lower = lower + _both_zero(base, exponent)
    return g * exponent * pow(base, lower)


@pow.vjp("exponent")
def _pow_exponent(g: Any, base: Any, y: Any) -> Any:
    """g * y * log(base)"""
    return g * y * log(base + _zero(base))


def _may_be_zero(exponent: Any) -> bool:
    """Whether an exponent may be 0; on a GPU nobody looks, as that would wait for it."""
    return get_array_module(exponent) is not np or getattr(exponent, "size", 1) != 1 or not exponent


@elementwise()
def _both_zero(xp: Any, a: Array, b: Array) -> Array:
    """1 where both are 0, else 0: keeps ``0 ** -1`` out of the gradient of ``x ** 0``. Constant, so it has no rules."""
    return xp.logical_and(a == 0, b == 0).astype(xp.result_type(a, b))


@elementwise()
def _zero(xp: Any, x: Array) -> Array:
    """1 where ``x`` is 0, else 0: keeps ``log(0)`` out. Constant, so it has no rule."""
    return (x == 0).astype(x.dtype)


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
    """Natural logarithm, elementwise; NaN below 0 and minus infinity at 0, as in NumPy.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.log(Variable(1.0))
    variable(0.0)
    """
    return xp.log(x)


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
