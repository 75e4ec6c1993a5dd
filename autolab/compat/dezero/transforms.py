"""``dezero.transforms``: what is done to one example."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import transforms
from ...data.transforms import AsType
from ...data.transforms import Compose as Compose
from ...data.transforms import Flatten as Flatten
from ...data.transforms import ToFloat as ToFloat
from .utils import pair

_BILINEAR = 2
"""Pillow's number of that filter; Pillow is imported where a picture is needed."""


class Normalize(transforms.Normalize):
    """``(array - mean) / std``, with numbers or one for each channel; a list of one is for all of them."""

    def __init__(self, mean: Any = 0, std: Any = 1) -> None:
        super().__init__(*[x[0] if np.ndim(x) == 1 and len(x) == 1 else x for x in (mean, std)])


class ToInt(AsType):
    """As integers."""

    def __init__(self, dtype: Any = np.int64) -> None:
        super().__init__(dtype)


# ---------------------------------------------------------------------- of pictures (Pillow)
class Convert:
    """A picture in another mode, such as ``RGB`` or ``L``; or with blue first, ``BGR``."""

    def __init__(self, mode: str = "RGB") -> None:
        self.mode = mode

    def __call__(self, img: Any) -> Any:
        if self.mode != "BGR":
            return img.convert(self.mode)
        from PIL import Image

        return Image.merge("RGB", img.convert("RGB").split()[::-1])


class Resize:
    """A picture of another size, (width, height)."""

    def __init__(self, size: Any, mode: int = _BILINEAR) -> None:
        self.size, self.mode = pair(size), mode

    def __call__(self, img: Any) -> Any:
        return img.resize(self.size, self.mode)


class CenterCrop:
    """The middle of a picture, of the size (width, height)."""

    def __init__(self, size: Any) -> None:
        self.size = pair(size)

    def __call__(self, img: Any) -> Any:
        left, up = [(n - own) // 2 for n, own in zip(img.size, self.size, strict=True)]
        return img.crop((left, up, left + self.size[0], up + self.size[1]))


class ToArray:
    """A picture as an array of shape ``(channels, height, width)``; an array as it is."""

    def __init__(self, dtype: Any = np.float32) -> None:
        self.dtype = dtype

    def __call__(self, img: Any) -> np.ndarray:
        if isinstance(img, np.ndarray):
            return img
        if not hasattr(img, "getbands"):
            raise TypeError(f"ToArray: got {type(img).__name__}; expected a picture or an array")
        return np.asarray(img).transpose(2, 0, 1).astype(self.dtype)


class ToPIL:
    """An array of shape ``(channels, height, width)`` as a picture."""

    def __call__(self, array: np.ndarray) -> Any:
        from PIL import Image

        return Image.fromarray(array.transpose(1, 2, 0))
