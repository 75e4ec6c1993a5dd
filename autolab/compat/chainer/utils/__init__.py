"""``chainer.utils``: `type_check`, and small helpers."""

from __future__ import annotations

from collections import abc as collections_abc
from contextlib import AbstractContextManager
from math import prod
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...absent import gather
from ...table import fill


def force_array(x: Any, dtype: Any = None) -> Any:
    """``x`` as an array, also if it is a NumPy scalar, as results without axes are.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.utils.force_array(np.float32(1.5))
    array(1.5, dtype=float32)
    """
    array = x if hasattr(x, "__array__") and not np.isscalar(x) else np.asarray(x)
    return array if dtype is None else array.astype(dtype, copy=False)


def experimental(api_name: str) -> None:
    """Does nothing; Chainer warns here that an interface may change.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.utils.experimental("my.function")
    """


fill(__name__)
__getattr__ = gather(__name__)
