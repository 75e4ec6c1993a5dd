"""Moving arrays, and what holds them, between main memory and a GPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from .backend import Array, cupy_for, is_array, on_gpu
from .errors import a_kind


def to_cpu(array: Any) -> Any:
    """What holds arrays, in main memory.

    Parameters
    ----------
    array : array, batch, or what moves itself
        An array is given back itself if it is there, else as a copy; so is a Variable, and the copy is a step of its
        graph. A batch is a tuple, list or dict of such; numbers in it stay. A `Parameter`, `Link` or `Optimizer` moves,
        and is given back itself.

    Raises
    ------
    TypeError
        If it is none of these.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> x = np.ones(2)
    >>> autolab.to_cpu(x) is x
    True
    """
    return _moved("to_cpu", array, lambda a: a if isinstance(a, np.ndarray) else a.get())


def to_gpu(array: Any) -> Any:
    """What holds arrays, on the current GPU; takes what `to_cpu` takes.

    Raises
    ------
    RuntimeError
        If CuPy or a GPU is missing; the message says which.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> x = autolab.to_gpu(np.ones(2))  # doctest: +SKIP
    """
    return _moved("to_gpu", array, lambda a: a if on_gpu(a) else cupy_for("to_gpu").asarray(a))


def _moved(name: str, value: Any, move: Callable[[Array], Array]) -> Any:
    if is_array(value):
        return move(value)
    if isinstance(value, tuple | list):
        items = [_moved(name, item, move) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: _moved(name, item, move) for key, item in value.items()}
    if isinstance(value, int | float | np.generic):
        return value
    if hasattr(value, name):
        return getattr(value, name)()
    raise TypeError(f"{name}: got {a_kind(value)}; expected an array, a Variable, or a batch of them")


def device(index: int) -> AbstractContextManager[Any]:
    """Choose the GPU on which arrays are made inside a ``with``: ``with autolab.device(0):``.

    Raises
    ------
    RuntimeError
        If CuPy or a GPU is missing; the message says which.
    ValueError
        If there is no GPU of this number.

    Examples
    --------
    >>> import autolab
    >>> import numpy as np
    >>> with autolab.device(0):  # doctest: +SKIP
    ...     x = autolab.to_gpu(np.ones(2))
    """
    cupy = cupy_for("device")
    count = cupy.cuda.runtime.getDeviceCount()
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise ValueError(f"device: got {index!r:.60}; expected a number from 0 to {count - 1}, one of the GPUs here")
    chosen: AbstractContextManager[Any] = cupy.cuda.Device(index)
    return chosen
