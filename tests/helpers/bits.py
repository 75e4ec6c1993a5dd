"""What a call gave, as something that is equal for equal bits alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable


def bits(value: Any) -> Any:
    """The structure of a result with the shape, the dtype and the bytes of each array; NaN equals itself."""
    if isinstance(value, Variable):
        return Variable, bits(value.data)
    if isinstance(value, np.ndarray | np.generic):
        return type(value).__name__, value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, list | tuple):
        return type(value), [bits(item) for item in value]
    if isinstance(value, dict):
        return dict, [(key, bits(item)) for key, item in value.items()]
    return type(value), repr(value)
