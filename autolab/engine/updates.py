"""Leaves changed by hand: ``w -= lr * w.grad`` inside ``no_grad``, and ``w.requires_grad = False``.

Like an update of an optimizer, the first gives the leaf a new array: what was computed from the old one stays correct.
Outside ``no_grad`` such a line means ``w = w - lr * w.grad``, which leaves the leaf unchanged.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any
from weakref import ref

from .errors import check_rebinding, part
from .modes import backprop_enabled, watchers
from .node import Leaf, Node
from .numpy_protocol import unwrap
from .parts import is_part, is_stored, is_view
from .store import retained
from .variable import Variable

_OPERATORS = {
    "__iadd__": (operator.iadd, "+="),
    "__isub__": (operator.isub, "-="),
    "__imul__": (operator.imul, "*="),
    "__itruediv__": (operator.itruediv, "/="),
    "__ifloordiv__": (operator.ifloordiv, "//="),
    "__imod__": (operator.imod, "%="),
    "__ipow__": (operator.ipow, "**="),
    "__imatmul__": (operator.imatmul, "@="),
    "__iand__": (operator.iand, "&="),
    "__ior__": (operator.ior, "|="),
}


def _update(change: Callable[[Any, Any], Any], sign: str) -> Callable[[Variable, Any], Any]:
    def method(self: Variable, other: Any) -> Any:
        if type(self.node) is not Leaf:
            seen = (is_view(self) or self.node is None) and self.ndim and not watchers and not is_stored(self)
            if seen and is_part(self, read_only=False):
                raise ValueError(part(f"Variable: {sign}"))
            return NotImplemented  # Python then computes a new value
        if backprop_enabled():
            if not getattr(other, "requires_grad", False):
                check_rebinding(sys._getframe(1))
            return NotImplemented
        try:
            self.data = change(self.data.copy(), unwrap(other))
        except (TypeError, ValueError) as error:
            name = f"{self.name or 'a leaf':.40}"
            raise type(error)(f"Variable: {name} {sign} ... inside no_grad changes its array: {error!s:.150}") from None
        return self

    return method


def retain(node: Any) -> None:
    """Make later backward passes keep the gradient of a computed value, and add to it, as they do for leaves."""
    retained.add(ref(node, retained.discard))


def let_require(self: Variable, value: bool) -> None:
    """The effect of assigning to ``requires_grad``. Values computed from the leaf before keep their graph."""
    who = f"{type(self).__name__}.requires_grad"
    if not isinstance(value, bool):
        raise TypeError(f"{who}: got {value!r:.60}; expected True or False")
    if self.node is not None and type(self.node) is not Leaf:
        if value:  # already True: whoever sets it wants to see the gradient
            retain(self.node)
            return
        raise ValueError(f"{who}: only a leaf has this setting; x.detach() is a computed value without its graph")
    if value and self.is_initialized and self._data.dtype.kind != "f":
        raise TypeError(f"{who}: got True, but the data is {self._data.dtype}; only floating-point data has gradients")
    if value is not self.requires_grad:
        self.node = Node.leaf() if value else None


def requires_grad_(self: Variable, requires_grad: bool = True) -> Variable:
    """Set `requires_grad`, as in PyTorch; returns the Variable itself.

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
