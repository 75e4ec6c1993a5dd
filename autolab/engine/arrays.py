"""Conversion of user input to arrays: numbers, lists, and data assigned to a Variable or its gradient."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .backend import Array, device_name, get_array_module, is_array, modules
from .errors import a_kind

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)
_SCALARS_PER_DTYPE = 4096

_scalars: dict[np.dtype, dict[float, np.ndarray]] = {}


def as_array(value: object, what: str) -> Array:
    """``value`` as an array: arrays unchanged, anything else through NumPy; ``what`` names it in errors."""
    if is_array(value):
        return value
    if hasattr(value, "whole"):  # a recorded scalar
        return value.whole()
    masked = sys.modules.get("numpy.ma")  # if it is not imported, nothing is masked
    if masked is not None and isinstance(value, masked.MaskedArray):
        raise TypeError(f"{what}: got a masked array, whose mask would be lost; fill it: a.filled(0.0)")
    try:
        array = np.asarray(value)
    except ValueError:
        raise TypeError(
            f"{what}: got {_describe(value, None)}; expected lists of equal lengths, as in [[1, 2], [3, 4]]"
        ) from None
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{what}: got {_describe(value, array)}; expected real numbers (float32, float64, integers or booleans)"
        )
    return array


def array_of(result: Any) -> Array:
    """``result`` as an array: NumPy returns scalars for 0-d results, and a gradient may be a `SlicedGradient`."""
    if type(result) in modules:
        return result
    result = result.whole() if hasattr(result, "whole") else result
    return result if type(result) in modules else np.asarray(result)


def check_real(array: Array, what: str) -> Array:
    """``array`` itself if its numbers are real, else a TypeError that names ``what``."""
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what}: got an array of {array.dtype}; expected real numbers (complex is not supported)")
    return array


def _describe(value: object, array: np.ndarray | None) -> str:
    if array is not None and isinstance(value, np.ndarray):
        return f"an array of {array.dtype}"
    try:
        return "None" if value is None else f"{type(value).__name__} {value!r:.60}"
    except ValueError:  # Python refuses to format integers of more than 4300 digits
        return a_kind(value)


def scalar(value: float, dtype: np.dtype) -> Array:
    """A Python number as a cached 0-d array of ``dtype``, which a ufunc handles twice as fast as the number itself.

    For an integer dtype, integers stay as they are, so that NumPy's own promotion decides.
    """
    try:
        return _scalars[dtype][value]
    except KeyError:
        pass
    if dtype.kind != "f":
        return value
    array = np.array(value, dtype)
    array.flags.writeable = False
    if value == value and value != 0:  # NaN would never be found again; 0.0 and -0.0 would share a key
        table = _scalars.setdefault(dtype, {})
        if len(table) >= _SCALARS_PER_DTYPE:
            table.clear()
        table[value] = array
    return array


def float_array(data: Any) -> Array:
    """Arrays and NumPy scalars keep their dtype; Python numbers and lists of them become float64, except booleans."""
    if type(data) in modules or is_array(data):  # the type of the first GPU array is not registered yet
        return data
    if type(data) is int and abs(data) <= 1.7976931348623157e308:  # the largest float
        return np.asarray(float(data))
    array = as_array(data, "Variable: data")
    is_python = not isinstance(data, np.ndarray | np.generic)
    return array.astype(np.float64) if is_python and array.dtype.kind in "iu" and not holds_arrays(data) else array


def holds_arrays(data: Any) -> bool:
    """Whether a nested list contains arrays or NumPy scalars, which keep their dtype."""
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, np.ndarray | np.generic)


def array_like(data: Any, own: Array, given: Any, what: str) -> Array:
    """``data``, taken from ``given`` (an array, a Variable or a number), as an array like ``own``."""
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
