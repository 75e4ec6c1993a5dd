"""Attention: every place looks at others, weighs them, and takes their mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.arrays import as_array
from ...engine.backend import Array, get_array_module
from ...engine.errors import check_number
from ...engine.keyword_aliases import takes_other_words
from ...engine.variable import Variable
from ..arrays.axes import swapaxes
from ..elementwise.selection import where
from ..linear_algebra.products import matmul
from ..working_precision import in_full
from .softmaxes import softmax


@takes_other_words
def attention(
    query: Any, key: Any, value: Any, mask: Any = None, *, causal: bool = False, scale: float | None = None
) -> Any:
    """The mean of ``value`` weighted by how well the keys fit the queries: ``softmax(scale * Q @ K.T) @ V``.

    A query that may look at no key gets zeros, and gives no gradient.

    Parameters
    ----------
    query : Variable or array
        Of shape ``(..., length, size)``.
    key : Variable or array
        Of shape ``(..., keys, size)``.
    value : Variable or array
        Of shape ``(..., keys, width)``.
    mask : Variable or array, optional
        Broadcasts to ``(..., length, keys)``. Of booleans: True where a query may look at a key. Of floats: what is
        added to the scaled product, minus infinity where a query may not look.
    causal : bool
        Let no query look at a key behind its own place.
    scale : float, optional
        By default ``1 / sqrt(size)``.

    Returns
    -------
    Variable or array
        Of shape ``(..., length, width)``.

    Raises
    ------
    TypeError
        If the mask is neither of booleans nor of floats.
    ValueError
        If the shapes do not fit.

    Notes
    -----
    A. Vaswani et al., "Attention is all you need", 2017.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> x = Variable([[1.0, 0.0], [0.0, 1.0]])
    >>> F.attention(x, x, x, causal=True, scale=0.0)
    variable([[1.  0. ]
              [0.5 0.5]])
    """
    (query, key, value), rounded = in_full("attention", query=query, key=key, value=value)
    shapes = query.shape, key.shape, value.shape
    fits = all([len(shape) > 1 for shape in shapes]) and query.shape[-1] == key.shape[-1]
    if not fits or key.shape[-2] != value.shape[-2] or not _broadcast(*[shape[:-2] for shape in shapes]):
        raise ValueError(
            f"attention: query has shape {shapes[0]}, key {shapes[1]}, value {shapes[2]}; "
            "expected (..., length, size), (..., keys, size) and (..., keys, width)"
        )
    if scale is not None:
        scale = check_number("attention", "scale", scale, -math.inf)
    return rounded(matmul(weigh("attention", query, key, mask, causal, scale), value))


def _broadcast(*stacks: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(*stacks)
    except ValueError:
        return False
    return True


def weigh(function: str, query: Any, key: Any, mask: Any, causal: bool, scale: float | None = None) -> Any:
    """How much each query looks at each key, of shape ``(..., length, keys)``: 1 in sum, or 0 where it may not."""
    scores = matmul(query, swapaxes(key, axis1=-1, axis2=-2))
    scores = scores / math.sqrt(max(query.shape[-1], 1)) if scale is None else scores * scale
    if mask is None:
        return softmax(where(_before(scores), scores, -math.inf) if causal else scores, axis=-1)
    scores, seen = _masked(function, scores, mask)
    if causal:
        seen = seen & _before(scores)
    some = seen.any(axis=-1, keepdims=True)
    return where(some, softmax(where(seen | ~some, scores, -math.inf), axis=-1), 0.0)


def _before(scores: Any) -> Array:
    """True where a key is not behind the query."""
    xp, (length, keys) = get_array_module(scores), scores.shape[-2:]
    return xp.tril(xp.ones((length, keys), bool))


def _masked(function: str, scores: Any, mask: Any) -> tuple[Any, Array]:
    """The scores with what a mask of floats adds to them, and where it lets look."""
    mask = mask if isinstance(mask, Variable) else as_array(mask, f"{function}: mask")
    if not _broadcast(scores.shape, mask.shape) or np.broadcast_shapes(scores.shape, mask.shape) != scores.shape:
        raise ValueError(f"{function}: mask has shape {mask.shape}; expected one that broadcasts to {scores.shape}")
    numbers = mask.data if isinstance(mask, Variable) else mask
    if numbers.dtype.kind == "b":
        return scores, numbers
    if numbers.dtype.kind != "f":
        raise TypeError(f"{function}: mask is of dtype {numbers.dtype}; expected booleans (True: may look) or floats")
    (mask,), _ = in_full(function, mask=mask)
    allowed = numbers != -math.inf
    return scores + where(allowed, mask, 0.0), allowed
