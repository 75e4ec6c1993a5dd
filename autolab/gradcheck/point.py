"""A function of arrays at one point, evaluated along directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

Evaluate = Callable[[Sequence[np.ndarray]], np.ndarray]
"""Input arrays in, all floating-point results of the function in one flat float64 array out."""

_SMALLEST = 2.0**-20
"""An element far below the typical magnitude of its array moves as if it were this fraction of it."""


@dataclass(frozen=True)
class Direction:
    """Elements of one input that move together: element ``index[k]`` (of the flat array) by ``t * step[k]``."""

    input: int
    index: np.ndarray
    step: np.ndarray


class Point:
    """Where a function is differentiated.

    Parameters
    ----------
    evaluate : callable
        Sees arrays of the shapes and dtypes of ``arrays`` and must not change them.
    arrays : sequence of arrays
        The inputs. Those that are moved hold floats.

    Attributes
    ----------
    values : array
        The results at the point that are finite, flat.
    failure : Exception or None
        The first exception that the function raised away from the point.
    """

    def __init__(self, evaluate: Evaluate, arrays: Sequence[np.ndarray]) -> None:
        self._evaluate = evaluate
        self.arrays = tuple(arrays)
        self.scales = tuple(step_scale(array) for array in self.arrays)
        self.failure: Exception | None = None
        values = evaluate(self.arrays)
        self.finite = np.isfinite(values)
        self._size = values.size
        self.values = values[self.finite]

    def element(self, input: int, index: int) -> Direction:
        """The direction of one element of one input."""
        return self.elements(input, np.array([index]))

    def elements(self, input: int, index: np.ndarray) -> Direction:
        """The direction in which several elements of one input move at once, each by its own scale."""
        return Direction(input, index, self.scales[input][index])

    def along(self, direction: Direction, t: float) -> np.ndarray:
        """The results after a move by ``t`` along ``direction``; NaN where the function cannot be evaluated there."""
        return self.at([direction], t)

    @contextmanager
    def far_away(self) -> Iterator[None]:
        """Inside, what the function raises is not its behaviour near the point and leaves ``failure`` alone."""
        failure = self.failure
        yield
        self.failure = failure

    def at(self, directions: Sequence[Direction], t: float) -> np.ndarray:
        """The results after a move by ``t`` along several directions of different inputs at once."""
        arrays = list(self.arrays)
        for d in directions:
            moved = arrays[d.input].flatten()
            moved[d.index] += (t * d.step).astype(moved.dtype)
            arrays[d.input] = moved.reshape(arrays[d.input].shape)
        try:
            values = self._evaluate(arrays)
        except Exception as error:  # outside its domain a function may raise whatever it likes
            self.failure = self.failure or error
            return np.full(self.values.size, np.nan)
        if values.size != self._size:
            return np.full(self.values.size, np.nan)
        return values[self.finite]


def step_scale(array: np.ndarray) -> np.ndarray:
    """By what each element of ``array`` moves for a relative move of 1: a power of two near its magnitude, flat.

    Powers of two keep ``x + h`` and ``x - h`` free of rounding errors. An element that is 0 takes the median
    magnitude of the others, or 1 if all are 0.
    """
    magnitude = np.abs(array.astype(np.float64).ravel())
    known = magnitude[np.isfinite(magnitude) & (magnitude > 0)]
    typical = float(np.median(known)) if known.size else 1.0
    magnitude = np.where(np.isfinite(magnitude) & (magnitude > 0), magnitude, typical)
    _, exponent = np.frexp(np.maximum(magnitude, typical * _SMALLEST))
    return np.ldexp(1.0, exponent - 1)
