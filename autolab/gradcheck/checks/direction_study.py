"""One direction looked at closely: the error over the step, and the Taylor remainder, of the same moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...shared.binding import Bound
from ..measuring.subject import Subject, lifted
from ..measuring.sweep import StepSweep, sweep_of
from .taylor import TaylorReport, taylor_along


@dataclass(frozen=True, eq=False)
class DirectionStudy:
    """What `study` measured along one direction of one input."""

    sweep: StepSweep
    taylor: TaylorReport


def study(
    bound: Bound, upstreams: Sequence[np.ndarray], name: str, place: tuple[int, ...] | None = None, seed: int = 0
) -> DirectionStudy:
    """Measure along one element of the input ``name``, or along a random direction through all of it.

    Parameters
    ----------
    bound : Bound
    upstreams : sequence of arrays
        The upstream gradients that the gradients are computed with, one per floating-point result.
    name : str
    place : tuple of int, optional
        The element; without it ``seed`` draws the direction.
    """
    native = Subject(bound)
    with np.errstate(all="ignore"):
        subject = lifted(native)
        rng = np.random.default_rng(seed)
        sweep, path = sweep_of(subject, subject.names.index(name), place, upstreams, rng)
        return DirectionStudy(sweep, taylor_along(path))
