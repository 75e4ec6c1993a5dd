"""``torch.nn.functional``: AutoLab's functions with PyTorch's names and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import functions as F
from ....functions import pytorch_losses as _losses  # noqa: F401  # for table.txt
from ....functions.networks.dot_product_attention import weigh
from ....links import functional as _links  # noqa: F401  # for table.txt
from ...table import fill
from .. import _elementwise  # noqa: F401  # for table.txt
from .._arguments import beside, cast, expect, floats, numbers, of_floats, tensor_of, without_gradient  # noqa: F401  # floats is for table.txt
from .._inplace import replaced
from .._products import cosine_similarity as cosine_similarity
from .._tensor import constant, dressed, plain  # noqa: F401  # plain is for table.txt
from ._losses import *  # noqa: F403
from ._windows import *  # noqa: F403


def _placed(name: str, input: Any, y: Any, inplace: bool, slope: float = 1) -> Any:
    if inplace and slope < 0 and y.node is not None:
        raise RuntimeError(f"{name}: the result is to replace the input, and the slope is {slope}; expected at least 0")
    return replaced(input, name, y) if inplace else dressed(y)


def _linear(input: Any, weight: Any, bias: Any) -> Any:
    try:
        return dressed(F.linear(input, weight, bias))
    except ValueError:
        rows, one = weight._data.ndim - 1, None if bias is None else bias._data  # a bias may stand for all rows
        if rows not in (0, 1) or (one is None and rows) or (one is not None and (one.size != 1 or one.ndim > rows)):
            raise
    y = F.matmul(input, weight if weight._data.ndim == 1 else weight.t())
    return dressed(y if bias is None else y + bias)


def _one_hot(tensor: Any, num_classes: int) -> Any:
    expect(num_classes >= -1, "one_hot", "num_classes", num_classes, "a number of classes, or -1")
    expect(tensor.size or num_classes > 0, "one_hot", "num_classes", num_classes, "a number above 0 without classes")
    return constant(F.one_hot(tensor, None if num_classes < 0 else num_classes, dtype=np.int64))


def _attended(
    query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float, is_causal: bool, scale: float | None
) -> Any:
    name = "scaled_dot_product_attention"
    mask = without_gradient(name, "attn_mask", attn_mask)
    of_mask = None if mask is None or mask.dtype == bool else attn_mask
    beside(name, query, key=key, value=value, attn_mask=of_mask)
    if is_causal and mask is not None:
        raise RuntimeError(f"{name}: got an attn_mask and is_causal=True; expected one of them")
    if dropout_p:
        weights = weigh(name, query, key, mask, is_causal, scale)
        return dressed(F.cast(F.matmul(dropout(weights, dropout_p), value), query._data.dtype))
    return dressed(F.attention(query, key, value, mask, causal=is_causal, scale=scale))


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zero elements with probability ``p`` and divide the others by ``1 - p``; outside training, ``input`` itself."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p is {p}; expected a probability, from 0 to 1")
    if not training or p == 0:
        return input
    if p == 1:
        return _placed("dropout", input, input * 0, inplace)
    return _placed("dropout", input, F.dropout(of_floats("dropout", input), p, training=True), inplace)


def _shape(function: str, normalized_shape: Any) -> tuple[int, ...]:
    expect(not isinstance(normalized_shape, int), function, "normalized_shape", normalized_shape, "a tuple")
    return tuple(normalized_shape)


def _eps(eps: float, training: bool) -> float:
    expect(eps > 0 or not training, "batch_norm", "eps", eps, "a number above 0")
    return eps


__getattr__ = fill(__name__)
