"""``chainer.functions.pooling``"""

from __future__ import annotations

from typing import Any

from .... import functions as F
from ....functions import chainer_names
from ...table import fill, signed
from ._adapt import adapted, composed


def _pair(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


@composed
@signed
def max_pooling_2d(x, ksize, stride, pad, cover_all):
    """The largest element of every window. With ``cover_all`` there are so many that every element is in one.

    Elements that are equally large share the gradient equally; Chainer gave it to the first.
    """
    return chainer_names.max_pooling_2d(x, ksize, stride, pad, cover_all)


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
