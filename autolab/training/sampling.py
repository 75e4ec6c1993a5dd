"""Which updates of a training are measured: their number alone says so, so that equal runs give equal curves."""

from __future__ import annotations

DENSE = 64
"""The updates up to here are measured, all of them; from here on half as many in each doubling of their number."""


def is_sampled(iteration: int) -> bool:
    """Whether the model is measured after this update, counted from 1.

    Up to update 64 each is, up to 128 every second, up to 256 every fourth, and so on.

    Examples
    --------
    >>> [n for n in range(1, 300) if is_sampled(n)][60:70]
    [61, 62, 63, 64, 66, 68, 70, 72, 74, 76]
    >>> [sum(map(is_sampled, range(1, 1 + n))) for n in (64, 128, 256, 1000, 10_000)]
    [64, 96, 128, 190, 295]
    """
    distance = 1 << ((iteration - 1) // DENSE).bit_length()
    return iteration % distance == 0
