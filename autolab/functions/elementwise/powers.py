"""Powers, roots and magnitudes, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, Variable, elementwise, get_array_module
from .arithmetic import set_operator
from .exponentials import log
from .rounding import sign


@elementwise(numpy=np.power)
def pow(xp: Any, base: Array, exponent: Array) -> Array:
    """Power, ``base ** exponent``, elementwise with broadcasting; either side may be a number.

    The gradient of the base is 0 where both are 0 (``x ** 0`` is the constant 1), that of the exponent is 0 where the
    base is 0 and the exponent is not negative. For a negative base the gradient of the exponent is NaN, because the
    power is not a function of a real exponent there.

    Examples
    --------
    >>> from autolab import Variable, grad
    >>> x = Variable(3.0)
    >>> grad(x ** 2, x), grad(2 ** x, x)
    (variable(6.0), variable(5.545177444479562))
    """
    return xp.power(base, exponent)


set_operator("pow", pow)


@pow.vjp("base")
def _pow_base(g: Any, base: Any, exponent: Any) -> Any:
    """g * exponent * base ** (exponent - 1)"""
    lower = exponent - 1.0  # a float: for unsigned integers 0 - 1 would wrap around
    if _may_be_zero(exponent):  # not needed for x**2 and the like
        # With a constant exponent of 0 the slope is 0; one that varies has a derivative that needs base ** -1.
        lower = lower + (_both_zero(base, exponent) if isinstance(exponent, Variable) else _zero(exponent))
    return g * exponent * pow(base, lower)


@pow.vjp("exponent")
def _pow_exponent(g: Any, base: Any, y: Any) -> Any:
    """g * y * log(base)"""
    return g * y * log(base + _zero(base))


def _may_be_zero(exponent: Any) -> bool:
    """Whether an exponent may be 0; on a GPU it is not checked, because that would synchronize with the device."""
    return get_array_module(exponent) is not np or getattr(exponent, "size", 1) != 1 or not exponent


@elementwise()
def _both_zero(xp: Any, a: Array, b: Array) -> Array:
    """1 where both are 0, else 0: keeps ``0 ** -1`` out of the gradient of ``x ** 0``, and that of what is so small
    that it overflows, or is NaN. Constant, so it has no rules."""
    is_zero = xp.logical_not(xp.absolute(a) >= 1 / xp.finfo(a.dtype).max)
    return xp.logical_and(is_zero, b == 0).astype(xp.result_type(a, b))


@elementwise()
def _zero(xp: Any, x: Array) -> Array:
    """1 where ``x`` is 0, else 0: avoids ``log(0)``. Constant, so it has no rule."""
    return (x == 0).astype(x.dtype)


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


@elementwise(x=lambda g, y: -(g * y * y), domain=(0.2, 4), numpy=np.reciprocal)
def reciprocal(xp: Any, x: Array) -> Array:
    """``1 / x``, elementwise.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.reciprocal(Variable(4.0))
    variable(0.25)
    """
    return xp.reciprocal(x)


@elementwise(x=lambda g, x: g * sign(x), domain=(-3, 3), numpy=np.absolute)
def abs(xp: Any, x: Array) -> Array:
    """Absolute value, elementwise. Its gradient at 0 is 0, halfway between the slopes on both sides.

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
    >>> from autolab.functions.elementwise.powers import ratio
    >>> ratio([3.0, 0.0], [2.0, 0.0])
    array([1.5, 0. ])
    """
    zero = b == 0
    return xp.where(zero, 0, a / (b + zero))
