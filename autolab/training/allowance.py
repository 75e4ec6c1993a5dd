"""Allowance: limits the time that a secondary activity may take."""

from __future__ import annotations


class Allowance:
    """Limits an activity to a fraction of the time that passes: after a long run, the next one has to wait longer.

    Examples
    --------
    >>> allowance = Allowance(0.1)
    >>> allowance.affords(5.0)
    True
    >>> allowance.spend(5.0, 5.2)  # it took 0.2 seconds, so the next 1.8 seconds are free of it
    >>> allowance.affords(6.9), allowance.affords(7.1)
    (False, True)
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.due = 0.0

    def affords(self, now: float) -> bool:
        """Whether the next run may begin at time ``now``, in seconds."""
        return now >= self.due

    def spend(self, start: float, end: float, least: float = 0.0, cost: float | None = None) -> None:
        """Account for a run from ``start`` to ``end``; the next begins at least ``least`` seconds after ``start``.

        ``cost`` is the time it took, if that is less than ``end - start``.
        """
        cost = end - start if cost is None else cost
        self.due = max(end + cost * (1 / self.share - 1), start + least)
