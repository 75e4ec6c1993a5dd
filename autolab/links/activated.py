"""Layers that apply an activation to their result, as Keras's do with ``activation="relu"``."""

from __future__ import annotations

from typing import Any

from .. import functions as F
from .link import Link


class Activated(Link):
    """A mixin for layers, which applies their ``activation``, a function or None, to the result."""

    activation: Any

    def forward(self, x: Any) -> Any:
        """The activation of the layer's result."""
        y = super().forward(x)
        return y if self.activation is None else self.activation(y)

    def extra_repr(self) -> str:
        """The layer's settings, and the name of the activation."""
        name = getattr(self.activation, "__name__", self.activation)
        return super().extra_repr() + ("" if self.activation is None else f", activation={name}")


def activation_of(link: str, given: Any) -> Any:
    """The activation as a function, which may be given by its name in `functions`; None for None and ``"linear"``."""
    found = None if given == "linear" else getattr(F, given, given) if isinstance(given, str) else given
    if found is None or callable(found):
        return found
    raise TypeError(f"{link}: activation is {given!r:.60}; expected a function, or the name of one in F")
