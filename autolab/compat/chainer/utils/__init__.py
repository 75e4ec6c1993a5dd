"""``chainer.utils``: `type_check`, and small helpers."""

from __future__ import annotations

from collections import abc as collections_abc
from contextlib import AbstractContextManager
from math import prod
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...absent import gather


def force_array(x: Any, dtype: Any = None) -> Any:
    """``x`` as an array: NumPy gives a scalar where a result has no axes.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.utils.force_array(np.float32(1.5))
    array(1.5, dtype=float32)
    """
    array = x if hasattr(x, "__array__") and not np.isscalar(x) else np.asarray(x)
    return array if dtype is None else array.astype(dtype, copy=False)


def get_conv_outsize(size: int, k: int, s: int, p: int, cover_all: bool = False, d: int = 1) -> int:
    """The length of a convolution's result, for the length of its input, kernel, stride and padding.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.utils.get_conv_outsize(10, 3, 2, 1)
    5
    """
    return (size + 2 * p - (d * (k - 1) + 1) + (s - 1 if cover_all else 0)) // s + 1


def get_deconv_outsize(size: int, k: int, s: int, p: int, cover_all: bool = False, d: int = 1) -> int:
    """The same of a transposed convolution.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.utils.get_deconv_outsize(5, 3, 2, 1)
    9
    """
    return s * (size - 1) + d * (k - 1) + 1 - 2 * p - (s - 1 if cover_all else 0)


def size_of_shape(shape: tuple[int, ...]) -> int:
    """The number of elements.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.utils.size_of_shape((2, 3))
    6
    """
    return prod(shape)


def tempdir(**settings: Any) -> AbstractContextManager[str]:
    """A folder that is there inside a ``with`` block.

    Examples
    --------
    >>> from pathlib import Path
    >>> from autolab.compat import chainer
    >>> with chainer.utils.tempdir() as folder:
    ...     Path(folder).is_dir()
    True
    """
    return TemporaryDirectory(**settings)


def experimental(api_name: str) -> None:
    """Chainer warned here of what may change; nothing is said.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.utils.experimental("my.function")
    """


__getattr__ = gather(__name__)
