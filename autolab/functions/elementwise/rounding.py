"""Functions with steps: constant between them, so that their gradient is 0, also at the steps themselves.

Their gradient is an array of zeros and not None: the result does depend on the input, but no small change shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.backend import Array
from ...engine.declare import elementwise


@elementwise()
def zeros_like(xp: Any, x: Array) -> Array:
    """Zeros of the shape and dtype of ``x``. They are constant, so there is no rule."""
    return xp.zeros_like(x)


@elementwise(x=lambda g: zeros_like(g), domain=(-3, 3), numpy=np.sign)
def sign(xp: Any, x: Array) -> Array:
    """-1, 0 or 1: the sign, elementwise. Its gradient is 0 everywhere.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sign(Variable([-2.0, 0.0, 3.0]))
    variable([-1.  0.  1.])
    """
    return xp.sign(x)


@elementwise(x=lambda g: zeros_like(g), domain=(-3, 3), numpy=np.floor)
def floor(xp: Any, x: Array) -> Array:
    """The largest whole number that is not above ``x``, elementwise. Its gradient is 0 everywhere.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.floor(Variable([-1.5, 1.5]))
    variable([-2.  1.])
    """
    return xp.floor(x)


@elementwise(x=lambda g: zeros_like(g), domain=(-3, 3), numpy=np.ceil)
def ceil(xp: Any, x: Array) -> Array:
    """The smallest whole number that is not below ``x``, elementwise. Its gradient is 0 everywhere.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.ceil(Variable([-1.5, 1.5]))
    variable([-1.  2.])
    """
    return xp.ceil(x)


@elementwise(a=lambda g: zeros_like(g), domain=(-3, 3), numpy=(np.round, np.around, np.rint))
def round(xp: Any, a: Array, *, decimals: int = 0) -> Array:
    """Round to the nearest, elementwise; halves go to the even side, as in NumPy. The gradient is 0 everywhere.

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
