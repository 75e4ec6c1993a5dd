"""Whether two runs of the same computation gave the same numbers."""

from __future__ import annotations

import numpy as np

from ..engine import Array, to_cpu


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
