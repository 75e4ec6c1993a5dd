"""What Chainer computes in another way than the function of AutoLab that is nearest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays import as_array
from ..engine.numpy_protocol import unwrap
from .arrays.repeating import pad as padded
from .networks.pool import max_pool2d


def max_pooling_2d(x: Any, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True) -> Any:
    """The largest element of every window. With ``cover_all`` there are so many that every element is in one.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import functions as F
    >>> F.max_pooling_2d(np.arange(9.0).reshape(1, 1, 3, 3), 2)
    array([[[[4., 5.],
             [7., 8.]]]])
    """
    kernel, steps, around = _pair(ksize), _pair(ksize if stride is None else stride), _pair(pad)
    data = as_array(unwrap(x), "max_pooling_2d: x")
    shape, kind = data.shape, data.dtype
    if not cover_all or len(shape) != 4:
        return max_pool2d(x, kernel=kernel, stride=steps, padding=around)
    left_over = [(n + 2 * p - k) % s for n, k, s, p in zip(shape[2:], kernel, steps, around, strict=True)]
    more = [0 if rest == 0 else s - rest for rest, s in zip(left_over, steps, strict=True)]
    if not any(more):
        return max_pool2d(x, kernel=kernel, stride=steps, padding=around)
    widths = [(p, p + extra) for p, extra in zip(around, more, strict=True)]
    least = -np.inf if kind.kind == "f" else np.iinfo(kind).min
    lowest = padded(x, ((0, 0), (0, 0), *widths), constant_values=least)
    return max_pool2d(lowest, kernel=kernel, stride=steps)


def _pair(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, tuple | list) else (value, value)
