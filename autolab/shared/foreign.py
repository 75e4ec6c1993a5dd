"""Which other library a call involves: `record`, `explore`, `graph` and `check_gradients` pass calls with PyTorch's
tensors or JAX's arrays to a bridge.

Nothing is imported to find out: objects of a library exist only if it has been imported already.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

_BRIDGES = {"torch": "autolab.bridges.torch", "jax": "autolab.bridges.jax", "jaxlib": "autolab.bridges.jax"}


def bridge(fn: Any, args: Iterable[Any] = (), inputs: Mapping[str, Any] | None = None) -> Any:
    """The bridge for the library that the function, module or values belong to; None if there is none.

    Examples
    --------
    >>> from autolab.shared.foreign import bridge
    >>> bridge(abs, (1.0,)) is None
    True
    """
    if _BRIDGES.keys().isdisjoint(sys.modules):
        return None
    for value in (fn, getattr(fn, "__self__", None), *args, *(inputs or {}).values()):
        library = _library(value)
        if library is not None:
            return import_module(_BRIDGES[library])
    return None


def wanted_by(error: Exception) -> str | None:
    """The function that makes what another library wanted when it was given a Variable; None for other errors."""
    told = str(error)
    if "Variable" not in told:
        return None
    return "torch.tensor" if "Tensor" in told else "jax.numpy.array" if "JAX" in told or "jax." in told else None


def _library(value: Any) -> str | None:
    if isinstance(value, list | tuple):
        return next((found for found in map(_library, value) if found is not None), None)
    if isinstance(value, dict):
        return _library(list(value.values()))
    kind = value if isinstance(value, type) else type(value)
    packages = [base.__module__.partition(".")[0] for base in kind.__mro__]
    return next((package for package in packages if package in _BRIDGES), None)
