"""embedding and one_hot: integers to vectors."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ...engine import Array
from ...engine.declare import primitive
from ..arrays.indexing import scatter


@primitive(w=lambda g, ids, w_shape: scatter(g, index=ids, shape=w_shape))
def embedding(xp: Any, ids: Array, w: Array) -> Array:
    """Look up the rows of ``w`` given by ``ids``; the gradients of a row that occurs several times are added.

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
        If the ids are not integers.
    ValueError
        If an id is negative or not below the number of rows.

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


def padding_row(function: str, padding_idx: Any, rows: int, from_end: bool = True) -> int | None:
    """The row of a table that pads sequences; as in PyTorch, negative numbers count from the end."""
    if padding_idx is None:
        return None
    whole, least = isinstance(padding_idx, int | np.integer) and not isinstance(padding_idx, bool), -rows * from_end
    if not whole or not least <= padding_idx < rows:
        raise ValueError(f"{function}: padding_idx is {padding_idx!r:.60}; expected an index, {least} to {rows - 1}")
    return int(padding_idx) % rows


@primitive()
def one_hot(xp: Any, t: Array, *, classes: int | None = None, axis: int = -1, dtype: Any = np.float32) -> Array:
    """One-hot encoding: for each class a vector with 1 at its position and 0 elsewhere. It has no gradient.

    Parameters
    ----------
    t : array of int
        Classes, counted from 0, of any shape.
    classes : int, optional
        The number of classes; by default one more than the largest in ``t``.
    axis : int
        The axis of the classes in the result.
    dtype : dtype
        The dtype of the result. Combined with float64, the default float32 gives float64.

    Raises
    ------
    TypeError
        If the classes are not integers.
    ValueError
        If a class is negative or not below ``classes``.

    Examples
    --------
    >>> from autolab import functions as F
    >>> F.one_hot([0, 2], 3)
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    if t.dtype.kind not in "iu":
        raise TypeError(f"one_hot: t is of dtype {t.dtype}; expected integers, the numbers of classes")
    count = (int(t.max()) + 1 if t.size else 0) if classes is None else index(classes)
    if ((t < 0) | (t >= count)).any():
        expected = "numbers of at least 0" if classes is None else f"classes from 0 to {count - 1}"
        raise ValueError(f"t goes from {t.min()} to {t.max()}; expected {expected}")
    if not -t.ndim - 1 <= axis <= t.ndim:
        raise ValueError(f"expected an axis of the result, from {-t.ndim - 1} to {t.ndim}")
    place = axis % (t.ndim + 1)
    numbers = xp.arange(count).reshape([-1 if i == place else 1 for i in range(t.ndim + 1)])
    return (xp.expand_dims(t, place) == numbers).astype(dtype)
