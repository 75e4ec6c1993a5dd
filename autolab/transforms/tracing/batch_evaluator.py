"""Values of a function at many points: by programs where it can be traced, proved against the function in each use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine.float_errors import quietly
from .replay import Replay
from .trace import Untraceable

_WORTH = 12
"""For fewer points a trace costs more than it saves."""
_MOST = 4
_PROBES = 4
_TOLERANCE = 1e-9


class BatchEvaluator:
    """Values of a function at points, each of which is an array of one shape.

    A program is right along one way through the function; points that go another way get a program of their own, and
    where there are too many ways the rest are computed one by one.

    Parameters
    ----------
    traced : callable
        From an array to a list of arrays; what these hold, one after the other, is the value. It is called with traced
        arrays. It may take more arrays: those that are the same for all points.
    exactly : callable
        The same from a NumPy array to a flat array, the slow way; it raises nothing, and knows the other arrays.

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
        """The values at all points, of shape ``(points, elements)``; None where the slow way is to be gone for all."""
        values, left = self.by_programs(points, others)
        if values is not None:
            for i in left:
                values[i] = self._exactly(points[i])
        return values

    def by_programs(
        self, points: np.ndarray, others: Sequence[np.ndarray] = ()
    ) -> tuple[np.ndarray | None, np.ndarray]:
        """The same, with no values yet at the points of which the second array has the places."""
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
        """The way through the function at a point; None where it raises."""
        from . import trace

        try:
            with quietly():
                return Replay(trace(self._traced, point))
        except Untraceable as refusal:
            self.refusal = str(refusal)
        except Exception:  # which the slow way meets as well, if it is the function's own
            pass
        return None

    def _filled(
        self, program: Replay, points: np.ndarray, others: Any, left: np.ndarray, values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values, filled in where a program is right, if it is; and the points that it leaves."""
        if self.refusal or not len(left):
            return values, left
        try:
            with np.errstate(all="ignore"):
                outputs, fits = program([points[left], *[one[None] for one in others]])
        except Exception:  # at one of the points; the slow way says at which
            return values, left
        flat = np.concatenate([a.reshape(len(left), -1).astype(np.float64) for a in outputs], axis=1)
        right = np.flatnonzero(fits)
        if len(right):
            probes = 1 if program in self._programs else _PROBES
            some = self._rng.choice(right, min(len(right), probes), replace=False)
            alone = np.stack([self._exactly(points[left[i]]) for i in some])
            if not agree(flat[some].T, alone.T):
                self.refusal = "the function gives other numbers than its program"
                return values, left
            if not values.size:
                values = np.empty((len(points), flat.shape[1]))
            values[left[fits]] = flat[fits]
        return values, left[~fits]


def agree(together: np.ndarray, alone: np.ndarray) -> bool:
    """Equal up to rounding, row by row, with infinities and NaN at the same places.

    Near 0 a remainder of rounding counts by the size of the others, unless a few of them are immense.
    """
    size = np.abs(alone)
    finite = np.where(np.isfinite(size), size, 0.0)
    usual = 1 + np.median(finite, axis=1, keepdims=True) if finite.size else 0.0
    slack = _TOLERANCE * np.minimum(np.max(finite, axis=1, keepdims=True, initial=0.0), usual)
    with np.errstate(invalid="ignore"):
        close = np.abs(together - alone) <= _TOLERANCE * size + slack
    return bool(np.all(close | (together == alone) | (np.isnan(together) & np.isnan(alone))))
