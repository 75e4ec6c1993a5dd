"""Results of a Variable without a gradient: booleans and indices, ``x > 0`` and ``x.argmax(1)``.

These are NumPy arrays. PyTorch methods that arrays lack work on them as on a Variable: ``(y == t).float().mean()``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_METHODS = frozenset(
    [
        *("bool", "cpu", "detach", "dim", "double", "eq", "expand", "float", "half", "int", "long", "ne", "numel"),
        *("numpy", "permute", "to", "unsqueeze", "abs", "clone", "masked_fill", "norm", "requires_grad_", "type"),
        *("expand_as", "gather", "ge", "gt", "index_select", "le", "lt", "masked_select", "t", "topk", "view_as"),
    ]
)


class PlainArray(np.ndarray):
    """A NumPy array with the additional `_METHODS`. Comparisons with it give one again; arithmetic does not."""

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}", name=name, obj=self)
        from .variable import Variable

        return getattr(Variable(np.asarray(self), requires_grad=False), name)

    def view(self, *shape: Any) -> Any:  # type: ignore[override]
        """PyTorch's, of a shape, or NumPy's, of a dtype or a class."""
        if shape and all([isinstance(part, int | np.integer | tuple) for part in shape]):
            return plain(self.reshape(*shape))
        return super().view(*shape)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else plain(array) if array.dtype.kind == "b" else array

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def _method(name: str) -> Any:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        options = {_WORDS.get(word, word): value for word, value in options.items()}
        return plain(getattr(np.ndarray, name)(self, *args, **options))

    return method


_WORDS = {"dim": "axis", "keepdim": "keepdims"}
for _name in ("all", "any", "argmax", "argmin", "mean", "sum"):
    setattr(PlainArray, _name, _method(_name))


def plain(value: Any) -> Any:
    """Boolean and integer arrays as a `PlainArray`; everything else, such as arrays on a GPU, unchanged."""
    return value.view(PlainArray) if type(value) is np.ndarray and value.dtype.kind in "bi" else value
