"""Marks in the place of numbers that a saved page computes itself: the page writes its own numbers there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...recording.model import Snapshot

SIGN = "ꙮ"
"""The letter on both sides of a mark, which is therefore one word, as a number is."""


class MarkedNumber(float):
    """A number that texts show as a mark with its place among all numbers of a page."""

    __slots__ = ("at",)
    at: int

    @property
    def text(self) -> str:
        """The mark."""
        return f"{SIGN}{self.at}{SIGN}"

    def __format__(self, _: str) -> str:
        return self.text


def marked(snapshot: Snapshot, first: int) -> Snapshot:
    """A snapshot whose numbers are marked from the place ``first`` on."""
    values = np.empty(snapshot.size, object)
    for i, value in enumerate(snapshot.values.reshape(-1).tolist()):
        values[i] = MarkedNumber(value)
        values[i].at = first + i
    return replace(snapshot, values=values.reshape(snapshot.shape))


def place_of(snapshot: Snapshot) -> list[int] | None:
    """Where the numbers of a marked array are, arranged as rows: the first one, the steps to the one below and to the
    one on the right, rows, columns; None if they are not marked.
    """
    if snapshot.values.dtype != object or not snapshot.size:
        return None
    cells = snapshot.values.reshape(-1, snapshot.shape[-1] if snapshot.shape else 1)
    first = cells[0, 0].at
    down, right = [other[0].at - first if len(other) else 0 for other in (cells[1:, 0], cells[0, 1:])]
    return [first, down, right, *cells.shape]


def mark_of(snapshot: Snapshot, how: str, limit: int = 24) -> str | None:
    """The mark of a whole array, or None. ``how`` it is written: ``t`` as in a box, with its elements if that takes at
    most ``limit`` characters; ``s`` as it is read aloud, ``a`` the same with an article.
    """
    place = place_of(snapshot) if snapshot.shape else None
    return None if place is None else f"{SIGN}{how}{','.join(map(str, [limit, *place, *snapshot.shape]))}{SIGN}"
