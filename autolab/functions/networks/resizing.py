"""Resizing of sequences and images."""

from __future__ import annotations

import math
import operator
from functools import reduce
from typing import Any

import numpy as np

from ...engine import Variable, as_array, check_number, get_array_module, takes_other_words
from ..arrays.joining import along
from ..working_precision import in_full

_MODES = {"nearest": (1, 2), "nearest-exact": (1, 2), "linear": (1,), "bilinear": (2,), "bicubic": (2,)}


@takes_other_words
def interpolate(
    x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False
) -> Any:
    """Resize sequences or images.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, length)`` or ``(examples, channels, height, width)``.
    size : int or tuple of int, optional
        The new lengths of the last axes. Give either this or ``scale_factor``.
    scale_factor : float or tuple of float, optional
        Factor for the lengths; the products are rounded down.
    mode : str
        ``"nearest"``: the element that covers the position, with ``"nearest-exact"`` its centre; ``"linear"``
        (sequences) and ``"bilinear"`` (images): linear interpolation between the neighbours; ``"bicubic"``: by cubic
        polynomials of four neighbours.
    align_corners : bool
        For interpolation: whether the centres of the first and last elements are aligned, instead of the outer edges.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels, *size)``. Interpolation of integers gives floats.

    Raises
    ------
    ValueError
        If shapes, sizes or the mode are invalid, or not exactly one of ``size`` and ``scale_factor`` is given.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.interpolate(Variable([[[0.0, 4.0]]]), size=4, mode="linear")
    variable([[[0. 1. 3. 4.]]])
    """
    x = x if isinstance(x, Variable) else as_array(x, "interpolate: x")
    axes = x.ndim - 2
    if mode not in _MODES:
        raise ValueError(f"interpolate: mode is {mode!r:.40}; expected {', '.join(map(repr, _MODES))}")
    if axes not in _MODES[mode]:
        expected = " or ".join([f"{n + 2} axes" for n in _MODES[mode]])
        raise ValueError(f"interpolate: x has shape {x.shape}; expected {expected} for mode {mode!r}")
    if mode.startswith("nearest") and align_corners:
        raise ValueError("interpolate: align_corners=True is for interpolation, not for 'nearest'")
    lengths, scales = _lengths(x.shape[2:], size, scale_factor)
    if mode.startswith("nearest"):
        for i, (new, old, scale) in enumerate(zip(lengths, x.shape[2:], scales, strict=True)):
            places = np.minimum(
                np.floor((np.arange(new) + (0.5 if mode == "nearest-exact" else 0)) * scale), old - 1
            ).astype(np.int64)
            x = x[along(i + 2, get_array_module(getattr(x, "_data", x)).asarray(places))]
        return x
    (x,), rounded = in_full("interpolate", x=x)
    for i, (new, scale) in enumerate(zip(lengths, scales, strict=True)):
        x = _means(x, i + 2, new, scale, align_corners, mode == "bicubic")
    return rounded(x)


def _lengths(old: tuple[int, ...], size: Any, scale_factor: Any) -> tuple[list[int], list[float]]:
    """The new lengths, and how many old elements each new element covers."""
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: expected one of size and scale_factor")
    given = size if scale_factor is None else scale_factor
    each = list(given) if isinstance(given, tuple | list) else [given] * len(old)
    if len(each) != len(old):
        raise ValueError(f"interpolate: got {len(each)} sizes or factors; expected 1, or {len(old)}")
    if not all(old):
        raise ValueError(f"interpolate: got lengths {old}; expected at least one element")
    if scale_factor is None:
        for n in each:
            if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
                raise ValueError(f"interpolate: size is {size!r:.60}; expected whole numbers of at least 1")
        return [int(n) for n in each], [n / new for n, new in zip(old, each, strict=True)]
    factors = [check_number("interpolate", "scale_factor", factor, 0.0) for factor in each]
    lengths = [math.floor(n * factor) for n, factor in zip(old, factors, strict=True)]
    if not all(lengths):
        raise ValueError(f"interpolate: scale_factor is {scale_factor!r:.60}; expected at least one element to be left")
    return lengths, [1 / factor for factor in factors]


def _means(x: Any, axis: int, new: int, scale: float, align_corners: bool, cubic: bool) -> Any:
    """Interpolation between two neighbours along an axis, or between four."""
    old = x.shape[axis]
    if align_corners:
        places = np.arange(new) * ((old - 1) / (new - 1) if new > 1 else 0.0)
    else:
        places = (np.arange(new) + 0.5) * scale - 0.5
        places = places if cubic else np.maximum(places, 0.0)
    below = np.floor(places).astype(np.int64)
    share = places - below
    shares = _cubic_shares(share) if cubic else [1 - share, share]
    xp, parts = get_array_module(getattr(x, "_data", x)), []
    for i, part in enumerate(shares, -1 if cubic else 0):
        index = xp.asarray(np.clip(below + i, 0, old - 1))
        parts.append(x[along(axis, index)] * xp.asarray(part.reshape(-1, *[1] * (x.ndim - 1 - axis)).astype(x.dtype)))
    return reduce(operator.add, parts)


def _cubic_shares(t: np.ndarray) -> list[np.ndarray]:
    """How much each of four neighbours counts at ``t`` between the inner two: Keys's convolution with a = -0.75."""
    near = [(1.25 * d - 2.25) * d * d + 1 for d in (t, 1 - t)]
    far = [-0.75 * (((d - 5) * d + 8) * d - 4) for d in (1 + t, 2 - t)]
    return [far[0], near[0], near[1], far[1]]
