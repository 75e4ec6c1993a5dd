"""Functions that put arrays together and take them apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np

from ...engine import numpy_protocol
from ...engine.backend import Array
from ...engine.calls import Call
from ...engine.declare import primitive
from ...engine.errors import a_kind
from ...engine.keyword_aliases import takes_other_words
from ...engine.variadic import Shapes
from .indexing import getitem
from .shape import reshape


@primitive()
def concatenate(xp: Any, *xs: Array, axis: int | None = 0) -> Array:
    """Join arrays along an existing axis.

    Parameters
    ----------
    *xs : Variables or arrays, or one list of them
        Of the same shape but for ``axis``.
    axis : int or None
        None flattens them first.

    Raises
    ------
    ValueError
        If the shapes do not fit, or an array has no axis.

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
        Of one shape.
    axis : int
        The place of the new axis in the result.

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
        The number of parts, which are of the same length, or where one part ends and the next begins.
    axis : int
    sections : int or sequence of int
        A shorter name for ``indices_or_sections``.
    dim : int, optional
        In place of ``axis``, as PyTorch has it: the parts are of that many rows, or of the sizes in a list.

    Returns
    -------
    list of Variables or arrays
        Views of the parts.

    Raises
    ------
    ValueError
        If the length is no multiple of the number of parts.

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
    """Parts of ``size`` rows, of which the last may be smaller; or of the sizes in a list."""
    ends = np.cumsum(size)[:-1] if isinstance(size, list | tuple) else np.arange(size, x.shape[axis], size)
    return tuple(split(x, ends.tolist(), axis))


def _bounds(sections: Any, axis: int, length: int) -> Sequence[int]:
    """Where one part ends and the next begins."""
    if np.ndim(sections):
        return list(sections)
    try:
        count = index(sections)
    except TypeError:
        raise TypeError(f"split: sections is {sections!r:.60}; expected a number of parts, or places") from None
    if count < 1 or length % count:
        raise ValueError(f"split: axis {axis} has length {length}; it has no {count} equal parts; see x.split({count})")
    return range(length // count, length, length // count) if length else [0] * (count - 1)


def place_of(function: str, axis: int, shape: tuple[int, ...]) -> int:
    """An axis counted from the front, for what is made of slices: there a wrong one would pass for another."""
    if isinstance(axis, bool) or not hasattr(axis, "__index__") or np.ndim(axis):
        raise TypeError(f"{function}: axis is {axis!r:.60}; expected a whole number")
    axis = index(axis)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"{function}: x has shape {shape}; expected an axis of it, got axis={axis}")
    return axis % len(shape)


def along(axis: int, part: Any) -> tuple[Any, ...]:
    """The index that takes ``part`` along ``axis`` and all along those before it."""
    return (slice(None),) * axis + (part,)


def _in_sequence(name: str, arrays: tuple[Any, ...], axis: Any) -> Call:
    """NumPy's ``f([a, b], axis)``, or ``f(a, b, axis=axis)``, where one array alone is one part."""
    if len(arrays) == 2 and _is_axis(arrays[-1]):
        *arrays, axis = arrays  # type: ignore[assignment]
        if not isinstance(arrays[0], list | tuple):
            raise TypeError(f"{name}: input 'xs': got {a_kind(arrays[0])}; expected a sequence: {name}([a, b], axis)")
    if len(arrays) == 1 and isinstance(arrays[0], list | tuple):
        (arrays,) = arrays
    return tuple(arrays), {"axis": axis}


def _is_axis(value: Any) -> bool:
    """Whether a second argument is an axis, as it is in NumPy, and no array."""
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
