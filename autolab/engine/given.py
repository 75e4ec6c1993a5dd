"""What a Variable or its gradient is given, as an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from .backend import Array, as_array, check_real, device_name, get_array_module, is_array, modules


def float_array(data: Any) -> Array:
    """Arrays as they are; Python numbers and lists of them as float64, except booleans, and NumPy scalars as they
    are."""
    if type(data) in modules or is_array(data):  # the first array from a GPU is not known by its type
        return data
    if type(data) is int and abs(data) <= 1.7976931348623157e308:  # the largest float
        return np.asarray(float(data))
    array = as_array(data, "Variable: data")
    is_python = not isinstance(data, np.ndarray | np.generic)
    return array.astype(np.float64) if is_python and array.dtype.kind in "iu" and not _holds_arrays(data) else array


def _holds_arrays(data: Any) -> bool:
    """Whether a nested list is made of arrays or NumPy scalars, which keep their dtype."""
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, np.ndarray | np.generic)


def array_like(data: Any, own: Array, given: Any, what: str) -> Array:
    """``data`` of what was ``given``, an array, a Variable or a number, as an array like ``own``."""
    is_variable = data is not given
    array = check_real(data if is_variable else as_array(data, what), what)
    if type(array) is not type(own):
        if (is_array(data) or is_variable) and device_name(array) != device_name(own):
            raise TypeError(
                f"{what}: got an array on {device_name(array)} for a Variable on {device_name(own)}: expected both on "
                "one device; move them with to_gpu or to_cpu"
            )
        array = get_array_module(own).asarray(array)  # a number or a list
    return array.astype(own.dtype, copy=False)
