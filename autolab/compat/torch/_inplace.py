"""In-place operations: ``x.add_(1)``, ``x += 1``, ``x[0] = 1``.

The new values are computed by the function without the underscore and written over the old ones. The tensor's history
continues with the new step. A backward pass that needs the old values is refused: see `_passes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import Leaf, backprop_enabled, new_order, wrap
from ..table import called, made_by
from ._arguments import index_of
from ._creation import source  # noqa: F401  # for table.txt
from ._passes import note_change, note_rewritten
from ._tensor import Engine, Tensor, dressed, plain
from ._types import of_array


def _check(x: Any, name: str, recorded: bool, joins: bool = False) -> None:
    """Refuse a recorded change of a leaf or of a view; a constant that ``joins`` the graph must not be part of
    a larger array."""
    base = x._data.base
    if recorded and isinstance(x.node, Leaf):
        raise RuntimeError(
            f"{name}: a leaf that requires a gradient is changed in place; inside torch.no_grad() it is an update, and "
            "a new value takes another name"
        )
    if recorded and isinstance(base, np.ndarray) and (x.node is not None or (joins and base.size > x._data.size)):
        raise RuntimeError(
            f"{name}: this tensor is a view of another one, which AutoLab cannot change in place where it is recorded; "
            "write y = y + ... or clone() first"
        )


def written(x: Any, name: str, new: Any) -> Any:
    """``x`` with the values of ``new`` and, if that is recorded, its history."""
    recorded = backprop_enabled() and (x.node is not None or getattr(new, "node", None) is not None)
    _check(x, name, recorded, joins=True)
    numbers = plain(new)
    if np.shape(numbers) != x._data.shape:
        raise RuntimeError(f"{name}: the result has shape {np.shape(numbers)}; expected {x._data.shape}")
    if not np.can_cast(numbers.dtype, x._data.dtype, "same_kind"):
        raise RuntimeError(f"{name}: the result is of {of_array(numbers)}, which does not fit into {x.dtype}")
    _store(x, name, ..., numbers)
    if recorded:
        if x.node is not None:
            note_rewritten(x.node)
        x.node = new.node
    return x


def replaced(x: Any, name: str, new: Any) -> Any:
    """`written` for activations: a recorded tensor gets the new array, and steps that used it before keep the old one,
    so networks with ``inplace=True`` just work."""
    if not backprop_enabled() or x.node is None:
        return written(x, name, new)
    if isinstance(x.node, Leaf):
        _check(x, name, True)
    x._data, x.node = new._data, new.node
    return x


def _store(x: Any, name: str, index: Any, numbers: Any) -> None:
    if not x._data.flags.writeable:
        raise RuntimeError(f"{name}: several elements of this tensor have one place in memory; clone() it first")
    note_change(x._data)
    x._data[index] = numbers
    if isinstance(x.node, Leaf):
        x.node.moved = new_order()


def in_place(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The method that writes the result of a function into the tensor itself."""

    def method(self: Any, *args: Any, **options: Any) -> Any:
        old = self
        if backprop_enabled() and any([getattr(value, "node", None) is not None for value in (self, *args)]):
            old = dressed(wrap(self._data.copy(), self.node))  # the step retains these values, which are overwritten
        return written(self, name, function(old, *args, **options))

    method.__wrapped__ = function  # type: ignore[attr-defined]  # whose parameters it has
    return called(method, name, f"`{name.strip('_')}`, written where the numbers are; gives itself back.")


def set_item(self: Any, index: Any, value: Any) -> None:
    """``x[index] = value``; ``value`` is a number or a tensor that does not require a gradient."""
    if backprop_enabled() and (self.node is not None or getattr(value, "node", None) is not None):
        _check(self, "Tensor: x[...] = y", True)
        raise RuntimeError("Tensor: x[...] = y would drop a gradient; torch.where, torch.cat and torch.stack keep it")
    _store(self, "Tensor: x[...] = y", index_of(index), plain(value))


def _filling(name: str, numbers: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        if backprop_enabled():
            _check(self, name, True)
            if self.node is not None:
                raise RuntimeError(f"{name}: this tensor was computed; make a new one, or fill it in torch.no_grad()")
            if any([getattr(value, "node", None) is not None for value in args]):
                raise RuntimeError(f"{name}: the number requires a gradient, which it does not get; give its detach()")
        found = numbers(self._data, *args, **options)
        _store(self, name, ..., found)
        return self

    method.__wrapped__ = numbers  # type: ignore[attr-defined]
    return called(method, name, numbers.__doc__ or "")


FILLING = {name: _filling(name, numbers) for name, numbers in made_by("torch.Tensor.filled", __name__)}


def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Copy the values of another tensor into this one."""
    given: Any = src if isinstance(src, Engine) else Tensor(src)
    return written(self, "copy_", given.to(self.dtype).expand(*self._data.shape).clone())
