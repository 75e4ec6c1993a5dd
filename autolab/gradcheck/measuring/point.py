"""A function of arrays at one point, evaluated along directions; and the positions of elements in arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ...engine import Array

Arrays = Sequence[np.ndarray]
Shape = tuple[int, ...]

Evaluate = Callable[[Arrays], np.ndarray]
"""Input arrays in, all floating-point results of the function in one flat float64 array out."""

Found = TypeVar("Found")

FAINT = 1e-290
"""What is smaller may underflow, or has lost digits."""

_SMALLEST = 2.0**-20
"""An element far below the typical magnitude of its array moves as if it were this fraction of it."""


@dataclass(frozen=True)
class Direction:
    """Elements of one input that move together: ``index`` (of the flat array) by ``t * step``.

    ``index`` is one element or an array of them, ``step`` a number or an array alike.
    """

    input: int
    index: Any
    step: Any


def attempted(compute: Callable[..., Found], *args: Any, **options: Any) -> Found | None:
    """The result of the computation; None if it raises, as a user's function may outside its domain or when traced."""
    try:
        return compute(*args, **options)
    except Exception:
        return None


def largest(*arrays: np.ndarray) -> float:
    """The largest magnitude among the finite numbers in the arrays; 0 if there are none."""
    return max([float(np.max(np.abs(a), where=np.isfinite(a), initial=0.0)) for a in arrays], default=0.0)


class MovableArrays:
    """Arrays whose elements are moved in place, observed, and restored.

    Parameters
    ----------
    look : callable
        Called while elements are moved; its result must not share memory with the arrays.
    arrays : sequence of arrays
        The arrays to move, indexed by ``Direction.index``.
    caller : str
        The name of the tool, for errors.
    """

    def __init__(self, look: Callable[[], Any], arrays: Sequence[Array], caller: str = "") -> None:
        self._caller = caller
        self._look = look
        self._moving = tuple(arrays)

    def at(self, directions: Sequence[Direction], t: float) -> Any:
        """The result of ``look`` after a move by ``t`` along several directions of different inputs at once."""
        moved = []
        try:
            for d in directions:
                array = self._moving[d.input]
                before = array[d.index].copy()
                moved.append((array, d.index, before))
                array[d.index] = before + t * d.step
            return self._look()
        finally:
            for array, index, before in moved:
                array[index] = before

    def pair(self, direction: Direction, t: float = 1.0) -> tuple[Any, Any]:
        """The results of ``look`` after moves by ``t`` and by ``-t`` along one direction."""
        return self.at([direction], t), self.at([direction], -t)

    def slope(self, direction: Direction, t: float) -> Any:
        """The central difference along one direction, per unit of its step."""
        above, below = self.pair(direction, t)
        return (above - below) / (2 * t * direction.step)

    def width(self, direction: Direction, t: float = 1.0) -> Any:
        """The distance between the elements after moves by ``t`` and by ``-t``, as rounded by their dtype.

        Raises
        ------
        ValueError
            If no element moves at all.
        """
        before = self._moving[direction.input][direction.index]
        move = t * direction.step
        width = (before + move).astype(before.dtype) - (before - move).astype(before.dtype)
        if not width.any():
            raise ValueError(
                f"{self._caller}: a move by {float(np.max(np.abs(move))):.3g} is lost in the rounding of "
                f"{np.ravel(before)[0]:.6g} in {before.dtype}; choose a larger eps"
            )
        return width


@dataclass
class Tally:
    """The number of calls of a function, and the name of the first exception that it raised away from its point."""

    calls: int = 0
    failure: str | None = None

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        self.calls += other.calls
        self.failure = self.failure or other.failure


class Point(MovableArrays):
    """Where a function is differentiated. A copy of it can be moved by another thread or process.

    Parameters
    ----------
    evaluate : callable
        Called with arrays of the shapes and dtypes of ``arrays``, which it must not change.
    arrays : sequence of arrays
        The inputs, which are not changed. Those that are moved hold floats.
    like : Point, optional
        Another point of the same arrays, whose scales it takes, and whose copies it moves.

    Attributes
    ----------
    values : array
        The results at the point that are finite, flat.
    tally : Tally
    """

    def __init__(self, evaluate: Evaluate, arrays: Arrays, like: Point | None = None) -> None:
        values = evaluate(arrays)
        finite = np.isfinite(values)
        scales = tuple([step_scale(array) for array in arrays]) if like is None else like.scales
        self._prepare((evaluate, tuple(arrays), scales, values[finite], finite), None if like is None else like._copies)
        self.tally.calls = 1

    def __getstate__(self) -> tuple[Any, ...]:
        return self._evaluate, self.arrays, self.scales, self.values, self.finite

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._prepare(state)

    def _prepare(self, state: tuple[Any, ...], copies: list[np.ndarray] | None = None) -> None:
        self._evaluate, self.arrays, self.scales, self.values, self.finite = state
        self.tally = Tally()
        self._copies = copies or [np.array(array, order="C") for array in self.arrays]
        super().__init__(partial(self._evaluate, self._copies), [copy.reshape(-1) for copy in self._copies])

    def with_arrays(self, arrays: Arrays) -> Point:
        """The same function at other inputs; its calls are counted in the same tally."""
        other, self.tally.calls = Point(self._evaluate, arrays), self.tally.calls + 1
        other.tally = self.tally
        return other

    @property
    def is_finite(self) -> bool:
        """Whether all results at the point are finite."""
        return self.values.size == self.finite.size

    def moving(self, input: int, index: Any = slice(None)) -> Direction:
        """The direction that moves one or several elements of an input, each by its scale; by default, all of them."""
        return Direction(input, index, self.scales[input][index])

    def alone(self, input: int, index: int) -> Direction | None:
        """The direction that moves an element by its own magnitude; None if `moving` is not coarser."""
        step = self.own(input)[index]
        return Direction(input, index, step) if step < self.scales[input][index] else None

    def own(self, input: int) -> np.ndarray:
        """The step of each element according to its own magnitude, regardless of the others in its array; flat."""
        _, exponent = np.frexp(np.abs(self.arrays[input].astype(np.float64).ravel()))
        return np.minimum(self.scales[input], np.ldexp(1.0, exponent - 1))

    def along(self, direction: Direction, t: float) -> np.ndarray:
        """The results after a move by ``t`` along ``direction``; NaN where the function cannot be evaluated there."""
        return self.at([direction], t)

    def moves(self, direction: Direction, *sizes: float) -> np.ndarray:
        """The changes of the results in moves of the given sizes to both sides, one row each."""
        return np.array([self.along(direction, sign * t) for t in sizes for sign in (1.0, -1.0)]) - self.values

    @contextmanager
    def far_away(self) -> Iterator[None]:
        """Inside a ``with`` block, exceptions are not stored as ``failure``: they say nothing about the point."""
        failure = self.tally.failure
        yield
        self.tally.failure = failure

    def at(self, directions: Sequence[Direction], t: float) -> np.ndarray:
        """The results after a move by ``t`` along several directions of different inputs at once."""
        self.tally.calls += 1
        try:
            values = super().at(directions, t)
        except Exception as error:  # outside its domain, a function may raise anything
            self.tally.failure = self.tally.failure or type(error).__name__
            return np.full(self.values.size, np.nan)
        if values.size != self.finite.size:
            return np.full(self.values.size, np.nan)
        return values if self.is_finite else values[self.finite]


def step_scale(array: np.ndarray) -> np.ndarray:
    """The step of each element of ``array`` for a relative move of 1: a power of two near its magnitude, flat.

    Powers of two keep ``x + h`` and ``x - h`` free of rounding errors. An element that is 0 takes the median
    magnitude of the others, or 1 if all are 0. None moves by less than the smallest number with all digits, as
    moves of smaller ones would be rounded.
    """
    magnitude = np.abs(array.astype(np.float64).ravel())
    known = magnitude[np.isfinite(magnitude) & (magnitude > 0)]
    typical = float(np.median(known)) if known.size else 1.0
    magnitude = np.where(np.isfinite(magnitude) & (magnitude > 0), magnitude, typical)
    least = max(typical * _SMALLEST, float(np.finfo(array.dtype).smallest_normal))
    _, exponent = np.frexp(np.maximum(magnitude, least))
    return np.ldexp(1.0, exponent - 1)


def index_of(place: int, shape: Shape) -> Shape:
    """The index of a flat element.

    Examples
    --------
    >>> index_of(5, (2, 3)), index_of(0, ())
    ((1, 2), ())
    """
    return tuple([int(k) for k in np.unravel_index(place, shape)])


def array_and_index(place: int, shapes: Sequence[Shape]) -> tuple[int, Shape]:
    """The array that contains the element, by number, and the element's index in it.

    Examples
    --------
    >>> array_and_index(4, [(3,), (2, 2)])
    (1, (0, 1))
    """
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    which = int(np.searchsorted(ends, place, side="right"))
    return which, index_of(place - (int(ends[which - 1]) if which else 0), shapes[which])
