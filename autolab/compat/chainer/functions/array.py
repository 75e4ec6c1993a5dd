"""``chainer.functions.array``"""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import functions as F
from ....engine import get_array_module
from ...table import fill
from ..variable import as_array, as_variable
from ._adapt import adapted, composed


@adapted
def reshape(x: Any, shape: Any) -> Any:
    """The same elements in another shape; a length of -1 is inferred from the rest."""
    wanted = (shape,) if isinstance(shape, int) else tuple(shape)
    return as_variable(x) if wanted == as_array(x).shape else F.reshape(x, shape=wanted)


@adapted
def select_item(x: Any, t: Any) -> Any:
    """The element with index ``t`` of each row."""
    t = as_array(t)
    shape = as_array(x).shape
    if t.dtype.kind not in "iu" or len(shape) != 2 or t.shape != shape[:1]:
        raise TypeError(f"select_item: x has shape {shape} and t {t.dtype} {t.shape}; expected an integer for each row")
    if ((t < 0) | (t >= shape[1])).any():
        raise ValueError(f"select_item: t must be between 0 and {shape[1] - 1}")
    return F.getitem(x, index=(get_array_module(t).arange(len(t)), t))


@adapted
def split_axis(x: Any, indices_or_sections: Any, axis: int, force_tuple: bool = True) -> Any:
    """Split ``x`` along an axis, into a number of equal parts or at indices."""
    whole = isinstance(indices_or_sections, int | np.integer)
    if not whole and any(np.diff(indices_or_sections) < 0):
        raise ValueError(f"split_axis: indices_or_sections is {indices_or_sections!r:.60}; expected rising places")
    found = F.split(x, indices_or_sections if whole else [int(i) for i in indices_or_sections], axis=axis)
    return found[0] if len(found) == 1 and not force_tuple else tuple(found)


@adapted
def permutate(x: Any, indices: Any, axis: int = 0, inv: bool = False) -> Any:
    """Permute the elements along an axis; with ``inv``, undo that permutation."""
    order = as_array(indices)
    if sorted(order.tolist()) != list(range(as_array(x).shape[axis])):
        raise ValueError(f"permutate: indices is no order of {as_array(x).shape[axis]} elements")
    order = get_array_module(order).argsort(order) if inv else order
    return F.getitem(x, index=(*(slice(None),) * (axis % as_array(x).ndim), order))


@composed
def pad_sequence(xs: Any, length: int | None = None, padding: Any = 0) -> Any:
    """Stack arrays of different lengths into one, with ``padding`` after the shorter ones."""
    longest = max([len(as_array(x)) for x in xs]) if length is None else length
    widths = [(longest - len(as_array(x)), as_array(x).ndim) for x in xs]
    if min(widths)[0] < 0:
        raise ValueError(f"pad_sequence: length is {length}; expected at least that of the longest array")
    padded = [
        F.pad(x, ((0, missing_), *[(0, 0)] * (ndim - 1)), constant_values=padding)
        for x, (missing_, ndim) in zip(xs, widths, strict=True)
    ]
    return F.stack(padded)


@composed
def transpose_sequence(xs: Any) -> Any:
    """The first elements of all sequences, then the second ones, and so on. Lengths must not increase."""
    lengths = [len(as_array(x)) for x in xs]
    if sorted(lengths, reverse=True) != lengths:
        raise ValueError(f"transpose_sequence: the lengths are {lengths}; expected none that is greater than before")
    return tuple([F.stack([x[i] for x in xs if len(as_array(x)) > i]) for i in range(lengths[0] if lengths else 0)])


@composed
def depth2space(X: Any, r: int) -> Any:
    """Rearrange channels into images that are ``r`` times as high and wide (pixel shuffle)."""
    n, c, h, w = as_array(X).shape
    parts = F.reshape(X, (n, r, r, c // r**2, h, w))
    return F.reshape(F.transpose(parts, (0, 3, 4, 1, 5, 2)), (n, c // r**2, h * r, w * r))


@composed
def space2depth(X: Any, r: int) -> Any:
    """The inverse of `depth2space`."""
    n, c, h, w = as_array(X).shape
    parts = F.reshape(X, (n, c, h // r, r, w // r, r))
    return F.reshape(F.transpose(parts, (0, 3, 5, 1, 2, 4)), (n, c * r**2, h // r, w // r))


__getattr__ = fill(__name__, adapted, composed)
