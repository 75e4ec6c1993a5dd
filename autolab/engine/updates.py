"""Leaves changed by hand: ``w -= lr * w.grad`` inside ``no_grad``, and ``w.requires_grad = False``.

Outside ``no_grad`` the first means ``w = w - lr * w.grad``, as it does for everything that cannot be changed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .modes import backprop_enabled
from .node import Leaf, Node
from .numpy_protocol import unwrap
from .variable import Variable

_OPERATORS = {
    "__iadd__": (operator.iadd, "+="),
    "__isub__": (operator.isub, "-="),
    "__imul__": (operator.imul, "*="),
    "__itruediv__": (operator.itruediv, "/="),
}


def _update(change: Callable[[Any, Any], Any], sign: str) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        if type(self.node) is not Leaf or backprop_enabled():
            return NotImplemented  # Python then computes a new value
        try:
            self.data = change(self.data, unwrap(other))
        except (TypeError, ValueError) as error:
            name = f"{self.name or 'a leaf':.40}"
            raise type(error)(f"Variable: {name} {sign} ... inside no_grad changes its array: {error!s:.150}") from None
        return self

    return method


def let_require(self: Variable, value: bool) -> None:
    """What assigning to ``requires_grad`` does. What was computed from the leaf before keeps the graph that it has."""
    who = f"{type(self).__name__}.requires_grad"
    if not isinstance(value, bool):
        raise TypeError(f"{who}: got {value!r:.60}; expected True or False")
    if self.node is not None and type(self.node) is not Leaf:
        raise ValueError(f"{who}: only a leaf has this setting; x.detach() is a computed value without its graph")
    if value and getattr(self, "is_initialized", True) and self._data.dtype.kind != "f":
        raise TypeError(f"{who}: got True, but the data is {self._data.dtype}; only floating-point data has gradients")
    if value is not self.requires_grad:
        self.node = Node.leaf() if value else None


def requires_grad_(self: Variable, requires_grad: bool = True) -> Variable:
    """Set `requires_grad`, as PyTorch spells it; returns the Variable itself.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([1.0, 2.0]).requires_grad_(False).requires_grad
    False
    """
    let_require(self, requires_grad)
    return self


METHODS = {name: _update(change, sign) for name, (change, sign) in _OPERATORS.items()}
METHODS |= {"_let_require": let_require, "requires_grad_": requires_grad_}
"""The methods of Variable, by name."""
