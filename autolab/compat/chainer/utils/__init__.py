"""``chainer.utils``: `type_check`, and small helpers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ... import missing
from . import type_check

__all__ = ["experimental", "force_array", "tempdir", "type_check"]


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


__getattr__ = missing(__name__)
