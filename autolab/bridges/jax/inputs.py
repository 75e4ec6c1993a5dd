"""JAX's arrays, single or in pytrees, as arrays of a recording and as the inputs of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ..inputs import BridgeInputs
from ..library import Library
from ..needed import UnsupportedError


def is_float(value: Any) -> bool:
    """Whether an array can have a gradient."""
    return bool(jnp.issubdtype(value.dtype, jnp.floating))


def array_of(value: Any) -> np.ndarray:
    """The numbers in main memory; dtypes that NumPy lacks, such as bfloat16, are converted to float32."""
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(value))
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        raise UnsupportedError(
            f"record: a value is {value.dtype}, and AutoLab shows real numbers; work with its real and imaginary parts"
        )
    if is_float(value) and np.dtype(value.dtype).kind != "f":
        return np.asarray(value.astype(jnp.float32))
    return np.asarray(value)


def _device(value: Any) -> str:
    found = [f"{d.platform}:{d.id}" for d in value.devices()] if hasattr(value, "devices") else ["cpu:0"]
    return "cpu" if found == ["cpu:0"] else ", ".join(sorted(found))


def like(y: Any, given: Any) -> Any:
    """An array with the dtype of ``y``; ones of its shape if ``given`` is None. PRNG keys are returned unchanged."""
    if jnp.issubdtype(y.dtype, jax.dtypes.prng_key):
        return y
    return jnp.ones_like(y) if given is None else jnp.asarray(given, y.dtype)


def exchanged(tree: Any, swap: Callable[[str, Any], Any], label: str) -> Any:
    """The pytree with ``swap(label, value)`` in place of every JAX or NumPy array and every float.

    Floats in objects of other classes stay Python numbers: they are a module's settings, such as the rate of a dropout,
    which it may compare.
    """

    def leaf(path: Any, item: Any) -> Any:
        name = label + "".join([_part(key) for key in path])
        if isinstance(item, jax.Array | np.ndarray | np.generic | float):
            return swap(name, item)
        if jax.tree_util.all_leaves([item]):
            return item
        return jax.tree_util.tree_map_with_path(lambda below, inner: _array_exchanged(swap, name, below, inner), item)

    return jax.tree_util.tree_map_with_path(leaf, tree, is_leaf=lambda item: not isinstance(item, dict | list | tuple))


def _array_exchanged(swap: Callable[[str, Any], Any], label: str, path: Any, item: Any) -> Any:
    is_array = isinstance(item, jax.Array | np.ndarray | np.generic)
    return swap(label + "".join([_part(key) for key in path]), item) if is_array else item


def _part(key: Any) -> str:
    """A key without quotation marks: ``params[w]``."""
    return f"[{key.key}]" if hasattr(key, "key") else str(key)


JAX = Library(
    title="JAX",
    function="a function of JAX arrays",
    literal="jnp.array({numbers!r}, '{dtype}')",
    nan="jnp.nan",
    array_of=array_of,
    as_input=jnp.asarray,
    like=like,
    has_gradient=is_float,
    dtype_of=lambda value: str(value.dtype),
    device_of=_device,
    exchanged=exchanged,
    rebuilt=lambda tree, leaf: jax.tree_util.tree_map(leaf, tree),
)


@dataclass(frozen=True)
class JaxInputs(BridgeInputs):
    """A JAX function with its arguments."""

    library = JAX

    @property
    def written(self) -> Any:
        """The user's function, without wrappers such as `jax.jit`."""
        return inspect.unwrap(self.fn)

    def on(self, *values: Any) -> Any:
        """Run the function on other values of its inputs, given in order."""
        return self.call(dict(zip(self.values, values, strict=True)))
