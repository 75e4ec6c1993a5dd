"""Directions of vectors: normalization, and the cosine of the angle between two."""

from __future__ import annotations

from typing import Any

from ...engine import check_number, takes_other_words
from ..elementwise.selection import maximum
from ..reductions.norms import Order, norm
from ..reductions.reduce import Axis, sum
from ..working_precision import in_full


@takes_other_words
def normalize(x: Any, ord: Order = None, axis: Axis = -1, eps: float = 1e-12) -> Any:
    """Divide ``x`` by its norm along an axis: vectors of norm 1, except those whose norm is below ``eps``.

    Parameters
    ----------
    x : Variable or array
    ord : None or float
        Order of the norm, as for `norm`.
    axis : int, tuple of int or None
    eps : float
        Lower bound for the norm, so that a vector of zeros stays zero.

    Raises
    ------
    ValueError
        If ``ord`` is unknown, or the axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.normalize(Variable([[3.0, 4.0], [0.0, 0.0]]))
    variable([[0.6 0.8]
              [0.  0. ]])
    """
    (x,), rounded = in_full("normalize", x=x)
    return rounded(_directed("normalize", x, ord, axis, eps))


@takes_other_words
def cosine_similarity(a: Any, b: Any, axis: int = -1, eps: float = 1e-8) -> Any:
    """Cosine of the angle between vectors: 1 for the same direction, 0 at right angles, -1 for opposite directions.

    Parameters
    ----------
    a, b : Variable or array
        Of the same shape.
    axis : int
        The axis of the vectors.
    eps : float
        Lower bound for each norm, so that a vector of zeros gives 0.

    Raises
    ------
    ValueError
        If the shapes differ, or the axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cosine_similarity(Variable([[1.0, 0.0], [1.0, 1.0]]), [[2.0, 0.0], [-1.0, 1.0]])
    variable([1. 0.])
    """
    (a, b), rounded = in_full("cosine_similarity", a=a, b=b)
    if a.shape != b.shape:
        raise ValueError(f"cosine_similarity: a has shape {a.shape}, b has shape {b.shape}: expected the same shape")
    first, second = [_directed("cosine_similarity", v, None, axis, eps) for v in (a, b)]
    return rounded(sum(first * second, axis=axis))


def _directed(function: str, x: Any, ord: Order, axis: Axis, eps: float) -> Any:
    eps = check_number(function, "eps", eps, 0)
    if not x.ndim:
        raise ValueError(f"{function}: got shape (); expected vectors along an axis")
    return x / maximum(norm(x, ord=ord, axis=axis, keepdims=True), eps)
