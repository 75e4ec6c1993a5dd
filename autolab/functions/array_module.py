"""``import autolab.numpy as np``, as of autograd and JAX: NumPy's functions, which take Variables anyway.

`array` and `asarray` are here, because NumPy does not ask the numbers in a list what to do with them.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from ..engine.numpy_functions import requires
from ..engine.numpy_protocol import unwrap
from ..engine.variable import Variable
from .arrays.joining import stack
from .numpy_names import copy


def array(object: Any, dtype: Any = None, **settings: Any) -> Any:
    """``numpy.array``, also of lists that hold Variables: these are joined, and keep their gradients.

    Parameters
    ----------
    object : array, number, or nested lists of them
        Variables that require no gradient are numbers like others.
    dtype : dtype, optional
    **settings
        Others of ``numpy.array``, for numbers alone.

    Examples
    --------
    >>> import autolab.numpy as np
    >>> from autolab import grad
    >>> grad(lambda x: np.array([x, 2.0 * x]).sum())(1.0)
    variable(3.0)
    """
    if "requires_grad" in settings:
        raise TypeError("array: got requires_grad, which arrays do not have; autolab.array(...) is a Variable")
    if not requires(object):
        return _numpy.array(unwrap(object), dtype, **settings)
    if isinstance(object, Variable):
        return copy(object) if dtype is None else object.astype(dtype)
    parts = [item if isinstance(item, Variable) else array(item) for item in object]
    joined = stack(parts, axis=0)
    return joined if dtype is None else joined.astype(dtype)


def asarray(a: Any, dtype: Any = None, **settings: Any) -> Any:
    """``numpy.asarray``; a Variable stays itself, and lists that hold some are joined as by `array`."""
    if isinstance(a, Variable):
        return a if dtype is None else a.astype(dtype, copy=False)
    return array(a, dtype) if requires(a) else _numpy.asarray(unwrap(a), dtype, **settings)


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)
