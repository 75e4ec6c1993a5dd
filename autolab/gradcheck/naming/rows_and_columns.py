"""Which rows, columns or slices of an array some elements are, in words."""

from __future__ import annotations

import numpy as np


def placed(shape: tuple[int, ...], wrong: np.ndarray, right: np.ndarray) -> str:
    """The slices along one axis that hold all wrong elements and no right one; empty if there are none.

    Examples
    --------
    >>> wrong = np.array([0, 0, 0, 1, 1, 1], bool)
    >>> placed((2, 3), wrong, ~wrong)
    'row 1'
    """
    bad, good = wrong.reshape(shape), right.reshape(shape)
    for axis in range(len(shape)):
        others = tuple([k for k in range(len(shape)) if k != axis])
        hit, spared = bad.any(axis=others), good.any(axis=others)
        if hit.any() and spared.any() and not (hit & spared).any():
            return f"{_kind(axis, shape, int(hit.sum()))} {listed(np.flatnonzero(hit))}"
    return ""


def _kind(axis: int, shape: tuple[int, ...], count: int) -> str:
    if len(shape) == 2:
        return ("row" if axis == 0 else "column") + ("s" if count > 1 else "")
    plural = "s" if count > 1 else ""
    return f"place{plural}" if len(shape) == 1 else f"place{plural} along axis {axis}:"


def listed(places: np.ndarray) -> str:
    """Places along an axis, in words.

    Examples
    --------
    >>> listed(np.array([0, 1, 2])), listed(np.array([0, 2, 4])), listed(np.array([3]))
    ('0 to 2', '0, 2 and 4', '3')
    """
    if places.size > 2 and (np.diff(places) == 1).all():
        return f"{places[0]} to {places[-1]}"
    texts = [str(int(k)) for k in places[:6]]
    more = ", …" if places.size > 6 else ""
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) + more if len(texts) > 1 else texts[0]
