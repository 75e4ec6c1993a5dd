"""The bars in the boxes of a plan: the sizes of values and gradients, on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ...recording.model import Recording, Snapshot, Step
from ..draw import say

WIDE_RANGE = 100.0
"""If the ratio of the largest to the smallest number is at least this, the scale is logarithmic."""

DECADES = 12.0
"""A logarithmic scale ends this many powers of ten below the largest number; smaller numbers are at its lower end."""


@dataclass(frozen=True)
class Scale:
    """Maps numbers to positions between 0 and 1. ``low`` and ``high`` are its ends."""

    low: float
    high: float
    logarithmic: bool

    def place(self, size: float) -> float:
        """The position of a number. Zero is at the lower end of every scale."""
        if size <= self.low:
            return 0.0
        if size >= self.high:
            return 1.0
        if self.logarithmic:
            return math.log(size / self.low) / math.log(self.high / self.low)
        return (size - self.low) / (self.high - self.low)


def scale_of(sizes: Iterable[float]) -> Scale:
    """A scale for numbers that are not negative: linear from 0, or logarithmic if they differ by much."""
    positive = [size for size in sizes if 0 < size < math.inf]
    if not positive:
        return Scale(0.0, 0.0, False)
    low, high = min(positive), max(positive)
    if high < WIDE_RANGE * low:
        return Scale(0.0, high, False)
    return Scale(max(low, high / 10**DECADES), high, True)


def size_of(snapshot: Snapshot | None) -> float | None:
    """The norm; None for a value without finite elements, where 0 would say that nothing flows."""
    if snapshot is None or snapshot.size == snapshot.nan_count + snapshot.inf_count:
        return None
    return snapshot.norm


def _typical(snapshot: Snapshot | None) -> float | None:
    """The root mean square of the finite elements; None for integers, which are indices."""
    size = size_of(snapshot)
    if snapshot is None or not size or snapshot.dtype.startswith(("int", "uint")):
        return size if size == 0 else None
    return size / math.sqrt(snapshot.size - snapshot.nan_count - snapshot.inf_count)


def _decades(sizes: Iterable[float | None]) -> Scale:
    """A logarithmic scale that ignores outliers: a few, or those far from most numbers, such as -1e9 in a mask."""
    positive = sorted([size for size in sizes if size])
    if not positive:
        return Scale(0.0, 0.0, True)
    cut, quarter = len(positive) // 20, len(positive) // 4
    upper = positive[-1 - quarter]
    far = upper * max(100.0, min(upper / positive[quarter], 1e50) ** 3)
    high = max([size for size in positive[: len(positive) - cut] if size <= far])
    return Scale(min(positive[cut], high / 10), high, True)


_SHORTEST = 0.06  # of the bar of the smallest number other than 0


@dataclass(frozen=True)
class Bars:
    """The scales of a plan's bars: one for the values of a recording's steps, one for their gradients or tangents."""

    values: Scale
    slopes: Scale
    recording: Recording

    @classmethod
    def of(cls, recording: Recording) -> Bars:
        """The logarithmic scales of a recording, from the smallest to the largest result of its calls."""
        steps = [step for step in recording.steps if step.kind == "call"]
        values, slopes = [_typical(s.value) for s in steps], [_typical(recording.slope(s)) for s in steps]
        return cls(_decades(values), _decades(slopes), recording)

    def at(self, step: Step | None) -> list[float | None]:
        """The lengths of the two bars of a step, from 0 to 1; None if there is nothing to measure."""
        if step is None:
            return [None, None]
        pairs = (self.values, _typical(step.value)), (self.slopes, _typical(self.recording.slope(step)))
        return [
            size if not size else round(_SHORTEST + (1 - _SHORTEST) * scale.place(size), 3) for scale, size in pairs
        ]

    @property
    def words(self) -> str:
        """What the bars mean."""
        return say("plan_bars")
