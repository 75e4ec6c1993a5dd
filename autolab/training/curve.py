"""Curve: a value over many updates, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

CAPACITY = 200
"""The largest number of points of a curve."""


class Curve(NamedTuple):
    """A curve whose points are each the mean of ``each`` consecutive values; ``each`` grows with their number.

    It is immutable: `then` and `then_all` return a new curve, so that a single assignment stores it.

    Examples
    --------
    >>> curve = Curve()
    >>> for x in range(300):
    ...     curve = curve.then(x, 2.0 * x)
    >>> curve.each, len(curve.points), curve.points[0], curve.last
    (2, 150, (0.5, 1.0), 598.0)
    """

    done: tuple[tuple[float, float], ...] = ()
    each: int = 1
    x: float = 0.0  # the sums over the values of the next point so far, and their number
    y: float = 0.0
    held: int = 0
    last: float = float("nan")

    def then(self, x: float, y: float) -> Curve:
        """The curve with one more value."""
        return self.then_all([(x, y)])

    def then_all(self, numbers: Iterable[tuple[float, float]]) -> Curve:
        """The curve with more values, in order."""
        done, each, total_x, total_y, held, y = list(self.done), *self[1:]
        for x, y in numbers:
            total_x, total_y, held = total_x + x, total_y + y, held + 1
            if held < each:
                continue
            done.append((total_x / held, total_y / held))
            total_x, total_y, held = 0.0, 0.0, 0
            if len(done) == CAPACITY:
                done = [((a + b) / 2, (c + d) / 2) for (a, c), (b, d) in zip(done[::2], done[1::2], strict=True)]
                each *= 2
        return Curve(tuple(done), each, total_x, total_y, held, y)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """All points; the last one may be the mean of fewer values."""
        if not self.held:
            return self.done
        return (*self.done, (self.x / self.held, self.y / self.held))
