"""Values of a function at many points: by programs, checked against the function in each use, if it can be traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine.undisturbed import quietly
from .replay import Replay
from .trace import Untraceable

_WORTH = 12
"""For fewer points, tracing costs more than it saves."""
_MOST = 4
_PROBES = 4
_TOLERANCE = 1e-9


class BatchEvaluator:
    """Values of a function at points, which are arrays of one shape.

    A program is correct for one path through the branches of the function; points on another path get their own
    program, and if there are too many paths, the remaining points are computed one by one.

    Parameters
    ----------
    traced : callable
        Maps an array to a list of arrays whose elements, concatenated, are the value. It is called with traced arrays.
        It may take more arrays, which are the same for all points.
    exactly : callable
        The same function, from a NumPy array to a flat array, without tracing; it does not raise, and has the other
        arrays.

    Attributes
    ----------
    refusal : str or None
        Why no program is used.
    """

    def __init__(self, traced: Callable[..., Sequence[Any]], exactly: Callable[[np.ndarray], np.ndarray]) -> None:
        self.refusal: str | None = None
        self._traced, self._exactly = traced, exactly
        self._programs: list[Replay] = []
        self._attempts = 0
        self._rng = np.random.default_rng(0)

    def at(self, points: np.ndarray, others: Sequence[np.ndarray] = ()) -> np.ndarray | None:
        """The values at all points, of shape ``(points, elements)``; None if all must be computed without a program."""
        values, left = self.by_programs(points, others)
        if values is not None:
            for i in left:
                values[i] = self._exactly(points[i])
        return values

    def by_programs(
        self, points: np.ndarray, others: Sequence[np.ndarray] = ()
    ) -> tuple[np.ndarray | None, np.ndarray]:
        """The same, without the values of the points whose indices are in the second array."""
        if self.refusal or len(points) < (1 if self._programs else _WORTH):
            return None, np.arange(len(points))
        values = np.empty((len(points), 0))
        left = np.arange(len(points))
        for program in self._programs:
            values, left = self._filled(program, points, others, left, values)
        while len(left) >= _WORTH and self._attempts < _MOST and not self.refusal:
            self._attempts += 1
            made = self._program([points[left[len(left) // 2]], *others])
            if made is not None:
                values, left = self._filled(made, points, others, left, values)
                self._programs.append(made)
        return (None, np.arange(len(points))) if self.refusal or not values.size else (values, left)

    def _program(self, point: list[np.ndarray]) -> Replay | None:
        """A program for the path through the function at a point; None if it cannot be traced."""
        from . import trace

        try:
            with quietly():
                return Replay(trace(self._traced, point))
        except Untraceable as refusal:
            self.refusal = str(refusal)
        except Exception:  # if it is the function's own, `exactly` meets it as well
            pass
        return None

    def _filled(
        self, program: Replay, points: np.ndarray, others: Any, left: np.ndarray, values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values, filled in where the program is correct, and the points that it leaves."""
        if self.refusal or not len(left):
            return values, left
        try:
            with np.errstate(all="ignore"):
                outputs, fits = program([points[left], *[one[None] for one in others]])
        except Exception:  # at one of the points; `exactly` finds out at which
            return values, left
        flat = np.concatenate([a.reshape(len(left), -1).astype(np.float64) for a in outputs], axis=1)
        right = np.flatnonzero(fits)
        if len(right):
            probes = 1 if program in self._programs else _PROBES
            some = self._rng.choice(right, min(len(right), probes), replace=False)
            alone = np.stack([self._exactly(points[left[i]]) for i in some])
            if not agree(flat[some].T, alone.T):
                self.refusal = "the function and its program give different numbers"
                return values, left
            if not values.size:
                values = np.empty((len(points), flat.shape[1]))
            values[left[fits]] = flat[fits]
        return values, left[~fits]


def agree(together: np.ndarray, alone: np.ndarray) -> bool:
    """Whether rows are equal up to rounding, with infinities and NaN at the same positions.

    Near 0 the tolerance is relative to the size of the other elements, unless a few of these are huge.
    """
    size = np.abs(alone)
    finite = np.where(np.isfinite(size), size, 0.0)
    usual = 1 + np.median(finite, axis=1, keepdims=True) if finite.size else 0.0
    slack = _TOLERANCE * np.minimum(np.max(finite, axis=1, keepdims=True, initial=0.0), usual)
    with np.errstate(invalid="ignore"):
        close = np.abs(together - alone) <= _TOLERANCE * size + slack
    return bool(np.all(close | (together == alone) | (np.isnan(together) & np.isnan(alone))))
