"""Allowance: how much time something beside the work may take."""

from __future__ import annotations


class Allowance:
    """A share of the time that passes: after a piece that took long, the next one has to wait long.

    Examples
    --------
    >>> allowance = Allowance(0.1)
    >>> allowance.affords(5.0)
    True
    >>> allowance.spend(5.0, 5.2)  # 0.2 seconds, so 1.8 seconds follow without
    >>> allowance.affords(6.9), allowance.affords(7.1)
    (False, True)
    """

    def __init__(self, share: float) -> None:
        self.share = share
        self.due = 0.0

    def affords(self, now: float) -> bool:
        """Whether the time for another piece has come."""
        return now >= self.due

    def spend(self, start: float, end: float, least: float = 0.0, cost: float | None = None) -> None:
        """A piece was done; the next one begins no earlier than ``least`` seconds after this one began.

        ``cost`` is what it took, where that is not all that passed from ``start`` to ``end``.
        """
        cost = end - start if cost is None else cost
        self.due = max(end + cost * (1 / self.share - 1), start + least)
