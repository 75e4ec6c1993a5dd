"""Windows that slide over the last axes of an image of shape ``(examples, channels, *size)``.

`columns` lays out what the windows see, `image` adds it up again where it came from; each is the other's gradient.
Convolution and pooling are made of these two and of products, which gives them gradients of every order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.declare import primitive

Shape = tuple[int, ...]


def per_axis(value: int | Shape, axes: int, name: str, least: int) -> Shape:
    """A stride, a padding or a kernel's size as one int for each axis."""
    values = (value,) * axes if isinstance(value, int | np.integer) else tuple(value)
    if len(values) != axes or any([v < least for v in values]):
        raise ValueError(f"{name} is {value}; expected an int or {axes} of them, not below {least}")
    return values


def positions(size: Shape, kernel: Shape, stride: Shape, padding: Shape) -> Shape:
    """How often a window fits along each axis; what is left over at the end is not looked at."""
    found = tuple([(n + 2 * p - k) // s + 1 for n, k, s, p in zip(size, kernel, stride, padding, strict=True)])
    if any([n < 1 for n in found]):
        raise ValueError(f"a window of size {kernel} does not fit into size {size} with padding {padding}")
    return found


def padded(xp: Any, x: Array, padding: Shape, fill: float = 0.0) -> Array:
    """``x`` with ``fill`` around the last axes."""
    if not any(padding):
        return x
    x = x.astype(np.result_type(x, fill), copy=False)  # integers have no infinity
    return xp.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]], constant_values=fill)


def seen(offset: Shape, stride: Shape, count: Shape) -> tuple[Any, ...]:
    """Index of what the element at ``offset`` of every window sees in a padded image."""
    steps = [slice(o, o + s * (n - 1) + 1, s) for o, s, n in zip(offset, stride, count, strict=True)]
    return (..., *steps)


@primitive()
def columns(xp: Any, x: Array, *, kernel: Shape, stride: Shape, padding: Shape, fill: float = 0.0) -> Array:
    """What the windows see, of shape ``(examples, channels, elements of a window, windows)``."""
    count = positions(x.shape[2:], kernel, stride, padding)
    x = padded(xp, x, padding, fill)
    steps = tuple([step * s for step, s in zip(x.strides[2:], stride, strict=True)])
    shape, strides = (*x.shape[:2], *kernel, *count), (*x.strides[:2], *x.strides[2:], *steps)
    view = xp.lib.stride_tricks.as_strided(x, shape, strides)
    return xp.ascontiguousarray(view).reshape(*x.shape[:2], math.prod(kernel), math.prod(count))


@columns.vjp("x")
def _columns_x(g: Any, x_shape: Shape, kernel: Shape, stride: Shape, padding: Shape) -> Any:
    """image(g)"""
    return image(g, size=x_shape[2:], kernel=kernel, stride=stride, padding=padding)


@primitive()
def image(xp: Any, x: Array, *, size: Shape, kernel: Shape, stride: Shape, padding: Shape) -> Array:
    """The image of the given size in which each element is the sum of the windows' elements that see it."""
    count = positions(size, kernel, stride, padding)
    x = x.reshape(*x.shape[:2], *kernel, *count)
    y = xp.zeros((*x.shape[:2], *[n + 2 * p for n, p in zip(size, padding, strict=True)]), x.dtype)
    for offset in np.ndindex(*kernel):
        y[seen(offset, stride, count)] += x[(slice(None), slice(None), *offset)]
    return y[(..., *[slice(p, p + n) for n, p in zip(size, padding, strict=True)])]


@image.vjp("x")
def _image_x(g: Any, kernel: Shape, stride: Shape, padding: Shape) -> Any:
    """columns(g)"""
    return columns(g, kernel=kernel, stride=stride, padding=padding)
