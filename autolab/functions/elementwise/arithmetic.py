"""Arithmetic, elementwise with broadcasting: what `+`, `-`, `*` and `/` call.

The operators are set at the end; other families set theirs in their own modules: `**` in powers, `@` in products, `//`
and `%` in division. Methods are set by variable_methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import Array, Variable, elementwise


@elementwise(a=lambda g: g, b=lambda g: g, numpy=np.add)
def add(xp: Any, a: Array, b: Array) -> Array:
    """Sum, ``a + b``, elementwise with broadcasting.

    Parameters
    ----------
    a, b : Variable, array or number
        With shapes that broadcast together.

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


def set_operator(name: str, function: Callable[[Any, Any], Any]) -> None:
    """Make an operator call ``function``, whichever of the two operands is the Variable."""
    setattr(Variable, f"__{name}__", function)
    setattr(Variable, f"__r{name}__", lambda self, other: function(other, self))


set_operator("add", add)
set_operator("sub", sub)
set_operator("mul", mul)
set_operator("truediv", div)
Variable.__neg__ = neg  # type: ignore[method-assign]
