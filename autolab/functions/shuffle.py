"""Channels as places: images that grow by what their channels hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays import as_array
from ..engine.variable import Variable
from .shape import reshape, transpose


def pixel_shuffle(x: Any, factor: int) -> Any:
    """Lay out ``factor**2`` channels as blocks of pixels: an image with fewer channels that is wider and higher.

    Parameters
    ----------
    x : Variable or array
        Of shape ``(examples, channels, height, width)``; the channels are a multiple of ``factor**2``.
    factor : int
        How many times wider and higher the result is.

    Returns
    -------
    Variable or array
        Of shape ``(examples, channels / factor**2, height * factor, width * factor)``.

    Raises
    ------
    ValueError
        If the shape or the factor does not fit.

    Notes
    -----
    W. Shi et al., "Real-time single image and video super-resolution using an efficient sub-pixel convolutional neural
    network", 2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.pixel_shuffle(Variable([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]), 2)
    variable([[[[1. 2.]
                [3. 4.]]]])
    """
    x = x if isinstance(x, Variable) else as_array(x, "pixel_shuffle: input 'x'")
    if x.ndim != 4:
        raise ValueError(f"pixel_shuffle: x has shape {x.shape}; expected (examples, channels, height, width)")
    examples, channels, height, width = x.shape
    if not isinstance(factor, int | np.integer) or factor < 1 or channels % factor**2:
        raise ValueError(
            f"pixel_shuffle: factor is {factor!r:.40}; expected one whose square divides {channels} channels"
        )
    kept = channels // factor**2
    apart = reshape(x, shape=(examples, kept, factor, factor, height, width))
    moved = transpose(apart, axes=(0, 1, 4, 2, 5, 3))
    return reshape(moved, shape=(examples, kept, height * factor, width * factor))
