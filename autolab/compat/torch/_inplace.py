"""In-place operations: ``x.add_(1)``, ``x += 1``, ``x[0] = 1``.

The new values are computed by the function without the underscore and written over the old ones. The tensor's history
continues with the new step. A backward pass that needs the old values is refused: see `_passes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import Leaf, backprop_enabled, new_order, wrap
from ...engine.parts import is_part, is_stored, sharing
from ...functions.arrays.indexing import put
from ..table import called, made_by
from ._arguments import index_of
from ._creation import source  # noqa: F401  # for table.txt
from ._passes import node_of_whole, nodes_of_view, note_change, note_rewritten, note_view
from ._tensor import Engine, Tensor, dressed, plain
from ._types import of_array


def _check(x: Any, name: str, recorded: bool) -> None:
    """Refuse a recorded change of a leaf, or of a view of one."""
    if recorded and isinstance(node_of_whole(x.node), Leaf):
        what = "a leaf that requires a gradient is" if isinstance(x.node, Leaf) else "a view of a leaf is"
        raise RuntimeError(
            f"{name}: {what} changed in place; inside torch.no_grad() it is an update, and a new value takes another "
            "name"
        )


def _whole(x: Any, name: str) -> Any:
    """The tensor of which ``x`` is a view, if a recorded change of ``x`` is one of that tensor as well."""
    if not is_part(x):
        return None
    others, nodes = sharing(x), list(nodes_of_view(x.node))
    for node in reversed(nodes):
        found = [one for one in others if one.node is node]
        if found and (node is not x.node or len(found) == 1):
            return found[0]
    what = "several other tensors" if x.node is None else "a tensor that has changed since, or of a part of one"
    raise RuntimeError(f"{name}: this tensor is a view of {what}; write x[i] = y to the whole one, or clone() it first")


def _places(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Where the elements of a view lie in the flattened array."""
    theirs, ours = _addresses(whole).ravel(), _addresses(part)
    order = theirs.argsort()
    return order[np.searchsorted(theirs, ours, sorter=order)]


def _addresses(array: np.ndarray) -> np.ndarray:
    found = np.asarray(array.__array_interface__["data"][0])
    for length, stride in zip(array.shape, array.strides, strict=True):
        found = found[..., None] + stride * np.arange(length)
    return found


def written(x: Any, name: str, new: Any) -> Any:
    """``x`` with the values of ``new`` and, if that is recorded, its history, which is also that of the tensor of which
    ``x`` is a view."""
    recorded = backprop_enabled() and (x.node is not None or getattr(new, "node", None) is not None)
    _check(x, name, recorded)
    numbers = plain(new)
    if np.shape(numbers) != x._data.shape:
        raise RuntimeError(f"{name}: the result has shape {np.shape(numbers)}; expected {x._data.shape}")
    if not np.can_cast(numbers.dtype, x._data.dtype, "same_kind"):
        raise RuntimeError(f"{name}: the result is of {of_array(numbers)}, which does not fit into {x.dtype}")
    whole = _whole(x, name) if recorded else None
    if whole is not None:
        index = np.unravel_index(_places(x._data, whole._data), whole._data.shape)
        after = put(_before(whole), new, index=index)
    _store(x, name, ..., numbers)
    if not recorded:
        return x
    if x.node is not None:
        note_rewritten(node_of_whole(x.node))
    if whole is None:
        x.node = new.node
    else:
        whole.node, x.node = after.node, F.getitem(after, index).node
        note_view(x.node, whole.node)
    return x


def replaced(x: Any, name: str, new: Any) -> Any:
    """`written` for activations: a recorded tensor gets the new array, and steps that used it before keep the old one,
    so networks with ``inplace=True`` just work."""
    if not backprop_enabled() or x.node is None or is_part(x):
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


def in_place(name: str, function: Callable[..., Any], operator: bool = False) -> Callable[..., Any]:
    """The method that writes the result of a function into the tensor itself."""

    def method(self: Any, *args: Any, **options: Any) -> Any:
        recorded = backprop_enabled() and any([getattr(value, "node", None) is not None for value in (self, *args)])
        if recorded and operator and is_stored(self):
            return function(self, *args)  # x[0] += y stores it in x itself
        return written(self, name, function(_before(self) if recorded else self, *args, **options))

    method.__wrapped__ = function  # type: ignore[attr-defined]  # whose parameters it has
    return called(method, name, f"`{name.strip('_')}`, written where the numbers are; gives itself back.")


def _before(x: Any) -> Any:
    """The values of ``x``, which a step may retain although they are overwritten."""
    return dressed(wrap(x._data.copy(), x.node))


def set_item(self: Any, index: Any, value: Any) -> None:
    """``x[index] = value``; the gradient of what is replaced is 0, and that of ``value`` the one of its new place."""
    if backprop_enabled() and (self.node is not None or getattr(value, "node", None) is not None):
        _check(self, "Tensor: x[...] = y", True)
        written(self, "Tensor: x[...] = y", dressed(put(_before(self), value, index=index_of(index))))
    else:
        _store(self, "Tensor: x[...] = y", index_of(index), plain(value))


def _filling(name: str, numbers: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        found = numbers(self._data, *args, **options)
        if backprop_enabled():
            _check(self, name, self.node is not None)
            if any([getattr(value, "node", None) is not None for value in args]):
                raise RuntimeError(f"{name}: the number requires a gradient, which it does not get; give its detach()")
            if self.node is not None:
                if name == "fill_diagonal_":
                    raise RuntimeError(f"{name}: this tensor was computed; write torch.where(torch.eye(n) == 1, v, x)")
                return written(self, name, dressed(put(_before(self), found, index=...)))
        _store(self, name, ..., found)
        return self

    method.__wrapped__ = numbers  # type: ignore[attr-defined]
    return called(method, name, numbers.__doc__ or "")


FILLING = {name: _filling(name, numbers) for name, numbers in made_by("torch.Tensor.filled", __name__)}


def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Copy the values of another tensor into this one."""
    given: Any = src if isinstance(src, Engine) else Tensor(src)
    return written(self, "copy_", given.to(self.dtype).expand(*self._data.shape).clone())
