"""The inputs of a JAX function: its arrays, also inside pytrees."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from ..inputs import BridgeInputs
from .arrays import JAX


@dataclass(frozen=True)
class JaxInputs(BridgeInputs):
    """A JAX function with its arguments."""

    library = JAX

    @property
    def written(self) -> Any:
        """What the user wrote, without what `jax.jit` and the like put around it."""
        return inspect.unwrap(self.fn)

    def on(self, *values: Any) -> Any:
        """Run the function on other values of its inputs, in their order."""
        return self.call(dict(zip(self.values, values, strict=True)))


bind = JaxInputs.bind
