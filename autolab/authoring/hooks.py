"""``y.register_hook(f)``: PyTorch's way to see, or to change, the gradient of a value on its way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.variable import Variable
from .context_function import ContextFunction


class GradientHook(ContextFunction):
    """Hands its input on; on the way back ``hook(g)`` may put another gradient in the place of ``g``."""

    @staticmethod
    def forward(ctx: Any, x: Any, handle: Any) -> Any:
        ctx.handle = handle
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        found = None if ctx.handle.hook is None else ctx.handle.hook(g)
        return g if found is None else found, None


class Handle:
    """What `register_hook` gives: ``remove()`` ends it."""

    def __init__(self, hook: Callable[[Any], Any]) -> None:
        self.hook: Callable[[Any], Any] | None = hook

    def remove(self) -> None:
        """From now on nothing is called."""
        self.hook = None


def register_hook(y: Variable, hook: Callable[[Any], Any]) -> Handle:
    """Call ``hook(g)`` with the gradient of a computed value, in every backward pass through what is computed from it
    after this call; what it returns, unless it is None, takes the place of ``g``.

    Examples
    --------
    >>> from autolab import Variable
    >>> x = Variable(3.0)
    >>> y = x * x
    >>> handle = y.register_hook(print)
    >>> (2 * y).backward()
    variable(2.0)
    """
    if y.creator is None:
        raise TypeError("Variable.register_hook: got a leaf, whose gradient is x.grad; expected a computed value")
    handle = Handle(hook)
    y.node = GradientHook.apply(y, handle).node
    return handle
