"""The GPU memory that a run takes, as CuPy's memory pool reports it."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..engine.backend import get_array_module, on_gpu
from ..engine.devices import pool_bytes
from .model import Pool


class PoolWatch:
    """Checks the pool whenever a value on a GPU is computed."""

    def __init__(self) -> None:
        self._module: ModuleType | None = None
        self._peak = 0

    def look(self, array: Any) -> None:
        """Check the pool after a value was computed; nothing to do on the CPU, or if there is no value."""
        if type(array) is np.ndarray:
            return
        array = getattr(array, "_data", array)
        if array is not None and not isinstance(array, dict) and on_gpu(array):
            self._module = get_array_module(array)
            self._peak = max(self._peak, pool_bytes(self._module)[0])

    def look_again(self, gradients: Sequence[Any]) -> None:
        """Check the pool after gradients were computed, which are on the same device as the values."""
        if self._module is not None:
            self.look(next((share for share in gradients if share is not None), None))

    def figures(self) -> Pool | None:
        """The current state of the pool; None if no value was on a GPU."""
        if self._module is None:
            return None
        used, total = pool_bytes(self._module)
        return Pool(used, max(self._peak, used), total)
