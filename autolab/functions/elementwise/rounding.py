"""Step functions: they are constant between the steps, so their gradient is 0, also at the steps themselves.

The gradient is an array of zeros, not None: the result depends on the input, although small changes have no effect.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, elementwise


@elementwise()
def zeros_like(xp: Any, x: Array) -> Array:
    """Zeros of the shape and dtype of ``x``. Constant, so there is no rule."""
    return xp.zeros_like(x)


@elementwise(x=lambda g: zeros_like(g), domain=(-3, 3), numpy=np.sign)
def sign(xp: Any, x: Array) -> Array:
    """Sign, elementwise: -1, 0 or 1. Its gradient is 0 everywhere.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sign(Variable([-2.0, 0.0, 3.0]))
    variable([-1.  0.  1.])
    """
    return xp.sign(x)


@elementwise(x=lambda g: zeros_like(g), domain=(-3, 3), numpy=np.floor)
def floor(xp: Any, x: Array) -> Array:
    """The largest integer not above ``x``, elementwise. Its gradient is 0 everywhere.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.floor(Variable([-1.5, 1.5]))
    variable([-2.  1.])
    """
    return xp.floor(x)


@elementwise(x=lambda g: zeros_like(g), domain=(-3, 3), numpy=np.ceil)
def ceil(xp: Any, x: Array) -> Array:
    """The smallest integer not below ``x``, elementwise. Its gradient is 0 everywhere.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.ceil(Variable([-1.5, 1.5]))
    variable([-1.  2.])
    """
    return xp.ceil(x)


@elementwise(a=lambda g: zeros_like(g), domain=(-3, 3), numpy=(np.round, np.around))
def round(xp: Any, a: Array, *, decimals: int = 0) -> Array:
    """Round to the nearest value, elementwise; halves round to even, as in NumPy. The gradient is 0 everywhere.

    Parameters
    ----------
    a : Variable or array
    decimals : int
        Digits after the decimal point; negative ones round to tens, hundreds ...

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.round(Variable([1.26, 2.5]), decimals=1)
    variable([1.3 2.5])
    """
    return xp.around(a, decimals)
