"""Comparisons and questions of each element: tensors of booleans, which have no gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine.backend import get_array_module
from ..naming import called
from ._arguments import tensor_of, together
from ._tensor import Engine, constant, plain


def _comparison(name: str, ufunc: Any) -> Callable[[Any, Any], Any]:
    def call(input: Any, other: Any) -> Any:
        a, b = together(input, other)
        if not isinstance(b, Engine) and a._data.dtype.kind in "iu":
            b = np.asarray(b).astype(a._data.dtype)
        return constant(ufunc(plain(a), plain(b)))

    return called(
        call, name, f"``torch.{name}``: {ufunc.__name__.replace('_', ' ')} for each element, as a tensor of booleans."
    )


_UFUNCS = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_UFUNCS |= {f"{kind}_{name}": f"{kind}_{name}" for kind in ("logical", "bitwise") for name in ("and", "or", "xor")}
COMPARISONS = {name: _comparison(name, getattr(np, ufunc)) for name, ufunc in _UFUNCS.items()}


def _question(name: str, ufunc: Any) -> Callable[[Any], Any]:
    def call(input: Any) -> Any:
        return constant(ufunc(tensor_of(name, input)._data))

    return called(call, name, f"``torch.{name}``: of each element, as a tensor of booleans.")


QUESTIONS = {name: _question(name, getattr(np, name)) for name in ("isnan", "isfinite", "isinf", "logical_not")}


def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether each element is within ``atol + rtol * |other|`` of the other's."""
    a, b = plain(input), plain(other)
    return constant(get_array_module(a).isclose(a, b, rtol, atol, equal_nan))


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close: see `isclose`."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._data.all())


def equal(input: Any, other: Any) -> bool:
    """Whether both have the same shape and the same elements."""
    a, b = plain(input), plain(other)
    return a.shape == b.shape and bool((a == b).all())
