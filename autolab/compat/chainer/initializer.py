"""``chainer.initializer``"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...initializers import fans

__all__ = ["Initializer", "get_fans"]


class Initializer:
    """Base class of initializers: a subclass defines ``__call__``, which fills an array in place.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> class Ramp(chainer.Initializer):
    ...     def __call__(self, array):
    ...         array[...] = range(len(array))
    >>> chainer.Parameter(Ramp(), 3)
    variable([0., 1., 2.])
    """

    def __init__(self, dtype: Any = None) -> None:
        self.dtype = None if dtype is None else np.dtype(dtype)

    def __call__(self, array: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}: write __call__(self, array)")


def get_fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Fan in and fan out of a weight of shape ``(out, in, *kernel)``.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.initializer.get_fans((10, 4, 3, 3))
    (36, 90)
    """
    if len(shape) < 2:
        raise ValueError(f"get_fans: shape is {shape}; expected two axes or more")
    return fans(shape)
