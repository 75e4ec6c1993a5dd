"""Layers that apply a function to their result, as those of Keras do with ``activation="relu"``."""

from __future__ import annotations

from typing import Any

from .. import functions as F
from .link import Link


class Activated(Link):
    """In front of a layer that has an ``activation``, a function or None: that comes last."""

    activation: Any

    def forward(self, x: Any) -> Any:
        """What the layer gives, and then the function."""
        y = super().forward(x)
        return y if self.activation is None else self.activation(y)

    def extra_repr(self) -> str:
        """What the layer says, and the name of the function."""
        name = getattr(self.activation, "__name__", self.activation)
        return super().extra_repr() + ("" if self.activation is None else f", activation={name}")


def activation_of(link: str, given: Any) -> Any:
    """A function itself or by its name in `functions`; ``"linear"`` and None are none."""
    found = None if given == "linear" else getattr(F, given, given) if isinstance(given, str) else given
    if found is None or callable(found):
        return found
    raise TypeError(f"{link}: activation is {given!r:.60}; expected a function, or the name of one of F")
