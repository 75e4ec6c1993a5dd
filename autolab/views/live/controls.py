"""Controls that move the arrays of an exploration, as plain data.

A number becomes a slider, an array a grid of cells, a large array a window of cells and a map of the whole. Arrays that
do not hold real numbers are shown as text.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Array, to_cpu
from ...recording.arrays import block_reduce
from ...shared.numerals import round_up
from ..draw import clean

Key = str | int


def is_movable(array: Array) -> bool:
    """Whether an array is not empty and holds real numbers."""
    return bool(array.size and array.dtype.kind in "iuf")


def is_finite(value: Any) -> bool:
    """Whether a number is finite as a float."""
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer larger than every float
        return False


COLUMNS = 8
ROWS = 8
MAP = 32
"""Largest number of rows, and of columns, of a map."""

_MOST = 1e300  # limit of a range, so that its length is finite
_SHADES = 127


def control(
    key: Key,
    label: str,
    value: Array,
    initial: Array,
    domain: tuple[float, float] | None = None,
    corner: tuple[int, int] = (0, 0),
) -> dict[str, Any]:
    """The control of one array.

    Parameters
    ----------
    key : str or int
        The input's name in the signature; for an upstream gradient, the position of its output.
    label : str
    value, initial : array
        The present value, and the value when the exploration began: the range follows from both.
    domain : tuple of two floats, optional
        The interesting domain of the function that takes the input; by default, the range is symmetric about zero.
    corner : tuple of two ints
        Row and column at which the window begins, for an array that has more cells than a window.

    Examples
    --------
    >>> found = control("x", "x", np.array(2.0), np.array(2.0), domain=(0.1, 4))
    >>> found["kind"], found["value"], found["min"], found["max"], found["step"]
    ('slider', 2.0, 0.1, 4.0, 0.01)
    """
    names = {"key": key, "label": clean(label), "upstream": isinstance(key, int)}
    if not is_movable(value):
        return {**names, "kind": "fixed", "text": f"{value.dtype} {tuple(value.shape)}"}
    if value.ndim == 0:
        now = to_cpu(value)
        return {**names, "kind": "slider", "value": _number(now.item()), **_limits(now, to_cpu(initial), domain)}
    return {**names, "kind": "grid", "shape": list(value.shape), **_grid(value, initial, domain, corner)}


def _grid(value: Array, initial: Array, domain: tuple[float, float] | None, corner: tuple[int, int]) -> dict[str, Any]:
    """A window of cells, and a map if the window is not the whole array.

    ``first`` is the flat index of the window's first cell, ``stride`` the distance between rows in that index.
    """
    columns = min(value.shape[-1], COLUMNS) if value.ndim == 1 else value.shape[-1]
    rows = -(-value.size // columns)
    top = max(0, min(int(corner[0]), rows - ROWS))
    left = max(0, min(int(corner[1]), columns - COLUMNS))
    flat, wide = value.reshape(-1), min(COLUMNS, columns - left)
    starts = [row * columns + left for row in range(top, min(top + ROWS, rows))]
    window = [to_cpu(flat[start : min(start + wide, (start // columns + 1) * columns)]) for start in starts]
    cells, block = _cells(flat, columns)
    limits = _limits(cells, to_cpu(initial.reshape(-1)), domain)
    is_whole, largest = rows <= ROWS and columns <= COLUMNS, max(abs(limits["min"]), abs(limits["max"]))
    place = {"rows": rows, "columns": columns, "top": top, "left": left, "block": list(block)}
    return {
        "values": [[_number(v) for v in row.tolist()] for row in window],
        "first": starts[0],
        "stride": columns,
        **limits,
        "map": None if is_whole else {**place, "shades": _shades(cells, largest)},
    }


def _cells(flat: Array, columns: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """The whole array in rows of ``columns``, block-reduced; the last row of a vector is padded with zeros."""
    rows = -(-flat.size // columns)
    if rows * columns > flat.size:
        flat = np.concatenate([to_cpu(flat), np.zeros(rows * columns - flat.size, flat.dtype)])
    cells, block = block_reduce(flat.reshape(rows, columns), MAP * MAP, (MAP, MAP))
    return to_cpu(cells), block


def _shades(cells: np.ndarray, most: float) -> list[list[int | None]]:
    """Numbers as shades from -127 to 127; None for NaN and infinities."""
    with np.errstate(invalid="ignore", over="ignore"):
        shades = np.rint(cells.astype(np.float64) / most * _SHADES).tolist()
    return [[int(v) if math.isfinite(v) else None for v in row] for row in shades]


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _limits(now: np.ndarray, before: np.ndarray, domain: tuple[float, float] | None) -> dict[str, float]:
    """A range that contains both arrays, and a step with two more digits than its magnitude."""
    low, high = [max(-_MOST, min(end, _MOST)) for end in _ends(_finite(now), _finite(before), domain)]
    step = float(f"1e{math.floor(math.log10((high - low) / 2)) - 2}")
    if now.dtype.kind in "iu":
        low, high = max(low, np.iinfo(now.dtype).min), min(high, np.iinfo(now.dtype).max)
    return {"min": float(low), "max": float(high), "step": step if now.dtype.kind == "f" else max(1.0, step)}


def _ends(now: np.ndarray, before: np.ndarray, domain: tuple[float, float] | None) -> tuple[float, float]:
    """The domain, widened to contain all numbers; without one, a range symmetric about zero."""
    most = float(np.abs(now).max(initial=0.0))
    if domain is None:
        end = round_up(min(max(2 * float(np.abs(before).max(initial=0.0)) or 5.0, most, 1 / _MOST), _MOST))
        return -end, end
    both = np.concatenate([now.reshape(-1), before.reshape(-1)])
    low, high = float(both.min(initial=domain[0])), float(both.max(initial=domain[1]))
    return (
        domain[0] if low >= domain[0] else math.copysign(round_up(abs(low)), low) if low < 0 else 0.0,
        domain[1] if high <= domain[1] else math.copysign(round_up(abs(high)), high) if high > 0 else 0.0,
    )


def _finite(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)].astype(np.float64)
