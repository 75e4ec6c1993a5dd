"""Pooling with the parameters of PyTorch and Chainer: windows over the edge, places of maxima, results of a given size.

Where only ``kernel``, ``stride`` and ``padding`` are given, these are `max_pool2d`, `avg_pool2d` and their like.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..engine import get_array_module, takes_other_words, unwrap
from .arrays.indexing import take_along_axis
from .arrays.joining import along, concatenate
from .arrays.repeating import pad
from .arrays.shape import reshape
from .networks import average_pooling, max_pooling
from .networks.windows import Windows, columns, windows
from .reductions.reduce import mean
from .values_and_places import max as largest
from .working_precision import given_arrays, in_full


def reaching(seen: Windows, size: tuple[int, ...], drops: bool = True) -> list[tuple[int, int]]:
    """The padding before and after each axis with which windows reach the end of an image of this size.

    As in PyTorch, ``drops`` leaves out a last window that would begin in the padding after the image.
    """
    around = []
    for n, r, s, p in zip(size, seen.reach, seen.stride, seen.padding, strict=True):
        steps = -(-(n + 2 * p - r) // s)
        steps -= drops and steps * s >= n + p
        around.append((p, p + max(steps * s + r - n - 2 * p, 0)))
    return around


def _max_pool(axes: int, x: Any, kernel: Any, stride: Any, padding: Any, *how: Any) -> Any:
    dilation, ceil_mode, return_indices, first = how
    engine = (max_pooling.max_pool1d, max_pooling.max_pool2d)[axes - 1]
    if dilation == 1 and not ceil_mode and not return_indices:
        return engine(x, kernel, stride, padding, first)
    seen = windows(kernel, kernel if stride is None else stride, padding, dilation, axes)
    around = reaching(seen, x.shape[2:]) if ceil_mode else [(p, p) for p in seen.padding]
    if not return_indices and set(seen.dilation) == {1}:
        return engine(padded_with_least(x, around), kernel, stride, 0, first)
    places = _places(unwrap(x), around, seen)
    y = take_along_axis(reshape(x, shape=(*x.shape[:2], -1)), places.reshape(*x.shape[:2], -1), axis=2)
    y = reshape(y, shape=places.shape)
    return (y, places) if return_indices else y


def padded_with_least(x: Any, around: list[tuple[int, int]]) -> Any:
    """An image with elements around it that are never the largest ones."""
    dtype = unwrap(x).dtype
    least = -np.inf if dtype.kind == "f" else np.iinfo(dtype).min
    return pad(x, ((0, 0), (0, 0), *around), constant_values=least)


def _places(data: Any, around: list[tuple[int, int]], seen: Windows) -> Any:
    """For each window, the place in the flattened image of its largest element, or of its first NaN."""
    xp, inside = get_array_module(data), seen._replace(padding=(0,) * len(seen.kernel))
    numbers = xp.arange(math.prod(data.shape[2:])).reshape(1, 1, *data.shape[2:])
    padded = xp.pad(numbers, ((0, 0), (0, 0), *around), constant_values=-1)
    numbers = columns(padded, windows=inside)[0, 0]
    found = columns(padded_with_least(data, around), windows=inside).argmax(axis=2)
    each = xp.arange(numbers.shape[1])
    there = numbers[found, each]
    there = xp.where(there < 0, numbers[(numbers >= 0).argmax(axis=0), each], there)  # all are minus infinity
    return there.reshape(*data.shape[:2], *inside.positions(padded.shape[2:]))


def _avg_pool(axes: int, x: Any, kernel: Any, stride: Any, padding: Any, *how: Any) -> Any:
    ceil_mode, count_include_pad, divisor = how
    engine = (average_pooling.avg_pool1d, average_pooling.avg_pool2d)[axes - 1]
    if not ceil_mode and divisor is None and (count_include_pad or not padding):
        return engine(x, kernel, stride, padding)
    seen = windows(kernel, kernel if stride is None else stride, padding, 1, axes)
    around, size = reaching(seen, x.shape[2:]) if ceil_mode else [(p, p) for p in seen.padding], x.shape[2:]
    if divisor == 0:
        raise ValueError(f"avg_pool{axes}d: divisor_override is 0; expected another number")
    (x,), rounded = in_full(f"avg_pool{axes}d", x=x)
    means = engine(pad(x, ((0, 0), (0, 0), *around)), kernel, stride)
    count = np.ones(())
    for k, s, p, n, windows_of in zip(seen.kernel, seen.stride, seen.padding, size, means.shape[2:], strict=True):
        starts = np.arange(windows_of) * s - p
        low, high = (-p, n + p) if count_include_pad else (0, n)
        count = np.multiply.outer(count, np.minimum(starts + k, high) - np.maximum(starts, low))
    share = math.prod(seen.kernel) / (count if divisor is None else divisor)
    return rounded(means * get_array_module(unwrap(x)).asarray(share, dtype=x.dtype))


@takes_other_words
def max_pool1d(
    x: Any,
    kernel: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    *,
    ceil_mode: bool = False,
    return_indices: bool = False,
    first: bool = False,
) -> Any:
    """`functions.max_pool1d`; ``ceil_mode`` adds a window over the end, ``return_indices`` gives the places, too.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.functional.max_pool1d(np.array([[[1.0, 3.0, 2.0]]]), 2, ceil_mode=True, return_indices=True)
    (array([[[3., 2.]]]), array([[[1, 2]]]))
    """
    return _max_pool(1, x, kernel, stride, padding, dilation, ceil_mode, return_indices, first)


@takes_other_words
def max_pool2d(
    x: Any,
    kernel: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    *,
    ceil_mode: bool = False,
    return_indices: bool = False,
    first: bool = False,
) -> Any:
    """`functions.max_pool2d`, with the further parameters of `max_pool1d`."""
    return _max_pool(2, x, kernel, stride, padding, dilation, ceil_mode, return_indices, first)


@takes_other_words
def avg_pool1d(
    x: Any,
    kernel: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """`functions.avg_pool1d`; ``count_include_pad=False`` leaves the padding out of the means.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.functional.avg_pool1d(np.array([[[1.0, 3.0, 2.0]]]), 2, ceil_mode=True)
    array([[[2., 2.]]])
    """
    return _avg_pool(1, x, kernel, stride, padding, ceil_mode, count_include_pad, None)


@takes_other_words
def avg_pool2d(
    x: Any,
    kernel: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """`functions.avg_pool2d`, as `avg_pool1d`; the sums are divided by ``divisor_override``, if it is given."""
    return _avg_pool(2, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)


@takes_other_words
def max_pooling_2d(x: Any, ksize: Any, stride: Any = None, pad: Any = 0, cover_all: bool = True) -> Any:
    """Largest element of each window. With ``cover_all``, enough windows are added that every element is in one.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import functions as F
    >>> F.max_pooling_2d(np.arange(9.0).reshape(1, 1, 3, 3), 2)
    array([[[[4., 5.],
             [7., 8.]]]])
    """
    x, seen = given_arrays("max_pooling_2d", x=x)[0], windows(ksize, ksize if stride is None else stride, pad, 1, 2)
    around = reaching(seen, x.shape[2:], drops=False) if cover_all and x.ndim == 4 else []
    if any([a != b for a, b in around]):
        return max_pooling.max_pool2d(padded_with_least(x, around), seen.kernel, seen.stride)
    return max_pooling.max_pool2d(x, seen.kernel, seen.stride, seen.padding)


def _adaptive(function: str, engine: Callable[..., Any], means: bool, axes: int, x: Any, output_size: Any) -> Any:
    """Pooling to a given size, by equal windows if there are such, else by windows that may overlap."""
    lengths = x.shape[-axes:]
    wanted = output_size if isinstance(output_size, tuple | list) else (output_size,) * axes
    sizes = [n if m is None else m for m, n in zip(wanted, lengths, strict=True)]
    if not all([isinstance(m, int | np.integer) and m > 0 for m in sizes]) or not all(lengths):
        raise ValueError(f"{function}: output_size is {output_size!r:.60} for {lengths}; expected sizes above 0")
    if not any([n % m for m, n in zip(sizes, lengths, strict=True)]):
        return engine(x, tuple([n // m for m, n in zip(sizes, lengths, strict=True)]))
    (x,), rounded = in_full(function, x=x)
    for back, (m, n) in enumerate(zip(sizes[::-1], lengths[::-1], strict=True), 1):
        place = x.ndim - back
        parts = [x[along(place, slice(i * n // m, -(-(i + 1) * n // m)))] for i in range(m)]
        parts = [mean(one, place, keepdims=True) if means else largest(one, place, True).values for one in parts]
        x = concatenate(parts, axis=place)
    return rounded(x)


@takes_other_words
def adaptive_avg_pool1d(x: Any, output_size: Any) -> Any:
    """Average pooling of sequences to ``output_size`` windows, which overlap where that does not divide the length."""
    return _adaptive("adaptive_avg_pool1d", average_pooling.avg_pool1d, True, 1, x, output_size)


@takes_other_words
def adaptive_avg_pool2d(x: Any, output_size: Any) -> Any:
    """Average pooling of images to ``output_size``, for both axes or each of them; None leaves an axis as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import functions as F
    >>> F.adaptive_avg_pool2d(np.ones((1, 2, 8, 7)), 2).shape
    (1, 2, 2, 2)
    """
    return _adaptive("adaptive_avg_pool2d", average_pooling.avg_pool2d, True, 2, x, output_size)


@takes_other_words
def adaptive_max_pool1d(x: Any, output_size: Any, first: bool = False) -> Any:
    """Max pooling of sequences to ``output_size`` windows; see `adaptive_avg_pool1d`."""
    return _adaptive("adaptive_max_pool1d", partial(max_pooling.max_pool1d, first=first), False, 1, x, output_size)


@takes_other_words
def adaptive_max_pool2d(x: Any, output_size: Any, first: bool = False) -> Any:
    """Max pooling of images to ``output_size``; see `adaptive_avg_pool2d`."""
    return _adaptive("adaptive_max_pool2d", partial(max_pooling.max_pool2d, first=first), False, 2, x, output_size)
