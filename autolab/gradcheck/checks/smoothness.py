"""Whether results are smooth around a point, as Chainer's ``detect_nondifferentiable`` asks: between the ends of a
difference they have to be close to a parabola."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..measuring.point import Direction, MovableArrays

_PLACES = np.linspace(-1, 1, 5)
_POWERS = np.vander(_PLACES, 3)


class NondifferentiableError(Exception):
    """Raised if a function that was asked to be smooth has a kink or a jump between the ends of a difference."""


def check_smooth(
    caller: str,
    label: str,
    place: MovableArrays,
    direction: Direction,
    eps: float,
    precision: Any = 0.0,
    atol: float = 0.0,
    rtol: float = 1e-2,
) -> None:
    """Raise a `NondifferentiableError` unless the results along a direction are close to a parabola.

    Parameters
    ----------
    place : MovableArrays
        Its results are flat arrays of float64.
    precision : float or array
        The relative error that rounding may cause in each result; it never counts as a kink.
    atol, rtol : float
        How far results may be from the parabola, the latter relative to how far they move.
    """
    ys = np.array([place.at([direction], eps * t) for t in _PLACES])
    moved = ys - ys[len(ys) // 2]
    rounding = precision * np.abs(ys).max(axis=0)
    off = np.linalg.norm(moved - _POWERS @ np.linalg.lstsq(_POWERS, moved, rcond=None)[0], axis=0)
    if (off > np.maximum(atol, rtol * np.linalg.norm(moved, axis=0)) + rounding).any():
        raise NondifferentiableError(f"{caller}: the results have a kink or a jump at {label}, within {eps:.3g} of it")
