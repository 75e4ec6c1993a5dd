"""Records: arrays whose entries have several fields, which are selected, replaced and joined together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np


class Records(np.recarray[Any, Any]):
    """An array of records; ``records.name`` is the field of that name, as an array that can be changed in place.

    Examples
    --------
    >>> found = Records.of(value=np.array([1.0, 2.0, 3.0]), sure=np.array([True, False, True]))
    >>> found[found.sure].value
    array([1., 3.])
    """

    @classmethod
    def of(cls, **columns: np.ndarray) -> Self:
        """Records from arrays of the same shape."""
        kinds = [(name, column.dtype) for name, column in columns.items()]
        return np.rec.fromarrays(list(columns.values()), kinds).view(cls)

    @classmethod
    def joined(cls, parts: Sequence[np.ndarray], axis: int = 0) -> Self:
        """The parts, concatenated."""
        return np.concatenate(parts, axis=axis).view(cls)
