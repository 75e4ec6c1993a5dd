"""Where an element is: its index, by its place among all elements of one or more arrays, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Shape = tuple[int, ...]


def index_of(place: int, shape: Shape) -> tuple[int, ...]:
    """The index of a flat element.

    Examples
    --------
    >>> index_of(5, (2, 3)), index_of(0, ())
    ((1, 2), ())
    """
    return tuple([int(k) for k in np.unravel_index(place, shape)])


def array_and_index(place: int, shapes: Sequence[Shape]) -> tuple[int, tuple[int, ...]]:
    """Which of the arrays has the element, and at which index.

    Examples
    --------
    >>> array_and_index(4, [(3,), (2, 2)])
    (1, (0, 1))
    """
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    which = int(np.searchsorted(ends, place, side="right"))
    return which, index_of(place - (int(ends[which - 1]) if which else 0), shapes[which])
