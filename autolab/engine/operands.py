"""Inputs as arrays: how a declared function converts the numbers and lists among its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import as_array, check_real, scalar
from .backend import Array, get_array_module, is_array, modules
from .errors import a_kind
from .variable import Variable

if TYPE_CHECKING:
    from .primitive import Primitive


def as_arrays(function: Primitive, values: list[Any]) -> list[Array]:
    """Numbers and lists as arrays; as in NumPy, numbers take the dtype of the arrays."""
    if len(values) == 2 and function.elementwise:  # a fast path for the most common case, x * 2.0
        a, b = values
        if type(a) is np.ndarray and a.dtype.kind in "fiub" and type(b) in (float, int):
            return [a, function.number(np, b, a.dtype)]
        if type(b) is np.ndarray and b.dtype.kind in "fiub" and type(a) in (float, int):
            return [function.number(np, a, b.dtype), b]
    arrays = [value for value in values if is_array(value)]
    xp = get_array_module(*arrays)
    beside = np.result_type(*_weighty(function, values, arrays)) if arrays and function.elementwise else None
    converted: list[Any] = []
    for i, value in enumerate(values):
        if value is None and i >= function.schema.required:
            converted.append(None)
        elif beside is not None and type(value) in (float, int):
            converted.append(function.number(xp, value, beside))
        else:
            converted.append(_converted(function, xp, value, f"{function.name}: input {function.schema.label(i)!r}"))
    return converted


def _converted(function: Primitive, xp: Any, value: Any, what: str) -> Array:
    if isinstance(value, list | tuple) and any([isinstance(item, Variable) for item in value]):
        how = f"one sequence: {function.name}(xs)" if function.schema.variadic else "one value, such as stack(xs)"
        raise TypeError(f"{what}: got {a_kind(value)} of Variables; expected {how}")
    array = check_real(as_array(value, what), what)
    return xp.asarray(array) if type(array) is np.ndarray and type(value) is not np.ndarray else array


def number_beside(function: Primitive, xp: Any, value: float, dtype: np.dtype) -> Any:
    """A number combined with arrays: CuPy's own functions accept it directly, and nothing is copied to the device."""
    if xp is np or getattr(xp, "draws_as_numpy", False):  # recorded arrays, too, give NumPy's bits
        return scalar(value, dtype)
    return value if function.direct or dtype.kind != "f" else xp.full((), value, dtype)


def _weighty(function: Primitive, values: list[Any], arrays: list[Array]) -> list[np.dtype]:
    """The dtypes that determine that of a number: those of the inputs with a rule, so not that of a condition."""
    ruled = [v for i, v in enumerate(values) if type(v) in modules and function.plan(i) is not None]
    return [array.dtype for array in ruled or arrays]
