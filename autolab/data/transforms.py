"""Transforms of one example. Each is created with its settings and called with an array.

>>> import numpy as np
>>> from autolab.data import transforms as T
>>> transform = T.Compose([T.Flatten(), T.ToFloat(), T.Normalize(mean=0.0, std=255.0)])
>>> transform(np.full((1, 2, 2), 51, np.uint8))
array([0.2, 0.2, 0.2, 0.2], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..engine import a_kind
from ..engine.habits import answering

__all__ = ["AsType", "Compose", "Flatten", "Normalize", "ToFloat"]


class Compose:
    """Apply several transforms in order.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import transforms as T
    >>> T.Compose([T.Flatten(), T.AsType(np.float64)])(np.array([[1], [2]]))
    array([1., 2.])
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]] = ()) -> None:
        if not isinstance(transforms, Iterable):
            raise TypeError(f"Compose: transforms is {a_kind(transforms)}; expected a list of functions")
        for i, transform in enumerate(transforms):
            if not callable(transform):
                raise TypeError(f"Compose: transforms[{i}] is {a_kind(transform)}; expected a function")
        self.transforms = tuple(transforms)

    def __call__(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x


class Normalize:
    """``(x - mean) / std``, with a single number each or, for images ``(channels, height, width)``, one per channel.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import transforms as T
    >>> T.Normalize(mean=2.0, std=4.0)(np.array([2.0, 10.0]))
    array([0., 2.])
    """

    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        self.mean, self.std = _numbers("mean", mean), _numbers("std", std)
        if not (self.std > 0).all():
            raise ValueError(f"Normalize: std is {std!r:.60}; expected positive numbers")

    def __call__(self, x: Any) -> np.ndarray:
        x = np.asarray(x)
        dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(np.float64)
        return ((x - self._shaped(self.mean, x)) / self._shaped(self.std, x)).astype(dtype, copy=False)

    def _shaped(self, setting: np.ndarray, x: np.ndarray) -> np.ndarray:
        if setting.ndim == 0:
            return setting
        if setting.shape != x.shape[:1]:
            raise ValueError(f"Normalize: {setting.size} settings for an example of shape {x.shape}; expected one each")
        return setting.reshape(-1, *[1] * (x.ndim - 1))


def _numbers(name: str, given: Any) -> np.ndarray:
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"Normalize: {name} is {given!r:.60}; expected a number, or one per channel") from None


class Flatten:
    """Flatten an array to one axis.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import transforms as T
    >>> T.Flatten()(np.zeros((1, 28, 28))).shape
    (784,)
    """

    def __call__(self, x: Any) -> np.ndarray:
        return np.asarray(x).ravel()


class AsType:
    """Convert to a dtype, by default float32.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.data import transforms as T
    >>> T.AsType(np.float64)(np.array([1, 2]))
    array([1., 2.])
    """

    def __init__(self, dtype: Any = np.float32) -> None:
        try:
            self.dtype = np.dtype(dtype)
        except TypeError:
            raise TypeError(f"AsType: dtype is {dtype!r:.60}; expected a dtype, such as numpy.float32") from None

    def __call__(self, x: Any) -> np.ndarray:
        return np.asarray(x).astype(self.dtype)


ToFloat = AsType


__getattr__ = answering(__name__, "image_transforms")
