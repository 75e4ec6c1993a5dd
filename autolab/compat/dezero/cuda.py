"""``dezero.cuda``: arrays on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import array_of, to_cpu, to_gpu, unwrap
from ...engine.backend import get_array_module, gpu_status, is_array
from .. import missing


def as_numpy(x: Any) -> Any:
    """A NumPy array; an array on a GPU is copied."""
    x = unwrap(x)
    return to_cpu(x) if is_array(x) else array_of(x)


def as_cupy(x: Any) -> Any:
    """An array on the current GPU.

    Raises
    ------
    RuntimeError
        If CuPy or a GPU is missing; the message says which.
    """
    x = unwrap(x)
    return to_gpu(x if is_array(x) else np.asarray(x))


cupy: Any
gpu_enable: bool

__all__ = ["as_cupy", "as_numpy", "cupy", "get_array_module", "gpu_enable"]

_missing = missing(__name__, {"cupy": "CuPy finds no GPU here"})


def __getattr__(name: str) -> Any:
    if name == "gpu_enable":  # computed only when asked for: it imports CuPy
        return gpu_status().state == "ok"
    if name == "cupy" and gpu_status().state == "ok":
        return get_array_module(to_gpu(np.zeros(1)))
    return _missing(name)
