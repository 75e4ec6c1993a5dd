"""Division with remainder, elementwise: the quotient is a step function, the remainder linear between the steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, elementwise
from .arithmetic import set_operator
from .rounding import zeros_like


@elementwise(a=lambda g: zeros_like(g), b=lambda g: zeros_like(g), numpy=np.floor_divide)
def floor_divide(xp: Any, a: Array, b: Array) -> Array:
    """Floor division ``a // b``: the largest integer not above ``a / b``, elementwise with broadcasting.

    Its gradients are 0 everywhere, also at the steps.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.floor_divide(Variable([7.0, -7.0]), 2.0)
    variable([ 3. -4.])
    """
    return xp.floor_divide(a, b)


@elementwise(a=lambda g: g, b=lambda g, a, b: -(g * floor_divide(a, b)), numpy=(np.remainder, np.mod))
def remainder(xp: Any, a: Array, b: Array) -> Array:
    """Remainder ``a % b = a - b * (a // b)``, elementwise with broadcasting; it has the sign of ``b``.

    At the steps, where ``a`` is a multiple of ``b``, the gradient is that of the piece to which the value belongs.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.remainder(Variable([7.0, -7.0]), 4.0)
    variable([3. 1.])
    """
    return xp.remainder(a, b)


@elementwise(a=lambda g: g, numpy=np.fmod)
def fmod(xp: Any, a: Array, b: Array) -> Array:
    """Remainder of the division that rounds towards 0, elementwise with broadcasting; it has the sign of ``a``.

    At the steps, where ``a`` is a multiple of ``b``, the gradient is that of the piece to which the value belongs.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.fmod(Variable([7.0, -7.0]), 4.0)
    variable([ 3. -3.])
    """
    return xp.fmod(a, b)


@fmod.vjp("b")
def _fmod_b(g: Any, a: Any, b: Any, y: Any) -> Any:
    """-g * (a - y) / b"""
    return -(g * _quotient(a, b, y))


@elementwise()
def _quotient(xp: Any, a: Array, b: Array, rest: Array) -> Array:
    """How many times ``b`` was subtracted from ``a``. Constant, so it has no rules."""
    return xp.rint((a - rest) / b)


set_operator("floordiv", floor_divide)
set_operator("mod", remainder)
