"""Scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Array, Variable, as_array, check_number, get_array_module, takes_other_words
from ..arrays.axes import swapaxes
from ..elementwise.selection import where
from ..linear_algebra.products import matmul
from ..working_precision import in_full
from .softmaxes import softmax


@takes_other_words
def attention(
    query: Any, key: Any, value: Any, mask: Any = None, *, causal: bool = False, scale: float | None = None
) -> Any:
    """Scaled dot-product attention: ``softmax(scale * Q @ K.T) @ V``, means of the values weighted for each query.

    A query that may not attend to any key gets zeros and passes on no gradient.

    Parameters
    ----------
    query : Variable or array
        Of shape ``(..., length, size)``.
    key : Variable or array
        Of shape ``(..., keys, size)``.
    value : Variable or array
        Of shape ``(..., keys, width)``.
    mask : Variable or array, optional
        Broadcasts to ``(..., length, keys)``. A boolean mask is True where a query may attend to a key. A
        floating-point mask is added to the scaled scores; minus infinity means that the query may not attend.
    causal : bool
        Whether each query attends only to the keys up to its own position.
    scale : float, optional
        By default ``1 / sqrt(size)``.

    Returns
    -------
    Variable or array
        Of shape ``(..., length, width)``.

    Raises
    ------
    TypeError
        If the mask is neither boolean nor floating-point.
    ValueError
        If the shapes do not match.

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
    if mask is not None:
        key, value = without_hidden("attention", query, key, value, mask)
    return rounded(matmul(weigh("attention", query, key, mask, causal, scale), value))


def _broadcast(*stacks: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(*stacks)
    except ValueError:
        return False
    return True


def without_hidden(function: str, query: Any, key: Any, value: Any, mask: Any) -> tuple[Any, Any]:
    """Keys and values with zeros where no query may look: 0 times what stands there could be NaN."""
    shape = (*np.broadcast_shapes(query.shape[:-2], key.shape[:-2]), query.shape[-2], key.shape[-2])
    allowed = _allowed(function, _checked(function, mask, shape))
    rows = allowed if allowed.ndim > 1 else allowed.reshape(1, -1)
    seen = rows.any(axis=-2)[..., None]
    return where(seen, key, 0.0), where(seen, value, 0.0)


def weigh(function: str, query: Any, key: Any, mask: Any, causal: bool, scale: float | None = None) -> Any:
    """The attention weights, of shape ``(..., length, keys)``: for each query they sum to 1, or are all 0."""
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
    """True where a key is not after the query."""
    xp, (length, keys) = get_array_module(scores), scores.shape[-2:]
    return xp.tril(xp.ones((length, keys), bool))


def _masked(function: str, scores: Any, mask: Any) -> tuple[Any, Array]:
    """The scores, with a floating-point mask added, and where the mask allows attention."""
    mask = _checked(function, mask, scores.shape)
    allowed = _allowed(function, mask)
    if mask.dtype.kind == "b":
        return scores, allowed
    (mask,), _ = in_full(function, mask=mask)
    return scores + where(allowed, mask, 0.0), allowed


def _checked(function: str, mask: Any, shape: tuple[int, ...]) -> Any:
    """A mask that broadcasts to the shape of the scores."""
    mask = mask if isinstance(mask, Variable) else as_array(mask, f"{function}: mask")
    if not _broadcast(shape, mask.shape) or np.broadcast_shapes(shape, mask.shape) != shape:
        raise ValueError(f"{function}: mask has shape {mask.shape}; expected one that broadcasts to {shape}")
    return mask


def _allowed(function: str, mask: Any) -> Array:
    """Where a mask allows attention."""
    numbers = mask.data if isinstance(mask, Variable) else mask
    if numbers.dtype.kind not in "bf":
        raise TypeError(f"{function}: mask is of dtype {numbers.dtype}; expected booleans (True: may attend) or floats")
    return numbers if numbers.dtype.kind == "b" else numbers != -math.inf
