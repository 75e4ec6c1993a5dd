"""``import autolab.numpy as np``, as in autograd and JAX: NumPy's functions, which accept Variables anyway.

`array`, `asarray`, `c_` and `r_` are defined here because NumPy does not dispatch on the elements of a list.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from ..engine import Variable
from ..engine.numpy_functions import requires as _requires
from ..engine.numpy_protocol import unwrap as _unwrap


def array(object: Any, dtype: Any = None, *, ndmin: int = 0, **settings: Any) -> Any:
    """``numpy.array``, also for lists that contain Variables: these are stacked and keep their graph.

    Parameters
    ----------
    object : array, number, or nested lists of them
        Variables that do not require a gradient are treated as plain numbers.
    dtype : dtype, optional
    ndmin : int
        The least number of axes; missing ones of length 1 are put in front.
    **settings
        Further arguments of ``numpy.array``, for plain numbers only.

    Examples
    --------
    >>> import autolab.numpy as np
    >>> from autolab import grad
    >>> grad(lambda x: np.array([x, 2.0 * x]).sum())(1.0)
    variable(3.0)
    """
    if "requires_grad" in settings:
        raise TypeError("array: got requires_grad, which arrays do not have; autolab.array(...) is a Variable")
    if not _requires(object):
        return _numpy.array(_unwrap(object), dtype, ndmin=ndmin, **settings)
    one = isinstance(object, Variable)
    joined = _numpy.copy(object) if one else _numpy.stack([i if isinstance(i, Variable) else array(i) for i in object])
    joined = joined if dtype is None else joined.astype(dtype)
    return joined if joined.ndim >= ndmin else joined[(_numpy.newaxis,) * (ndmin - joined.ndim)]


def asarray(a: Any, dtype: Any = None, **settings: Any) -> Any:
    """``numpy.asarray``; a Variable is returned as is, and lists that contain Variables are stacked as by `array`."""
    if isinstance(a, Variable):
        return a if dtype is None else a.astype(dtype, copy=False)
    return array(a, dtype) if _requires(a) else _numpy.asarray(_unwrap(a), dtype, **settings)


class _Joining:
    """Joins the arrays in its brackets along ``axis``; those with too few axes are reshaped to ``shape`` first.

    Examples
    --------
    >>> from autolab import Variable, c_, r_
    >>> x = Variable([1.0, 2.0])
    >>> r_[0.0, x, 3:5]
    variable([0. 1. 2. 3. 4.])
    >>> c_[x, -x]
    variable([[ 1. -1.]
              [ 2. -2.]])
    """

    def __init__(self, name: str, shape: tuple[int, ...], axis: int) -> None:
        self._name, self._shape, self._axis = name, shape, axis

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if not _requires(parts):
            return getattr(_numpy, self._name)[_unwrap(key)]
        if isinstance(parts[0], str):
            raise TypeError(
                f"{self._name}: got the text {parts[0]!r:.60}; expected arrays, numbers and slices. "
                "np.concatenate([a, b], axis) joins Variables along any axis"
            )
        arrays = [asarray(_numpy.r_[part] if isinstance(part, slice) else part) for part in parts]
        deep = [a if _numpy.ndim(a) >= len(self._shape) else _numpy.reshape(a, self._shape) for a in arrays]
        return _numpy.concatenate(deep, axis=self._axis)


c_, r_ = _Joining("c_", (-1, 1), -1), _Joining("r_", (-1,), 0)


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)
