"""Functions that repeat elements, pad arrays, and reorder elements along axes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...engine import Array
from ...engine.backend import get_array_module, in_main_memory
from ...engine.calls import Call
from ...engine.declare import primitive
from ..reductions.reduce import Axis, sum
from .indexing import getitem, scatter
from .shape import reshape

Shape = tuple[int, ...]
_MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


@primitive(numpy=np.repeat)
def repeat(xp: Any, a: Array, *, repeats: int | list[int], axis: int | None = None) -> Array:
    """Repeat each element several times in a row.

    Parameters
    ----------
    a : Variable or array
    repeats : int or list of int
        The number of repetitions: one for all elements, or one for each element along the axis.
    axis : int or None
        None repeats the elements of the flattened input.

    Raises
    ------
    ValueError
        If the number of ``repeats`` is not that of the elements along the axis, or one is negative.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.repeat(Variable([1.0, 2.0]), repeats=[1, 2])
    variable([1. 2. 2.])
    """
    return xp.repeat(a, repeats if in_main_memory(xp) else np.asarray(repeats).tolist(), axis)  # CuPy takes no array


@repeat.vjp("a")
def _repeat_x(g: Any, a_shape: Shape, repeats: Any, axis: int | None) -> Any:
    """g summed over the repetitions"""
    shape = (prod(a_shape),) if axis is None else a_shape
    place = 0 if axis is None else axis % len(shape)
    before, length, after = shape[:place], shape[place], shape[place + 1 :]
    if np.size(repeats) == 1:
        total = sum(reshape(g, shape=(*before, length, np.asarray(repeats).item(), *after)), axis=place + 1)
    else:
        source = np.repeat(get_array_module(repeats).arange(length), repeats)
        total = scatter(g, index=(*[slice(None)] * place, source), shape=shape)
    return reshape(total, shape=a_shape)


@primitive(numpy=np.tile)
def tile(xp: Any, A: Array, *, reps: int | tuple[int, ...]) -> Array:
    """Repeat the whole array along each axis; ``reps`` may have more or fewer entries than the array has axes.

    Raises
    ------
    ValueError
        If a number of repetitions is negative.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.tile(Variable([1.0, 2.0]), reps=(2, 2))
    variable([[1. 2. 1. 2.]
              [1. 2. 1. 2.]])
    """
    return xp.tile(A, reps)


@tile.vjp("A")
def _tile_x(g: Any, A_shape: Shape, reps: Any) -> Any:
    """g summed over the repetitions"""
    times = (reps,) if np.ndim(reps) == 0 else tuple(reps)
    times = (1,) * (len(A_shape) - len(times)) + times
    lengths = (1,) * (len(times) - len(A_shape)) + A_shape
    apart = [n for pair in zip(times, lengths, strict=True) for n in pair]
    return reshape(sum(reshape(g, shape=apart), axis=tuple(range(0, len(apart), 2))), shape=A_shape)


@primitive(numpy=np.pad)
def pad(xp: Any, array: Array, *, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Array:
    """Pad an array with further elements at both ends of its axes.

    Parameters
    ----------
    array : Variable or array
    pad_width : int, or pairs of int
        How many elements to add before and after: the same for all axes, or ``((before, after), ...)`` for each.
    mode : str
        ``"constant"`` adds ``constant_values``, which get no gradient. ``"edge"``, ``"reflect"``, ``"symmetric"`` and
        ``"wrap"`` copy elements as in NumPy; the gradients of the copies are added to those of the originals.
    constant_values : number or pairs of numbers

    Raises
    ------
    ValueError
        If the mode is unknown, or the widths do not match the shape or are negative.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.pad(Variable([1.0, 2.0, 3.0]), pad_width=(1, 2))
    variable([0. 1. 2. 3. 0. 0.])
    >>> F.pad(Variable([1.0, 2.0, 3.0]), pad_width=2, mode="reflect")
    variable([3. 2. 1. 2. 3. 2. 1.])
    """
    if mode not in _MODES:
        raise ValueError(f"mode={mode!r:.40}; expected one of {', '.join(_MODES)}")
    if mode == "constant":
        return xp.pad(array, _widths(pad_width, array.ndim), mode, constant_values=constant_values)
    if xp is np:
        return np.pad(array, _widths(pad_width, array.ndim), mode)  # type: ignore[call-overload]
    # CuPy's own pad takes other elements where a margin is wider than the array
    return array[_sources(array.shape, pad_width, mode)]


@pad.vjp("array")
def _pad_x(g: Any, array_shape: Shape, pad_width: Any, mode: str) -> Any:
    """g without the margin, to which the margin's own is added if it was copied"""
    if mode == "constant":
        axes = zip(array_shape, _widths(pad_width, len(array_shape)), strict=True)
        return getitem(g, index=tuple([slice(before, before + n) for n, (before, _) in axes]))
    return scatter(g, index=_sources(array_shape, pad_width, mode), shape=array_shape)


def _sources(shape: Shape, pad_width: Any, mode: str) -> tuple[np.ndarray, ...]:
    """For each element of the padded array, the index of the element that it is or copies."""
    axes = zip(shape, _widths(pad_width, len(shape)), strict=True)
    return np.ix_(*[np.pad(np.arange(n), widths, mode) for n, widths in axes])  # type: ignore[call-overload]


def _widths(pad_width: Any, ndim: int) -> list[list[int]]:
    """``(before, after)`` of each axis."""
    return np.broadcast_to(pad_width, (ndim, 2)).tolist()


@primitive(a=lambda g, shift, axis: roll(g, shift=negated(shift), axis=axis), numpy=np.roll)
def roll(xp: Any, a: Array, *, shift: int | tuple[int, ...], axis: Axis = None) -> Array:
    """Roll elements along axes, or in the flattened array: those shifted out at one end re-enter at the other.

    Raises
    ------
    ValueError
        If an axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.roll(Variable([1.0, 2.0, 3.0]), shift=1)
    variable([3. 1. 2.])
    """
    return xp.roll(a, np.asarray(shift).tolist(), axis)  # NumPy 2.0 negates shifts, which wraps unsigned integers


def negated(shift: Any) -> Any:
    """The opposite of a shift, also of unsigned integers, whose own negative would wrap around."""
    return np.negative(shift, dtype=np.int64, casting="unsafe").tolist()


@primitive(m=lambda g, axis: flip(g, axis=axis), numpy=np.flip)
def flip(xp: Any, m: Array, *, axis: Axis = None) -> Array:
    """Reverse the order of elements along all axes, or along those given. The result is a view.

    Raises
    ------
    ValueError
        If an axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.flip(Variable([1.0, 2.0, 3.0]))
    variable([3. 2. 1.])
    """
    return xp.flip(m, axis)


@pad.spelling
def _pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Call:
    return (array,), {"pad_width": pad_width, "mode": mode, "constant_values": constant_values}
