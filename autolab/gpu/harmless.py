"""Outside objects that a function may use unwatched: those that neither change nor depend on anything that changes."""

from __future__ import annotations

import builtins
import enum
import types
from collections.abc import Hashable
from typing import Any

import numpy as np

from ..engine import Primitive
from ..engine.numpy_protocol import adapters, declared
from ..engine.reach import is_plain

_PURE_BUILTINS = """
    abs all any bool bytes callable chr complex dict divmod enumerate filter float format frozenset getattr hasattr
    int isinstance issubclass iter len list map max min next ord pow range repr reversed round set slice sorted str sum
    tuple zip Ellipsis NotImplemented __name__ __debug__
"""
_BUILTINS = frozenset(_PURE_BUILTINS.split())
_PURE_MODULES = ("math", "cmath", "_operator")
_OF_NUMPY = frozenset(["array", "asarray", "arange", "dtype", "finfo", "full", "iinfo", "linspace", "ones", "zeros"])


def is_harmless(value: Any) -> bool:
    """Whether an object cannot change, and always returns the same for the same arguments."""
    if isinstance(value, enum.Enum):
        return is_plain(value.value)
    module = str(getattr(value, "__module__", None))
    name = str(getattr(value, "__name__", None)) if callable(value) else ""
    if isinstance(value, type):
        if issubclass(value, BaseException | np.generic) or module.startswith("autolab."):
            return True
        return (module == "builtins" and name in _BUILTINS) or value in (np.ndarray, np.dtype)
    if isinstance(value, np.ufunc):
        return getattr(np, name, None) is value
    if isinstance(value, types.BuiltinFunctionType) and not module.startswith("numpy"):
        return module in _PURE_MODULES or (module == "builtins" and name in _BUILTINS and value.__self__ is builtins)
    if callable(value) and module.partition(".")[0] == "numpy":
        if getattr(np, name, None) is value and name in _OF_NUMPY:
            return True
        return isinstance(value, Hashable) and (value in declared or value in adapters)
    if isinstance(value, Primitive):
        return str(value.forward.__module__).startswith("autolab.")
    own = isinstance(value, types.FunctionType) and module.startswith("autolab.")
    return own or isinstance(value, np.dtype | range | BaseException | types.EllipsisType | types.NotImplementedType)


def is_of_numpy(value: Any) -> bool:
    """Whether it is a callable of NumPy, such as ``np.load`` or a result of ``np.vectorize``."""
    kind = value if isinstance(value, types.FunctionType | type) else type(value)
    return callable(value) and str(kind.__module__).partition(".")[0] == "numpy"


def own_methods(kind: type) -> set[str]:
    """The names that a class and its bases define, except those of `object`."""
    return {name for base in kind.__mro__[:-1] for name in vars(base)}


def is_library(module: types.ModuleType) -> bool:
    """Whether the names of a module rarely change, as in AutoLab and NumPy."""
    return module.__name__.partition(".")[0] in ("autolab", "numpy") or module.__name__ in _PURE_MODULES
