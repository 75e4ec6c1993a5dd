"""JAX's arrays as those that a recording keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...recording.arrays import Budget
from ...recording.model import Snapshot
from ..needed import UnsupportedError


def is_float(value: Any) -> bool:
    """Whether an array can have a gradient."""
    return bool(jnp.issubdtype(value.dtype, jnp.floating))


def array_of(value: Any) -> np.ndarray:
    """The numbers in main memory; those of a dtype that NumPy does not have, such as bfloat16, as float32."""
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(value))
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        raise UnsupportedError(
            f"record: a value is {value.dtype}, and AutoLab shows real numbers; work with its real and imaginary parts"
        )
    if is_float(value) and np.dtype(value.dtype).kind != "f":
        return np.asarray(value.astype(jnp.float32))
    return np.asarray(value)


class JaxBudget(Budget):
    """A budget whose snapshots say dtype and device as JAX does."""

    def snapshot(self, value: Any) -> Snapshot:
        kept = super().snapshot(array_of(value))
        device = _device(value)
        if kept.dtype == str(value.dtype) and kept.device == device:
            return kept
        return replace(kept, dtype=str(value.dtype), device=device, nbytes=value.size * value.dtype.itemsize)


def _device(value: Any) -> str:
    found = [f"{d.platform}:{d.id}" for d in value.devices()] if hasattr(value, "devices") else ["cpu:0"]
    return "cpu" if found == ["cpu:0"] else ", ".join(sorted(found))
