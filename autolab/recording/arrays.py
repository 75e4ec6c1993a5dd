"""Snapshots: what a recording keeps of an array, within a budget of bytes."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from ..engine import Array, array_of, device_name, get_array_module, to_cpu
from ..shared.norms import norm
from .kept_array import SingleNumber, Snapshot, maker

CELLS = 256 * 256
"""The maximum number of cells of a reduced copy."""

FEW_CELLS = 64
"""The number of cells kept of an array when the budget is spent."""

WHOLE_BYTES = 1 << 20
"""Arrays up to this size are kept whole while the budget lasts."""

_SMALL = 16
_FLOAT64 = np.dtype(np.float64)
_snapshot = maker(Snapshot)


class Budget:
    """A budget of bytes for copies of arrays; it counts the arrays that had to be reduced."""

    def __init__(self, total: int) -> None:
        self._left = total
        self.reduced = 0

    def share(self, fraction: float) -> Budget:
        """Split off a fraction of these bytes as a separate budget with its own count."""
        part = int(fraction * self._left)
        self._left -= part
        return Budget(part)

    def snapshot(self, array: Array, cost: int | None = None) -> Snapshot:
        """A snapshot: whole if the array is small enough, else reduced, and only a few cells once the budget is spent.

        If ``cost`` is given, nothing writes to the array: a whole snapshot does not copy it and takes ``cost`` bytes.
        """
        if type(array) is np.float64 or (type(array) is np.ndarray and array.dtype is _FLOAT64 and not array.shape):
            self._left -= 8
            return SingleNumber(array.item())
        array = array_of(array)
        if cost is None and array.nbytes <= WHOLE_BYTES and array.nbytes <= self._left:
            self._left -= array.nbytes
            return snapshot(array, array.size or 1)
        cells = array.size if array.nbytes <= WHOLE_BYTES else CELLS
        needed = cells * array.itemsize if cost is None else cost
        kept = snapshot(array, max(cells, 1) if needed <= self._left else FEW_CELLS, cost is not None)
        self._left -= kept.values.nbytes if cost is None or not kept.is_whole else cost
        self.reduced += not kept.is_whole
        return kept


def give_own_copy(snapshot: Snapshot) -> None:
    """Replace the values of a snapshot by a copy, because the array that they share is about to be changed in place."""
    values = snapshot.values.copy()
    values.setflags(write=False)
    object.__setattr__(snapshot, "values", values)


def snapshot(array: Array, max_cells: int = CELLS, is_lent: bool = False) -> Snapshot:
    """The snapshot of ``array``: whole if it has at most ``max_cells`` elements, else block-reduced.

    The reduction runs on the array's device, and only the cells are copied. A whole array that ``is_lent`` is not
    copied at all.
    """
    array = array_of(array)
    if type(array) is np.ndarray and array.ndim == 0 and array.dtype is _FLOAT64:
        return SingleNumber(array.item())
    reduced, block = block_reduce(array, max_cells)
    if is_lent and reduced is array:
        values = array.view()
    else:
        values = reduced.copy() if type(reduced) is np.ndarray else np.array(to_cpu(reduced), copy=True)
    values.setflags(write=False)
    low, high, nan_count, inf_count = extremes(array)
    return _snapshot(
        shape=array.shape,
        dtype=dtype_name(array.dtype),
        device=device_name(array),
        nbytes=int(array.nbytes),
        values=values,
        block=block,
        minimum=low,
        maximum=high,
        nan_count=nan_count,
        inf_count=inf_count,
        reduced_norm=None if reduced is array else _norm(array),
    )


dtype_name = cache(str)  # NumPy builds the name again each time


def block_reduce(
    array: Array, max_cells: int, max_shape: tuple[int, ...] | None = None
) -> tuple[Array, tuple[int, ...]]:
    """Reduce ``array`` to blocks: each cell is the element of largest magnitude in its block, or NaN if there is one.

    Parameters
    ----------
    array : array
    max_cells : int
        The maximum number of cells.
    max_shape : tuple of int, optional
        The maximum length of each axis.

    Returns
    -------
    cells : array
        The array itself if no reduction is needed.
    block : tuple of int
        The number of elements per cell along each axis (the last cell may have fewer).
    """
    if array.size <= max_cells and max_shape is None:
        return array, (1,) * array.ndim
    block = _blocks(array.shape, max_cells, max_shape)
    if all(n == 1 for n in block):
        return array, block
    xp = get_array_module(array)
    low, high = array, array
    for axis, n in enumerate(block):
        if n > 1:
            low, high = _along(low, axis, n, "min"), _along(high, axis, n, "max")
    if array.dtype.kind == "f":
        return xp.where(-low > high, low, high), block
    # the magnitude of the smallest integer does not fit its dtype
    return (xp.where(-low.astype(float) > high, low, high) if array.dtype.kind == "i" else high), block


def _blocks(shape: tuple[int, ...], max_cells: int, max_shape: tuple[int, ...] | None) -> tuple[int, ...]:
    block = [-(-n // most) or 1 for n, most in zip(shape, max_shape, strict=True)] if max_shape else [1] * len(shape)
    cells = [-(-n // b) for n, b in zip(shape, block, strict=True)]
    while cells and int(np.prod(cells, dtype=np.int64)) > max_cells:
        axis = int(np.argmax(cells))
        block[axis] *= 2
        cells[axis] = -(-shape[axis] // block[axis])
    return tuple(block)


def _along(array: Array, axis: int, n: int, how: str) -> Array:
    """Reduce blocks of ``n`` along ``axis``; the last block may be shorter."""
    xp = get_array_module(array)
    array = xp.moveaxis(array, axis, 0)
    full = len(array) // n * n
    parts = [getattr(array[:full].reshape(full // n, n, *array.shape[1:]), how)(axis=1)]
    if full < len(array):
        parts.append(getattr(array[full:], how)(axis=0, keepdims=True))
    return xp.moveaxis(xp.concatenate(parts), 0, axis)


def extremes(array: Array) -> tuple[float | None, float | None, int, int]:
    """The minimum and maximum of the finite elements, and the numbers of NaN and of infinite elements."""
    if array.size == 0:
        return None, None, 0, 0
    if array.size <= _SMALL and type(array) is np.ndarray and array.dtype.kind == "f":
        numbers = array.ravel().tolist()  # for so few, Python is done before NumPy has started
        if math.isfinite(sum(numbers)):
            return float(min(numbers)), float(max(numbers)), 0, 0
    low, high = (float(array.item()),) * 2 if array.size == 1 else (float(array.min()), float(array.max()))
    if math.isfinite(low) and math.isfinite(high):
        return low, high, 0, 0
    xp = get_array_module(array)
    finite = array[xp.isfinite(array)]
    nan_count = int(xp.isnan(array).sum())
    inf_count = int(array.size - finite.size - nan_count)
    if finite.size == 0:
        return None, None, nan_count, inf_count
    return float(finite.min()), float(finite.max()), nan_count, inf_count


def _norm(array: Array) -> float:
    """The Euclidean norm of the finite elements, computed on their device, piece by piece to copy little."""
    xp, axis = get_array_module(array), int(np.argmax(array.shape))
    most = CELLS if xp is np else CELLS << 10  # every piece waits for the GPU
    pieces = min(array.shape[axis], array.size // most + 1)
    split = xp.array_split(array, pieces, axis=axis)
    return math.hypot(*[norm([xp.where(xp.isfinite(piece), piece, 0)]) for piece in split])
