"""linear: ``x @ w.T + b`` as one function. It also checks the shapes for the link `Linear`."""

from __future__ import annotations

import math
from typing import Any

from ...engine import Array
from ...engine.declare import primitive
from ...engine.errors import FLAT
from ..arrays.shape import over_rows, reshape, transpose
from ..linear_algebra.products import product
from ..working_precision import FULL, in_floats, in_single


@primitive()
def linear(xp: Any, x: Array, w: Array, b: Array | None = None) -> Array:
    """Affine map ``x @ w.T + b`` of each row of ``x``, as one function that does not retain the product.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(..., in)``.
    w : Variable or array
        Of shape ``(out, in)``.
    b : Variable or array, optional
        Of shape ``(out,)``.

    Returns
    -------
    Variable or array
        Of shape ``(..., out)``.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.linear(Variable([[1.0, 2.0]]), [[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], [0.1, 0.2, 0.3])
    variable([[11.1 17.2 23.3]])
    """
    size = w.shape
    if len(size) != 2 or x.shape[-1:] != size[1:] or (b is not None and b.shape != size[:1]):
        one = math.prod(x.shape[1:]) if x.ndim > 2 else math.gcd(*x.shape, *size[1:])  # else all images in a row
        flat = f"; {FLAT}" if len(size) == 2 and x.ndim not in (0, 2) and one == size[1] else ""
        # engine/errors.py prepends the shapes that came.
        raise ValueError(f"expected x (..., in), w (out, in) and b (out,){flat}")
    if x.dtype not in FULL or w.dtype not in FULL:  # what `real` does, without the cost of its wrapper
        return in_floats(_affine, xp, (x, w, b), {})
    y = product(x, w.T)
    if b is None:
        return y
    if b.dtype != y.dtype:
        return y + b
    y += b  # in place: no one else holds y
    return y


def _affine(xp: Any, x: Array, w: Array, b: Array | None) -> Array:
    return product(x, w.T) if b is None else product(x, w.T) + b


@linear.vjp("x")
def _linear_x(g: Any, w: Any) -> Any:
    """g @ w"""
    return product(g, w)


@linear.vjp("w")
def _linear_w(g: Any, x: Any) -> Any:
    """g.T @ x"""
    return product(_rows(g).T, _rows(x))


@linear.vjp("b")
@in_single
def _linear_b(g: Any) -> Any:
    """sum(g, axis=0)"""
    return over_rows(g) if g.ndim > 1 else g


@linear.composite
def _linear(x: Any, w: Any, b: Any) -> Any:
    y = x @ transpose(w)
    return y if b is None else y + b


def _rows(x: Any) -> Any:
    """``x`` as a matrix of its rows."""
    return x if x.ndim == 2 else reshape(x, shape=(math.prod(x.shape[:-1]), x.shape[-1]))
