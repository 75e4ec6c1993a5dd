"""What layers of neural networks compute: linear, dropout, embedding, one_hot."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import numpy as np

from ...engine.backend import Array, get_array_module
from ...engine.configuration import check_rng, config
from ...engine.declare import elementwise, primitive
from ...engine.devices import generator
from ...engine.keyword_aliases import takes_other_words
from ...engine.remedies import FLAT
from ..arrays.indexing import scatter
from ..arrays.shape import over_rows, reshape, transpose
from ..linear_algebra.products import product
from ..working_precision import FULL, in_floats, in_single


@primitive()
def linear(xp: Any, x: Array, w: Array, b: Array | None = None) -> Array:
    """``x @ w.T + b``: every row of ``x`` through the same linear map, as one function that keeps no product.

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
        If the shapes do not fit.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.linear(Variable([[1.0, 2.0]]), [[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], [0.1, 0.2, 0.3])
    variable([[11.1 17.2 23.3]])
    """
    size = w.shape
    if len(size) != 2 or x.shape[-1:] != size[1:] or (b is not None and b.shape != size[:1]):
        one = math.prod(x.shape[1:]) if x.ndim > 2 else math.gcd(*x.shape, *size[1:])  # of all images in a row
        flat = f"; {FLAT}" if len(size) == 2 and x.ndim not in (0, 2) and one == size[1] else ""
        raise ValueError(f"expected x (..., in), w (out, in) and b (out,){flat}")
    if x.dtype not in FULL or w.dtype not in FULL:  # `real`, where every call counts
        return in_floats(_affine, xp, (x, w, b), {})
    y = product(x, w.T)
    if b is None:
        return y
    if b.dtype != y.dtype:
        return y + b
    y += b  # nobody else has it
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


@takes_other_words
def dropout(x: Any, ratio: float = 0.5, *, rng: np.random.Generator | None = None, training: bool | None = None) -> Any:
    """In training, set each element to 0 with probability ``ratio`` and divide the others by ``1 - ratio``.

    In test mode, and with a ratio of 0, the result is ``x`` itself. What is dropped is drawn once per call and holds
    for its gradients of every order.

    Parameters
    ----------
    x : Variable or array
    ratio : float
        At least 0 and below 1.
    rng : numpy.random.Generator, optional
        What to draw from; by default ``config.rng``. For an input on a GPU it seeds the GPU's generator, which draws
        there: the same again for the same seed, but other numbers than on the CPU.
    training : bool, optional
        By default ``config.train``, which `autolab.test_mode` switches off.

    Raises
    ------
    ValueError
        If the ratio is out of range.

    Notes
    -----
    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.

    Examples
    --------
    >>> import numpy as np, autolab
    >>> from autolab import Variable, functions as F
    >>> F.dropout(Variable([1.0, 2.0, 3.0, 4.0]), rng=np.random.default_rng(0))
    variable([2. 0. 0. 0.])
    >>> with autolab.test_mode():
    ...     F.dropout(Variable([1.0, 2.0, 3.0, 4.0]))
    variable([1. 2. 3. 4.])
    """
    check_ratio("dropout", ratio)
    check_rng("dropout", rng)
    if ratio == 0 or not (config.train if training is None else training):
        return x
    kept = generator(get_array_module(x), config.rng if rng is None else rng).random(np.shape(x)) >= ratio
    return _dropout(x, kept, scale=1 / (1 - ratio))


def check_ratio(who: str, ratio: Any) -> float:
    """``ratio`` as it is, or an error that names it."""
    if not isinstance(ratio, int | float | np.number) or not 0 <= ratio < 1:
        raise ValueError(f"{who}: ratio is {ratio!r:.60}; expected at least 0 and less than 1")
    return ratio  # type: ignore[return-value]


@elementwise(name="dropout")
def _dropout(xp: Any, x: Array, kept: Array, *, scale: float) -> Array:
    return x * kept * scale


@_dropout.vjp("x")
def _dropout_x(g: Any, kept: Array, scale: float) -> Any:
    """g * kept * scale

    Here ``kept`` is 1 where the element was kept, else 0, and ``scale`` is ``1 / (1 - ratio)``.
    """
    return g * kept * scale


@primitive(w=lambda g, ids, w_shape: scatter(g, index=ids, shape=w_shape))
def embedding(xp: Any, ids: Array, w: Array) -> Array:
    """The rows of ``w`` that ``ids`` name; a row that is named more than once gets the sum of the gradients.

    Parameters
    ----------
    ids : array of int
        Of any shape.
    w : Variable or array
        Of shape ``(rows, size)``.

    Returns
    -------
    Variable or array
        Of shape ``(*ids.shape, size)``.

    Raises
    ------
    TypeError
        If the ids are no integers.
    ValueError
        If an id is negative or has no row.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.embedding(np.array([1, 0, 1]), Variable([[1.0, 2.0], [3.0, 4.0]]))
    variable([[3. 4.]
              [1. 2.]
              [3. 4.]])
    """
    if ids.dtype.kind not in "iu":
        raise TypeError(f"embedding: ids is of dtype {ids.dtype}; expected integers")
    if w.ndim != 2:
        raise ValueError("expected w (rows, size)")
    if ((ids < 0) | (ids >= len(w))).any():
        raise ValueError(f"ids go from {ids.min()} to {ids.max()}; expected 0 to {len(w) - 1}")
    return xp.take(w, ids, axis=0)


@primitive()
def one_hot(xp: Any, t: Array, *, classes: int | None = None, axis: int = -1, dtype: Any = np.float32) -> Array:
    """For every class a row with 1 at its place and 0 elsewhere. It has no gradient.

    Parameters
    ----------
    t : array of int
        Classes, counted from 0, of any shape.
    classes : int, optional
        How many there are; by default one more than the largest.
    axis : int
        The axis of the classes in the result.
    dtype : dtype
        Of the result. float32 beside float64 gives float64.

    Raises
    ------
    TypeError
        If the classes are no integers.
    ValueError
        If one is below 0 or not below ``classes``.

    Examples
    --------
    >>> from autolab import functions as F
    >>> F.one_hot([0, 2], 3)
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    if t.dtype.kind not in "iu":
        raise TypeError(f"one_hot: t is of dtype {t.dtype}; expected integers, the numbers of classes")
    least, most = (int(t.min()), int(t.max())) if t.size else (0, -1)
    count = most + 1 if classes is None else index(classes)
    if least < 0 or most >= count:
        raise ValueError(f"t goes from {least} to {most}; expected classes from 0 to {count - 1}")
    if not -t.ndim - 1 <= axis <= t.ndim:
        raise ValueError(f"expected an axis of the result, from {-t.ndim - 1} to {t.ndim}")
    place = axis % (t.ndim + 1)
    numbers = xp.arange(count).reshape([-1 if i == place else 1 for i in range(t.ndim + 1)])
    return (xp.expand_dims(t, place) == numbers).astype(dtype)
