"""Snapshots: what a recording keeps of an array, within a budget of bytes.

What a recording keeps of an array, as plain data: its numbers or a reduction of them. `arrays.py` creates it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, TypeVar

import numpy as np

from ..engine import Array, array_of, device_name, get_array_module, to_cpu
from ..shared.norms import norm

T = TypeVar("T")


def maker(kind: type[T]) -> Callable[..., T]:
    """A constructor of a frozen dataclass with slots that takes a fifth of the time of its ``__init__``.

    It creates an instance of a class with the same slots whose fields can be set, and then changes its class to
    ``kind``.
    """
    settable = type(kind.__name__, (kind,), {"__slots__": (), "__setattr__": object.__setattr__})
    names = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
    code = [f"def make({', '.join(names)}):", "self = _new(_settable)", *[f"self.{name} = {name}" for name in names]]
    known: dict[str, Any] = {"_new": object.__new__, "_settable": settable, "_kind": kind}
    exec("\n    ".join([*code, "self.__class__ = _kind", "return self"]), known)  # as `dataclass` does
    known["make"].__defaults__ = tuple([f.default for f in fields(kind) if f.default is not MISSING])  # type: ignore[arg-type]
    return known["make"]


@dataclass(frozen=True)
class Pool:
    """CuPy's memory pool at the end of a run: bytes in use, the peak over all steps, and bytes that the pool holds."""

    used: int
    peak: int
    total: int


class _Measured:
    """Caches the norm of a snapshot."""

    __slots__ = ("_norm",)
    _norm: float


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot(_Measured):
    """What a recording keeps of one array: all of it, or a block-reduced copy, and facts about the whole array.

    ``values`` is a read-only NumPy array that belongs to the recording. If ``block`` has an entry above 1, each cell
    represents that many elements along the axis and holds the one of largest magnitude, with its sign.
    ``minimum`` and ``maximum`` are those of the finite elements of the whole array; None if there are none.
    ``reduced_norm`` is the norm of the whole array if it cannot be computed from the values.

    Examples
    --------
    >>> import autolab
    >>> snapshot = autolab.record(lambda x: x * 2.0, [1.0, float("inf")]).steps[0].value
    >>> snapshot.shape, snapshot.maximum, snapshot.inf_count, snapshot.is_whole
    ((2,), 1.0, 1, True)
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    nbytes: int
    values: np.ndarray
    block: tuple[int, ...]
    minimum: float | None
    maximum: float | None
    nan_count: int
    inf_count: int
    reduced_norm: float | None = None

    def __str__(self) -> str:
        """As NumPy prints it; for an array that is not kept whole, its dtype and shape."""
        return str(self.values) if self.is_whole else f"{self.dtype} array of shape {self.shape}"

    @property
    def norm(self) -> float:
        """The Euclidean norm of the whole array's finite elements."""
        try:
            return self._norm
        except AttributeError:
            object.__setattr__(self, "_norm", self._measured())
        return self._norm

    def _measured(self) -> float:
        if self.reduced_norm is not None:
            return self.reduced_norm
        if self.size == 1 and self.minimum is not None and "complex" not in self.dtype:
            return abs(self.minimum)
        values = self.values.astype(complex if self.values.dtype.kind == "c" else float)
        return norm([values[np.isfinite(values)]])

    @property
    def size(self) -> int:
        """The number of elements of the whole array."""
        return math.prod(self.shape)

    @property
    def precision(self) -> float:
        """The machine epsilon of its dtype; 0 if the dtype does not round."""
        return float(np.finfo(self.values.dtype).eps) if self.values.dtype.kind == "f" else 0.0

    @property
    def is_whole(self) -> bool:
        """Whether ``values`` is the whole array rather than a reduced copy."""
        return all(n == 1 for n in self.block)


class SingleNumber(Snapshot):
    """The snapshot of a single float64, which is all that it stores: a run on numbers creates three at every step."""

    __slots__ = ("number",)
    number: float

    shape = ()  # what all numbers have in common is stored once
    dtype, device, nbytes, block, reduced_norm = "float64", "cpu", 8, (), None

    def __new__(cls, number: float = 0.0, **facts: Any) -> Any:
        return Snapshot(**facts) if facts else super().__new__(cls)  # `replace` turns it into an ordinary snapshot

    def __init__(self, number: float) -> None:
        object.__setattr__(self, "number", number)

    def __reduce__(self) -> tuple[Any, ...]:
        return SingleNumber, (self.number,)

    @property
    def values(self) -> np.ndarray:
        values = np.array(self.number)
        values.setflags(write=False)
        return values

    @property
    def minimum(self) -> float | None:
        return self.number if math.isfinite(self.number) else None

    maximum = minimum

    @property
    def nan_count(self) -> int:
        return int(math.isnan(self.number))

    @property
    def inf_count(self) -> int:
        return int(math.isinf(self.number))


@dataclass(frozen=True)
class KeptArray:
    """An array that a step keeps for its backward. ``nbytes`` is the size of its memory ``buffer``, which other steps
    may keep as well."""

    buffer: int
    shape: tuple[int, ...]
    dtype: str
    nbytes: int


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
