"""The inputs of a JAX function: its arrays, also inside pytrees."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ..inputs import BridgeInputs


@dataclass(frozen=True)
class JaxInputs(BridgeInputs):
    """A JAX function with its arguments. Arrays of JAX's and NumPy's, and numbers with a point, are its inputs."""

    expected = "a function of JAX arrays"
    as_input = staticmethod(jnp.asarray)
    rebuilt = staticmethod(lambda tree, leaf: jax.tree_util.tree_map(leaf, tree))

    @property
    def written(self) -> Any:
        """What the user wrote, without what `jax.jit` and the like put around it."""
        return inspect.unwrap(self.fn)

    def on(self, *values: Any) -> Any:
        """Run the function on other values of its inputs, in their order."""
        return self.call(dict(zip(self.values, values, strict=True)))

    @staticmethod
    def exchanged(tree: Any, swap: Callable[[str, Any], Any], label: str) -> Any:
        def leaf(path: Any, item: Any) -> Any:
            is_input = isinstance(item, jax.Array | np.ndarray | np.generic | float)
            return swap(label + "".join([_part(key) for key in path]), item) if is_input else item

        return jax.tree_util.tree_map_with_path(leaf, tree)


bind = JaxInputs.bind


def _part(key: Any) -> str:
    """A key without quotation marks: ``params[w]``."""
    return f"[{key.key}]" if hasattr(key, "key") else str(key)
