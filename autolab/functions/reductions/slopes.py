"""Slopes of samples by finite differences, as in `numpy.gradient`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Variable, as_array, numpy_protocol, takes_other_words
from ..arrays.joining import along, concatenate, place_of
from ..arrays.shape import cast, reshape
from ..working_precision import given_arrays, in_full


@numpy_protocol.adapt(np.gradient)
@takes_other_words
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes of samples along their axes, by central differences, and one-sided ones at the ends.

    Parameters
    ----------
    f : Variable or array
        The samples.
    *varargs : float, Variable or array
        The spacing of the samples: one distance for all axes, or for each axis a distance or the sample points.
    axis : int or tuple of int, optional
        Axes along which to differentiate; by default all.
    edge_order : int
        Order of accuracy at the ends: 1 is exact for lines, 2 also for parabolas.

    Returns
    -------
    Variable or array, or a tuple of them for several axes
        Each of the shape of ``f``.

    Raises
    ------
    ValueError
        If there are fewer than ``edge_order + 1`` samples along an axis, or distances or sample points do not match.
    TypeError
        If the number of spacings is neither 1 nor that of the axes.

    Notes
    -----
    B. Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", 1988.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.gradient(Variable([0.0, 1.0, 4.0, 9.0]), 0.5)
    variable([ 2.  4.  8. 10.])
    """
    (f,) = given_arrays("gradient", f=f)
    if f.dtype.kind == "b":
        raise TypeError("gradient: f holds booleans; expected numbers")
    dtype = f.dtype if f.dtype.kind == "f" else np.dtype(np.float64)
    (f,), rounded = in_full("gradient", f=f)
    if not f.ndim:
        raise ValueError("gradient: f has shape (); expected at least one axis")
    places = _places(axis, f.shape)
    spacings = _spacings(varargs, len(places))
    if edge_order not in (1, 2) or isinstance(edge_order, bool):
        raise ValueError(f"gradient: edge_order is {edge_order!r:.60}; expected 1 or 2")
    found = []
    for place, spacing in zip(places, spacings, strict=True):
        length = f.shape[place]
        if length < edge_order + 1:
            raise ValueError(
                f"gradient: f has shape {f.shape}; expected at least {edge_order + 1} samples on each axis"
            )
        widths = _widths(spacing, length, f.ndim - 1 - place)
        slopes = rounded(_slopes(f, place, *widths, edge_order))
        found.append(slopes if slopes.dtype == dtype else cast(slopes, dtype=dtype))
    return found[0] if len(found) == 1 else tuple(found)


def _places(axis: Any, shape: tuple[int, ...]) -> list[int]:
    if axis is None:
        return list(range(len(shape)))
    given = axis if isinstance(axis, tuple | list) else (axis,)
    found = [place_of("gradient", one, shape) for one in given]
    if len(set(found)) < len(found):
        raise ValueError(f"gradient: axis is {axis!r:.60}; expected each axis once")
    return found


def _spacings(varargs: Sequence[Any], count: int) -> list[Any]:
    given = [x if isinstance(x, Variable | int | float) else as_array(x, "gradient: a distance") for x in varargs]
    if not given:
        return [1.0] * count
    if len(given) == 1 and np.ndim(given[0]) == 0:
        return given * count
    if len(given) != count:
        raise TypeError(f"gradient: got {len(given)} distances; expected 1, or {count}, one for each axis")
    return given


def _widths(spacing: Any, length: int, behind: int) -> tuple[Any, Any]:
    """The spacing of an axis: a single distance, or the distances between neighbouring sample points."""
    if isinstance(spacing, int | float) or spacing.ndim == 0:
        return spacing, None
    if spacing.ndim != 1 or spacing.shape[0] != length:
        raise ValueError(f"gradient: places have shape {spacing.shape}; expected ({length},), that of the axis")
    if not isinstance(spacing, Variable) and spacing.dtype.kind in "iu":
        spacing = spacing.astype(np.float64)
    steps = spacing[1:] - spacing[:-1]
    return None, reshape(steps, shape=(-1, *[1] * behind))


def _slopes(f: Any, axis: int, width: Any, steps: Any, edge_order: int) -> Any:
    def part(*bounds: int | None) -> Any:
        return f[along(axis, slice(*bounds))]

    if steps is None:
        first, last = ([width] * 2 for _ in range(2))
        inner = (part(2, None) - part(-2)) / (2.0 * width)
    else:
        before, after = steps[:-1], steps[1:]
        first, last = [steps[:1], steps[1:2]], [steps[-1:], steps[-2:-1]]
        whole = before + after
        inner = (
            part(-2) * (-after / (before * whole))
            + part(1, -1) * ((after - before) / (before * after))
            + part(2, None) * (before / (after * whole))
        )
    length = f.shape[axis]
    ends = []
    for sign, near, next, further, (one, two) in (
        (1.0, (0, 1), (1, 2), (2, 3), first),
        (-1.0, (-1, None), (-2, -1), (-3, -2), last),
    ):
        if edge_order == 1 or length < 3:
            ends.append((part(*next) - part(*near)) / one * sign)
        else:
            ends.append(
                (
                    part(*near) * (-(2.0 * one + two) / (one * (one + two)))
                    + part(*next) * ((one + two) / (one * two))
                    - part(*further) * (one / (two * (one + two)))
                )
                * sign
            )
    return concatenate([ends[0], inner, ends[1]], axis=axis)
