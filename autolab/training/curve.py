"""Curve: a number over many updates, in bounded memory."""

from __future__ import annotations

from typing import NamedTuple

CAPACITY = 200
"""A curve has at most so many points."""


class Curve(NamedTuple):
    """Points, each the mean of ``each`` numbers that came one after the other; more numbers make it coarser.

    It never changes: `then` gives the next one, so that storing it is the whole step.

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
    x: float = 0.0  # the sums over what the next point will be the mean of, and their number
    y: float = 0.0
    held: int = 0
    last: float = float("nan")

    def then(self, x: float, y: float) -> Curve:
        """The curve with one more number."""
        done, each, total_x, total_y, held, _ = self
        total_x, total_y, held = total_x + x, total_y + y, held + 1
        if held < each:
            return Curve(done, each, total_x, total_y, held, y)
        done = (*done, (total_x / held, total_y / held))
        if len(done) < CAPACITY:
            return Curve(done, each, 0.0, 0.0, 0, y)
        halved = [((a + b) / 2, (c + d) / 2) for (a, c), (b, d) in zip(done[::2], done[1::2], strict=True)]
        return Curve(tuple(halved), 2 * each, 0.0, 0.0, 0, y)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """All points; the last one may be the mean of fewer numbers."""
        if not self.held:
            return self.done
        return (*self.done, (self.x / self.held, self.y / self.held))
