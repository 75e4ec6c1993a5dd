"""``dezero.transforms``: transforms of single examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import transforms
from ...data.transforms import AsType
from ...data.transforms import Compose as Compose
from ...data.transforms import Flatten as Flatten
from ...data.transforms import ToFloat as ToFloat
from .. import missing


class Normalize(transforms.Normalize):
    """``(array - mean) / std``; each is a number or one per channel, and a list of one applies to all channels."""

    def __init__(self, mean: Any = 0, std: Any = 1) -> None:
        super().__init__(*[x[0] if np.ndim(x) == 1 and len(x) == 1 else x for x in (mean, std)])


class ToInt(AsType):
    """Convert to integers."""

    def __init__(self, dtype: Any = np.int64) -> None:
        super().__init__(dtype)


__getattr__ = missing(__name__)
