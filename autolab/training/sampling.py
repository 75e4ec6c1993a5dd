"""Which updates of a training are measured: their number alone says so, so that equal runs give equal curves."""

from __future__ import annotations

DENSE = 32
"""The updates up to here are measured, all of them; from here on half as many in each doubling of their number."""


def is_sampled(iteration: int) -> bool:
    """Whether the model is measured after this update, counted from 1.

    Up to update 32 each is, up to 64 every second, up to 128 every fourth, and so on.

    Examples
    --------
    >>> [n for n in range(1, 300) if is_sampled(n)][28:38]
    [29, 30, 31, 32, 34, 36, 38, 40, 42, 44]
    >>> [sum(map(is_sampled, range(1, 1 + n))) for n in (32, 64, 128, 1000, 10_000)]
    [32, 48, 64, 111, 163]
    """
    distance = 1 << ((iteration - 1) // DENSE).bit_length()
    return iteration % distance == 0
