"""Which updates are measured: this depends on their number alone, so that equal runs give equal curves."""

from __future__ import annotations

DENSE = 32
"""All updates up to this one are measured; after it, the density is halved whenever their number doubles."""


def is_sampled(iteration: int) -> bool:
    """Whether the model is measured after this update, counting from 1.

    Every update is up to number 32, every second up to 64, every fourth up to 128, and so on.

    Examples
    --------
    >>> [n for n in range(1, 300) if is_sampled(n)][28:38]
    [29, 30, 31, 32, 34, 36, 38, 40, 42, 44]
    >>> [sum(map(is_sampled, range(1, 1 + n))) for n in (32, 64, 128, 1000, 10_000)]
    [32, 48, 64, 111, 163]
    """
    distance = 1 << ((iteration - 1) // DENSE).bit_length()
    return iteration % distance == 0
