"""The norm of many arrays together, such as all gradients of a model, without overflow or underflow.

Whether two runs of the same computation gave the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..engine import Array, get_array_module, to_cpu


def is_close(now: Array, then: Array) -> bool:
    """Whether the numbers agree, up to the rounding errors of another order of summation; NaN equals NaN.

    Examples
    --------
    >>> import numpy as np
    >>> is_close(np.array([0.1 + 0.2, np.nan]), np.array([0.3, np.nan])), is_close(np.array([1.0]), np.array([1.001]))
    (True, False)
    """
    now, then = np.ravel(to_cpu(now)), np.ravel(to_cpu(then))
    close = float(np.sqrt(np.finfo(then.dtype).eps)) if then.dtype.kind == "f" else 0.0
    largest = float(np.abs(then[np.isfinite(then)]).max(initial=0))
    return now.size == then.size and np.allclose(now, then, close, close * largest, equal_nan=True)


def norm(arrays: Sequence[Array], order: float = 2.0) -> float:
    """The norm of all elements of the arrays together, computed in float64; 0 if there are none.

    Parameters
    ----------
    arrays : sequence of array
        Of any shapes and dtypes.
    order : float
        The order of the norm; ``inf`` is the largest absolute value. An order of 0 or below is, as in PyTorch, the
        norm of the norms of the arrays.

    Examples
    --------
    >>> import numpy as np
    >>> norm([np.array([3e200]), np.array([0.0])])
    3e+200
    >>> norm([np.array([300, 400], np.float16)], order=1)
    700.0
    """
    largest, ratio = parts_of_norm(arrays, order)
    return largest * ratio


def norm_and_factor(
    arrays: Sequence[Array], limit: float, order: float = 2.0, eps: float = 0.0
) -> tuple[float, np.float64]:
    """The norm of all elements together, and the factor, ``limit / (norm + eps)``, that makes ``limit`` of it.

    The factor is no Python float because float16 might round that to 0.
    """
    scale, ratio = parts_of_norm(arrays, order)
    total = scale * ratio
    with np.errstate(all="ignore"):
        factor = np.float64(limit) / (total + eps) if total < math.inf else np.float64(limit) / ratio / scale
    return total, factor


def scaled(array: Array, factor: np.float64) -> Array:
    """The array times a factor, in its own dtype."""
    with np.errstate(invalid="ignore"):  # an infinite gradient times 0 is NaN
        return (array * factor).astype(array.dtype, copy=False)


def parts_of_norm(arrays: Sequence[Array], order: float = 2.0) -> tuple[float, float]:
    """Two factors of the norm, which may itself be too large for a number: a scale, and the norm over that scale."""
    sized = [array for array in arrays if array.size]
    if order == 2:
        with np.errstate(all="ignore"):
            plain = sum([_sum_of_squares(array) for array in sized])
        if 1e-280 < plain < 1e300:  # nothing overflowed, and what underflowed does not count
            return 1.0, math.sqrt(plain)
    if order <= 0:
        lengths = [float(get_array_module(array).linalg.norm(array.ravel(), order)) for array in sized]
        return 1.0, float(np.linalg.norm(lengths, order)) if lengths else 0.0
    sizes = [float(get_array_module(array).abs(array).max()) for array in sized]
    largest = math.nan if any(map(math.isnan, sizes)) else max(sizes, default=0.0)
    if not 0 < largest < math.inf or order == math.inf:
        return largest, 1.0
    total = math.fsum([_sum_of_powers(array, largest, order) for array in sized])
    return largest, total ** (1 / order)


def _sum_of_squares(array: Array) -> float:
    flat = _wide(array).ravel()
    return float(get_array_module(flat).vdot(flat, flat).real)


def _sum_of_powers(array: Array, largest: float, order: float) -> float:
    shares = abs(_wide(array)) / largest
    return float((shares * shares if order == 2 else shares**order).sum())


def _wide(array: Array) -> Array:
    return array if array.dtype.kind == "c" else array.astype(np.float64, copy=False)
