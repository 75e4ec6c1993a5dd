"""Checking and converting arguments: tensors, and PyTorch's rules of type promotion."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import functions as F
from ...engine import a_kind
from ._tensor import Engine, constant, dressed, plain
from ._types import default_dtype

_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2}


def tensor_of(function: str, value: Any, name: str = "input") -> Any:
    """An argument that must be a tensor."""
    if isinstance(value, Engine):
        return value
    raise TypeError(f"{function}: {name} is {a_kind(value)}; expected a tensor")


def cast(x: Any, dtype: np.dtype) -> Any:
    """A tensor converted to another type; no gradient passes to or from integers."""
    data = x._data
    if data.dtype == dtype:
        return x
    if x.node is None or dtype.kind != "f":
        return constant(data.astype(dtype))
    return dressed(F.cast(x, dtype=dtype))


def floats(x: Any) -> Any:
    """A tensor of floats: integers are converted to the default type."""
    return x if x._data.dtype.kind == "f" else cast(x, default_dtype())


def of_floats(function: str, value: Any, name: str = "input") -> Any:
    """A tensor that must hold floats, for functions that PyTorch does not define for integers."""
    if tensor_of(function, value, name)._data.dtype.kind != "f":
        kind = f"torch.{value._data.dtype}"
        raise RuntimeError(f"{function}: {name} is of {kind}; expected floats, as from {name}.float()")
    return value


def numbers(function: str, value: Any, name: str = "target") -> Any:
    """A tensor of numbers, for functions that PyTorch does not define for booleans."""
    if tensor_of(function, value, name)._data.dtype == bool:
        raise RuntimeError(f"{function}: {name} is of torch.bool; expected numbers, as from {name}.float()")
    return value


def beside(function: str, input: Any, **others: Any) -> Any:
    """The input, which must hold floats of the same type as the other tensors, such as weight and bias."""
    if not isinstance(input, Engine) or input._data.dtype.kind != "f":
        of_floats(function, input)
    dtype = input._data.dtype
    for name, one in others.items():
        if one is not None and (not isinstance(one, Engine) or one._data.dtype != dtype):
            kinds = f"torch.{dtype}, and {name} of torch.{tensor_of(function, one, name)._data.dtype}"
            raise RuntimeError(f"{function}: input is of {kinds}; expected one type, as from input.to({name}.dtype)")
    return input


def expect(right: Any, function: str, name: str, value: Any, expected: str) -> None:
    """Refuse the value of an argument that is not right."""
    if not right:
        raise ValueError(f"{function}: {name} is {value!r:.60}; expected {expected}")


def together(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands converted to the type to which PyTorch promotes them.

    Numbers and zero-dimensional tensors do not widen a tensor of the same kind; floats are a higher kind than integers,
    whatever their sizes.
    """
    if not isinstance(a, Engine):
        b, a = together(b, a)
        return a, b
    if isinstance(b, np.ndarray | np.generic):
        b = constant(b)
    if not isinstance(b, Engine):
        return _beside_number(a, b), b
    if a._data.dtype == b._data.dtype:
        return a, b
    common = common_dtype(a._data, b._data)
    return cast(a, common), cast(b, common)


def common_dtype(*arrays: Any) -> np.dtype:
    """The type to which arrays are promoted before a computation."""
    rank = max([_RANKS[array.dtype.kind] for array in arrays])
    highest = [array for array in arrays if _RANKS[array.dtype.kind] == rank]
    with_axes = [array for array in highest if array.ndim]
    return np.result_type(*[array.dtype for array in with_axes or highest])


def _beside_number(a: Any, number: Any) -> Any:
    kind = a._data.dtype.kind
    if kind == "f" or isinstance(number, bool) or not isinstance(number, int | float):
        return a
    if isinstance(number, float):
        return cast(a, default_dtype())
    return cast(a, np.dtype(np.int64)) if kind == "b" else a


def index_of(index: Any) -> Any:
    """An index in which tensors are replaced by their arrays."""
    return tuple([plain(one) for one in index]) if isinstance(index, tuple) else plain(index)


def axes(dim: Any) -> Any:
    """``dim`` as NumPy's ``axis``: None, an integer, or a tuple of integers."""
    return tuple(dim) if isinstance(dim, list | tuple) else dim


def is_whole(x: Any) -> bool:
    """Whether a tensor or a number is integral, which includes booleans."""
    return bool(x._data.dtype.kind in "biu") if isinstance(x, Engine) else isinstance(x, int | np.integer | np.bool_)


def reduced(dim: Any, x: Any = None) -> Any:
    """`axes` of a reduction: an empty ``dim`` means all axes; a zero-dimensional tensor accepts 0 and -1."""
    if x is not None and not x._data.ndim and dim in (0, -1):
        return None
    return axes(dim) if isinstance(dim, int) or dim else None


def number(value: Any) -> Any:
    """A number as a tensor of the type that PyTorch gives it; a tensor is returned unchanged."""
    if isinstance(value, Engine):
        return value
    return constant(np.asarray(value, default_dtype() if isinstance(value, float) else None))


def without_gradient(function: str, name: str, value: Any) -> Any:
    """The array of an argument that PyTorch or AutoLab does not differentiate; it must not require a gradient."""
    if getattr(value, "node", None) is not None:
        raise RuntimeError(f"{function}: {name} requires a gradient, which it does not get here; give {name}.detach()")
    return plain(value)
