"""Values as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def as_json(value: Any) -> Any:
    """``value`` with arrays as nested lists, and NaN and infinities as strings, since JSON has no such numbers.

    Examples
    --------
    >>> import numpy as np
    >>> as_json({"loss": float("nan"), "rates": np.array([0.5, np.inf])})
    {'loss': 'NaN', 'rates': [0.5, 'Infinity']}
    """
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        if isinstance(value, np.ndarray) and value.ndim:
            return [as_json(item) for item in value]
        value = float(value) if value.dtype.kind == "f" else value.item()  # item() of a longdouble is a longdouble
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
