"""What PyTorch's functions are given: tensors whose types are brought together as PyTorch does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import functions as F
from ...engine.errors import a_kind
from ._tensor import Engine, constant, dressed, plain
from ._types import default_dtype

_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2}


def tensor_of(function: str, value: Any, name: str = "input") -> Any:
    """An argument that must be a tensor."""
    if isinstance(value, Engine):
        return value
    raise TypeError(f"{function}: {name} is {a_kind(value)}; expected a tensor")


def cast(x: Any, dtype: np.dtype) -> Any:
    """A tensor in another type; no gradient passes to or from integers."""
    data = x._data
    if data.dtype == dtype:
        return x
    if x.node is None or dtype.kind != "f":
        return constant(data.astype(dtype))
    return dressed(F.cast(x, dtype=dtype))


def floats(x: Any) -> Any:
    """A tensor of floats: integers become those of the default type."""
    return x if x._data.dtype.kind == "f" else cast(x, default_dtype())


def of_floats(function: str, value: Any, name: str = "input") -> Any:
    """A tensor of floats: what PyTorch does not compute of integers."""
    if tensor_of(function, value, name)._data.dtype.kind != "f":
        kind = f"torch.{value._data.dtype}"
        raise RuntimeError(f"{function}: {name} is of {kind}; expected floats, as from {name}.float()")
    return value


def beside(weight: Any, input: Any, function: str = "linear") -> Any:
    """An input of the type of the weight that it meets."""
    if input._data.dtype != weight._data.dtype:
        kinds = f"torch.{input._data.dtype}, and weight of torch.{weight._data.dtype}"
        raise RuntimeError(f"{function}: input is of {kinds}; expected one type, as from input.to(weight.dtype)")
    return of_floats(function, input)


def together(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands in the type that PyTorch finds for them.

    Numbers and tensors without axes do not raise the type of a tensor of the same kind, and floats are of a higher kind
    than integers, whatever their sizes are.
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
    """The type in which arrays are computed with."""
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
    """An index with the arrays of tensors in it."""
    return tuple([plain(one) for one in index]) if isinstance(index, tuple) else plain(index)


def axes(dim: Any) -> Any:
    """``dim`` as NumPy has it: None, a number, or a tuple of them."""
    return tuple(dim) if isinstance(dim, list | tuple) else dim


def is_whole(x: Any) -> bool:
    """Whether a tensor or a number is of integers or booleans."""
    return bool(x._data.dtype.kind in "biu") if isinstance(x, Engine) else isinstance(x, int | np.integer | np.bool_)


def reduced(dim: Any, x: Any = None) -> Any:
    """`axes` of a reduction: no axes are all of them, and a tensor without axes may be reduced along 0 and -1."""
    if x is not None and not x._data.ndim and dim in (0, -1):
        return None
    return axes(dim) if isinstance(dim, int) or dim else None


def number(value: Any) -> Any:
    """A number as a tensor, in the type that PyTorch finds for it; a tensor as it is."""
    if isinstance(value, Engine):
        return value
    return constant(np.asarray(value, default_dtype() if isinstance(value, float) else None))


def moved(x: Any, numbers: Any) -> Any:
    """A tensor of these numbers whose gradient goes to ``x`` as it is."""
    return F.add(x, constant((numbers - x._data).astype(x._data.dtype)))


def without_gradient(function: str, name: str, value: Any) -> Any:
    """The array of an argument to which PyTorch, or AutoLab, gives no gradient."""
    if getattr(value, "node", None) is not None:
        raise RuntimeError(f"{function}: {name} requires a gradient, which it does not get here; give {name}.detach()")
    return plain(value)


def dim_and_keep(function: str, dim: Any, keepdim: Any, others: dict[str, Any]) -> tuple[Any, bool]:
    """``dim`` and ``keepdim``, or NumPy's words for them, which PyTorch knows as well."""
    if "axis" in others:
        dim = others.pop("axis")
    if "keepdims" in others:
        keepdim = others.pop("keepdims")
    for name in others:
        raise TypeError(f"{function}: got a keyword {name!r:.60}; expected dim or keepdim")
    return reduced(dim), bool(keepdim)
