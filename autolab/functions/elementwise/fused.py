"""Two steps in one function: one node in the graph, and no intermediate array to keep."""

from __future__ import annotations

from typing import Any

from ...engine import Array, elementwise
from ..working_precision import real
from .exponentials import exp


@elementwise(x=lambda g, y: g * y, y=lambda g, x: g * x, z=lambda g: g)
@real
def muladd(xp: Any, x: Array, y: Array, z: Array) -> Array:
    """Product and sum, ``x * y + z``, elementwise with broadcasting.

    Parameters
    ----------
    x, y, z : Variable, array or number
        With shapes that broadcast together.

    Returns
    -------
    Variable, or array if no input is a Variable
        Of the broadcast shape and NumPy's common dtype.

    Raises
    ------
    ValueError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.muladd(Variable(2.0), 3.0, 4.0)
    variable(10.0)
    """
    return x * y + z


@muladd.composite
def _muladd(x: Any, y: Any, z: Any) -> Any:
    return x * y + z


@elementwise(x=lambda g, x: g * exp(x), y=lambda g, y: g * exp(y), domain=(-3, 3))
@real
def expadd(xp: Any, x: Array, y: Array) -> Array:
    """Sum of two exponentials, ``exp(x) + exp(y)``, elementwise with broadcasting.

    Parameters
    ----------
    x, y : Variable, array or number
        With shapes that broadcast together.

    Returns
    -------
    Variable, or array if neither input is a Variable
        Of the broadcast shape and NumPy's common dtype.

    Raises
    ------
    ValueError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.expadd(Variable(0.0), 0.0)
    variable(2.0)
    """
    return xp.exp(x) + xp.exp(y)


@expadd.composite
def _expadd(x: Any, y: Any) -> Any:
    return exp(x) + exp(y)
