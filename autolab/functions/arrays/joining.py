"""Functions that join and split arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from operator import index
from typing import Any

import numpy as np

from ...engine import Array, a_kind, numpy_protocol, takes_other_words
from ...engine.calls import Call
from ...engine.declare import primitive
from ...engine.schema import Shapes
from .indexing import getitem
from .shape import reshape


@primitive()
def concatenate(xp: Any, *xs: Array, axis: int | None = 0) -> Array:
    """Join arrays along an existing axis.

    Parameters
    ----------
    *xs : Variables or arrays, or one list of them
        Of the same shape, except along ``axis``.
    axis : int or None
        None flattens them first.

    Raises
    ------
    ValueError
        If the shapes do not match, or an array is 0-d.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.concatenate([Variable([1.0, 2.0]), Variable([3.0])])
    variable([1. 2. 3.])
    """
    return xp.concatenate(xs, axis=axis)


@concatenate.vjp("xs")
def _concatenate_xs(g: Any, index: int, xs_shapes: Shapes, axis: int | None) -> Any:
    """g[the part of this input]"""
    shape = xs_shapes[index]
    place = 0 if axis is None else axis % len(shape)
    start, stop = xs_shapes.bounds(None if axis is None else place)[index : index + 2]
    part = g[along(place, slice(start, stop))]
    return reshape(part, shape=shape) if axis is None else part


@primitive()
def stack(xp: Any, *xs: Array, axis: int = 0) -> Array:
    """Join arrays of the same shape along a new axis.

    Parameters
    ----------
    *xs : Variables or arrays, or one list of them
        All of the same shape.
    axis : int
        The position of the new axis in the result.

    Raises
    ------
    ValueError
        If the shapes differ, or the result has no such axis.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.stack([Variable([1.0, 2.0]), Variable([3.0, 4.0])], axis=1)
    variable([[1. 3.]
              [2. 4.]])
    """
    return xp.stack(xs, axis=axis)


@stack.vjp("xs")
def _stack_xs(g: Any, index: int, axis: int) -> Any:
    """g[index], along the new axis"""
    return g[along(axis % len(g.shape), index)]


@takes_other_words
def split(
    ary: Any,
    indices_or_sections: int | Sequence[int] | None = None,
    axis: int = 0,
    *,
    sections: Any = None,
    dim: int | None = None,
) -> list[Any]:
    """Split an array along an axis.

    Parameters
    ----------
    ary : Variable or array
    indices_or_sections : int or sequence of int
        The number of equal parts, or the positions at which to split.
    axis : int
    sections : int or sequence of int
        A shorter name for ``indices_or_sections``.
    dim : int, optional
        Instead of ``axis``, with PyTorch's meaning: ``sections`` is then the size of each part, or a list of sizes.

    Returns
    -------
    list of Variables or arrays
        The parts, as views.

    Raises
    ------
    ValueError
        If the length is not a multiple of the number of parts.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.split(Variable([1.0, 2.0, 3.0, 4.0]), 2)
    [variable([1. 2.]), variable([3. 4.])]
    >>> F.split(Variable([1.0, 2.0, 3.0, 4.0]), [1])
    [variable([1.]), variable([2. 3. 4.])]
    """
    sections = indices_or_sections if sections is None else sections
    if dim is not None:
        return list(in_sizes(ary, sections, dim))
    place = place_of("split", axis, ary.shape)
    length = ary.shape[place]
    bounds = pairwise([0, *_bounds(sections, axis, length), length])
    return [getitem(ary, index=along(place, slice(start, stop))) for start, stop in bounds]


@takes_other_words
def in_sizes(x: Any, size: Any, axis: int = 0) -> tuple[Any, ...]:
    """Split into parts of length ``size``, the last of which may be shorter, or of the lengths in a list."""
    length = x.shape[place_of("split", axis, x.shape)]
    if np.min(size) < 0 or (size == 0 and length):
        raise ValueError(f"split: size is {size!r:.60}; expected lengths above 0")
    ends = np.cumsum(size)[:-1] if isinstance(size, list | tuple) else np.arange(size or 1, length, size or 1)
    return tuple(split(x, ends.tolist(), axis))


def _bounds(sections: Any, axis: int, length: int) -> Sequence[int]:
    """The positions at which to split."""
    if np.ndim(sections):
        return list(sections)
    try:
        count = index(sections)
    except TypeError:
        raise TypeError(f"split: sections is {sections!r:.60}; expected a number of parts, or places") from None
    if count < 1 or length % count:
        raise ValueError(
            f"split: axis {axis} has length {length}; it cannot be split into {count} equal parts; see x.split({count})"
        )
    return range(length // count, length, length // count) if length else [0] * (count - 1)


def place_of(function: str, axis: int, shape: tuple[int, ...]) -> int:
    """The axis counted from the front. Code that builds slices needs this check: a wrong axis would pass unnoticed."""
    if isinstance(axis, bool) or not hasattr(axis, "__index__") or np.ndim(axis):
        raise TypeError(f"{function}: axis is {axis!r:.60}; expected a whole number")
    axis = index(axis)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"{function}: axis={axis} is not an axis of x, which has shape {tuple(shape)}")
    return axis % len(shape)


def flat_shape(shape: tuple[int, ...], start: int, end: int) -> tuple[int, ...]:
    """The shape with the axes from ``start`` to ``end`` flattened into one."""
    first, last = (place_of("flatten", axis, shape or (1,)) for axis in (start, end))
    if first > last:
        raise ValueError(f"flatten: start_dim is {start} and end_dim is {end}; expected an axis that is not before it")
    return (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :])


def along(axis: int, part: Any) -> tuple[Any, ...]:
    """The index that takes ``part`` along ``axis`` and everything along the axes before it."""
    return (slice(None),) * axis + (part,)


def _in_sequence(name: str, arrays: tuple[Any, ...], axis: Any) -> Call:
    """NumPy's ``f([a, b], axis)``, or ``f(a, b, axis=axis)``, in which a single array is a single part."""
    if len(arrays) == 2 and _is_axis(arrays[-1]):
        *arrays, axis = arrays  # type: ignore[assignment]
        if not isinstance(arrays[0], list | tuple):
            raise TypeError(f"{name}: input 'xs': got {a_kind(arrays[0])}; expected a sequence: {name}([a, b], axis)")
    if len(arrays) == 1 and isinstance(arrays[0], list | tuple):
        (arrays,) = arrays
    return tuple(arrays), {"axis": axis}


def _is_axis(value: Any) -> bool:
    """Whether a second argument is an axis, as in NumPy, rather than an array."""
    return value is None or (hasattr(value, "__index__") and not hasattr(value, "shape"))


@concatenate.spelling
def _concatenate(*arrays: Any, axis: int | None = 0) -> Call:
    return _in_sequence("concatenate", arrays, axis)


@stack.spelling
def _stack(*arrays: Any, axis: int = 0) -> Call:
    return _in_sequence("stack", arrays, axis)


@numpy_protocol.adapt(np.concatenate)
def _of_concatenate(arrays: Sequence[Any], /, axis: int | None = 0) -> Any:
    return concatenate(list(arrays), axis=axis)


@numpy_protocol.adapt(np.stack)
def _of_stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    return stack(list(arrays), axis=axis)


@numpy_protocol.adapt(np.split)
def _split(ary: Any, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    return split(ary, indices_or_sections, axis)
