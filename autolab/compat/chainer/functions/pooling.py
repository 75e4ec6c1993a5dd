"""``chainer.functions.pooling``"""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import functions as F
from ...table import fill, signed
from ..variable import as_array
from ._adapt import adapted, composed


def _pair(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


@composed
@signed
def max_pooling_2d(x, ksize, stride, pad, cover_all):
    """The largest element of every window. With ``cover_all`` there are so many that every element is in one.

    Elements that are equally large share the gradient equally; Chainer gave it to the first.
    """
    kernel, steps, around = _pair(ksize), _pair(ksize if stride is None else stride), _pair(pad)
    shape = as_array(x).shape
    if not cover_all or len(shape) != 4:
        return F.max_pool2d(x, kernel=kernel, stride=steps, padding=around)
    left_over = [(n + 2 * p - k) % s for n, k, s, p in zip(shape[2:], kernel, steps, around, strict=True)]
    more = [0 if rest == 0 else s - rest for rest, s in zip(left_over, steps, strict=True)]
    if not any(more):
        return F.max_pool2d(x, kernel=kernel, stride=steps, padding=around)
    widths = [(p, p + extra) for p, extra in zip(around, more, strict=True)]
    kind = as_array(x).dtype
    least = -np.inf if kind.kind == "f" else np.iinfo(kind).min
    lowest = F.pad(x, ((0, 0), (0, 0), *widths), constant_values=least)
    return F.max_pool2d(lowest, kernel=kernel, stride=steps)


def _of_images(pool: Any, x: Any, ksize: Any, stride: Any, pad: Any, **options: Any) -> Any:
    """A function of images for sequences."""
    sizes = [n[0] if isinstance(n, tuple | list) else n for n in (ksize, ksize if stride is None else stride, pad)]
    rows = [(1, n) for n in sizes[:2]]
    return F.squeeze(pool(F.expand_dims(x, 2), *rows, (0, sizes[2]), **options), 2)


@composed
def average_pooling_1d(x: Any, ksize: Any, stride: Any = None, pad: Any = 0) -> Any:
    """`average_pooling_2d` of sequences."""
    return _of_images(F.avg_pool2d, x, ksize, stride, pad)


@composed
@signed
def max_pooling_1d(x, ksize, stride, pad, cover_all):
    """`max_pooling_2d` of sequences."""
    return _of_images(max_pooling_2d, x, ksize, stride, pad, cover_all=cover_all)


@composed
@signed
def unpooling_2d(x, ksize, stride, pad, outsize, cover_all):
    """Each element, repeated over a window; windows do not overlap here."""
    kernel, steps = _pair(ksize), _pair(ksize if stride is None else stride)
    if kernel != steps or _pair(pad) != (0, 0):
        raise NotImplementedError("unpooling_2d: windows that overlap are not part of AutoLab's chainer facade")
    y = F.repeat(F.repeat(x, kernel[0], axis=2), kernel[1], axis=3)
    return y if outsize is None else F.getitem(y, index=(..., slice(outsize[0]), slice(outsize[1])))


__getattr__ = fill(__name__, adapted, composed)
