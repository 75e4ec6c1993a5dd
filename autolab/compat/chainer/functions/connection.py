"""``chainer.functions.connection``"""

from __future__ import annotations

from math import prod
from typing import Any

from .... import functions as F
from ...table import fill
from ..variable import as_array
from ._adapt import adapted, composed


@adapted
def linear(x: Any, W: Any, b: Any = None, n_batch_axes: int = 1) -> Any:
    """``x @ W.T + b``; axes behind the first ``n_batch_axes`` count as one."""
    shape = as_array(x).shape
    if len(shape) < n_batch_axes + 1:
        raise ValueError(f"linear: x has shape {shape}; expected {n_batch_axes} axes of examples, and one more")
    if len(shape) > n_batch_axes + 1:
        x = F.reshape(x, shape=(*shape[:n_batch_axes], prod(shape[n_batch_axes:])))
    return _as(x, F.linear(x, W) if b is None else F.linear(x, W, b))


def _as(x: Any, y: Any) -> Any:
    """``y`` in the dtype of ``x``: Chainer's layers keep it, whatever their weights have."""
    return y if as_array(y).dtype == as_array(x).dtype else F.cast(y, as_array(x).dtype)


@composed
def depthwise_convolution_2d(x: Any, W: Any, b: Any = None, stride: Any = 1, pad: Any = 0) -> Any:
    """Each channel by itself: ``W`` has shape ``(results per channel, channels, height, width)``."""
    several, channels, *size = as_array(W).shape
    kernels = F.reshape(F.transpose(W, (1, 0, 2, 3)), (channels * several, 1, *size))
    return _as(x, F.conv2d(x, kernels, b, stride=stride, padding=pad, groups=channels))


@composed
def embed_id(x: Any, W: Any, ignore_label: int | None = None) -> Any:
    """The rows of ``W`` that ``x`` names; zeros for ``ignore_label``."""
    ids = as_array(x)
    if ignore_label is None:
        return F.embedding(ids, W)
    kept = ids != ignore_label
    return F.mul(F.embedding(ids * kept, W), kept[..., None].astype(as_array(W).dtype))


@composed
def bilinear(e1: Any, e2: Any, W: Any, V1: Any = None, V2: Any = None, b: Any = None) -> Any:
    """``e1 W e2`` for each example, with linear terms ``e1 V1 + e2 V2 + b`` if they are given."""
    e1, e2 = [F.reshape(e, (len(as_array(e)), -1)) for e in (e1, e2)]
    y = F.einsum("ij,ik,jkl->il", e1, e2, W)
    if V1 is None:
        return y
    return F.add(F.add(F.add(y, F.matmul(e1, V1)), F.matmul(e2, V2)), b)


__getattr__ = fill(__name__, adapted, composed)
