"""Windows that slide over the last axes of an image of shape ``(examples, channels, *size)``.

`columns` extracts what the windows see (im2col), `image` adds it back where it came from (col2im); each is the gradient
of the other. Convolution and pooling are composed of these two and of products, which gives them gradients of every
order. Both keep the memory order of their input: if the examples are last, all of them are copied and added at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...engine import Array
from ...engine.declare import primitive

Shape = tuple[int, ...]


class Windows(NamedTuple):
    """The geometry of the windows over an image, along each of its axes.

    A window has ``kernel`` elements at a distance of ``dilation``; windows are at a distance of ``stride``. ``padding``
    is the number of elements added at each end.
    """

    kernel: Shape
    stride: Shape
    padding: Shape
    dilation: Shape

    @property
    def reach(self) -> Shape:
        """The extent of a window in the image."""
        return tuple([d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True)])

    def tile(self, size: Shape) -> bool:
        """Whether each element of an image is seen by exactly one window."""
        axes = zip(size, self.reach, self.stride, strict=True)
        return not any(self.padding) and all([r == s and n % s == 0 for n, r, s in axes]) and self.reach == self.kernel

    def positions(self, size: Shape) -> Shape:
        """The number of windows along each axis; elements left over at the end are not seen."""
        axes = zip(size, self.reach, self.stride, self.padding, strict=True)
        found = tuple([(n + 2 * p - r) // s + 1 for n, r, s, p in axes])
        if any([n < 1 for n in found]):
            raise ValueError(f"a window of size {self.reach} does not fit into size {size} with padding {self.padding}")
        return found

    def views(self, count: Shape) -> Iterator[tuple[Any, ...]]:
        """For each element of a window, the index of what it sees at all positions in a padded image."""
        for element in np.ndindex(*self.kernel):
            axes = zip(element, self.dilation, self.stride, count, strict=True)
            yield (..., *[slice(i * d, i * d + s * (n - 1) + 1, s) for i, d, s, n in axes])


def windows(
    kernel: int | Shape, stride: int | Shape, padding: int | Shape | str, dilation: int | Shape, axes: int
) -> Windows:
    """Windows over ``axes`` axes, from one number for all or one for each."""
    kernel, stride = per_axis(kernel, axes, "kernel", 1), per_axis(stride, axes, "stride", 1)
    dilation = per_axis(dilation, axes, "dilation", 1)
    if isinstance(padding, str):
        padding = named_padding(padding, kernel, stride, dilation)
    return Windows(kernel, stride, per_axis(padding, axes, "padding", 0), dilation)


def named_padding(padding: str, kernel: Shape, stride: Shape, dilation: Shape, what: str = "padding") -> Shape:
    """The padding by name: 0 for ``"valid"``; for ``"same"``, that which makes the result as large as the image."""
    reaches = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    odd = padding.lower() == "same" and set(stride) == {1} and not any([reach % 2 for reach in reaches])
    if not odd and padding.lower() != "valid":
        told = "expected a number, 'valid', or 'same' with an odd kernel and stride 1"
        raise ValueError(f"{what} is {padding!r:.60}; {told}")
    return tuple([reach // 2 if odd else 0 for reach in reaches])


def check_padding_mode(name: str, mode: Any) -> str:
    """The ``padding_mode`` of a convolution, or an error that names its layer."""
    modes = ("zeros", "reflect", "replicate", "circular")
    if mode not in modes:
        raise ValueError(f"{name}: padding_mode={mode!r:.40}; expected {modes}")
    return str(mode)


def per_axis(value: int | Shape, axes: int, name: str, least: int) -> Shape:
    """A stride, padding, dilation or kernel size as one int per axis."""
    values = tuple(value) if isinstance(value, tuple | list) else (value,) * axes
    if len(values) != axes or not all([isinstance(v, int | np.integer) and v >= least for v in values]):
        raise ValueError(f"{name} is {value}; expected an int or {axes} of them, not below {least}")
    return values


@primitive()
def examples_last(xp: Any, x: Array) -> Array:
    """``x`` itself, laid out in memory so that the elements at the same position in all examples are contiguous."""
    return xp.moveaxis(xp.ascontiguousarray(xp.moveaxis(x, 0, -1)), -1, 0)


@examples_last.vjp("x")
def _examples_last_x(g: Any) -> Any:
    """g"""
    return g


def padded(xp: Any, x: Array, padding: Shape, fill: float = 0.0) -> Array:
    """``x`` with ``fill`` around the last axes."""
    if not any(padding):
        return x
    y = xp.full_like(x, fill, np.result_type(x, fill), shape=_outer(x.shape, padding))  # integers have no infinity
    y[_inside(x.shape[2:], padding)] = x
    return y


def _outer(shape: Shape, padding: Shape) -> Shape:
    return (*shape[:2], *[n + 2 * p for n, p in zip(shape[2:], padding, strict=True)])


def _inside(size: Shape, padding: Shape) -> tuple[Any, ...]:
    """The index of the image within its padding."""
    return (..., *[slice(p, p + n) for n, p in zip(size, padding, strict=True)])


def seen(xp: Any, x: Array, windows: Windows, fill: float) -> list[Array]:
    """For each element of a window, a view of what it sees at all positions: adding and comparing need no copy."""
    count = windows.positions(x.shape[2:])
    x = padded(xp, x, windows.padding, fill)
    return [x[place] for place in windows.views(count)]


def added(xp: Any, parts: Iterator[Array], size: Shape, windows: Windows) -> Array:
    """The image of the given size to which each element of a window adds its part, a number for each position."""
    y: Any = None
    once = windows.tile(size)
    for place, part in zip(windows.views(windows.positions(size)), parts, strict=True):
        if y is None:
            blank = xp.empty_like if once else xp.zeros_like
            y = blank(part, shape=_outer((*part.shape[:2], *size), windows.padding))
        if once:
            y[place] = part
        else:
            y[place] += part
    return y[_inside(size, windows.padding)].copy(order="K") if any(windows.padding) else y


@primitive()
def columns(xp: Any, x: Array, *, windows: Windows) -> Array:
    """What the windows see, as an array of shape ``(examples, channels, elements of a window, windows)``."""
    count = windows.positions(x.shape[2:])
    x = padded(xp, x, windows.padding)
    places = tuple([step * d for step, d in zip(x.strides[2:], windows.dilation, strict=True)])
    steps = tuple([step * s for step, s in zip(x.strides[2:], windows.stride, strict=True)])
    shape, strides = (*x.shape[:2], *windows.kernel, *count), (*x.strides[:2], *places, *steps)
    view = xp.lib.stride_tricks.as_strided(x, shape, strides)
    behind = math.prod(windows.kernel), math.prod(count)
    if x.strides[0] < x.strides[-1]:  # its examples are last in memory, and stay so
        laid = xp.ascontiguousarray(xp.moveaxis(view, 0, -1))
        return xp.moveaxis(laid.reshape(x.shape[1], *behind, len(x)), -1, 0)
    return xp.ascontiguousarray(view).reshape(*x.shape[:2], *behind)


@columns.vjp("x")
def _columns_x(g: Any, x_shape: Shape, windows: Windows) -> Any:
    """image(g)"""
    return image(g, size=x_shape[2:], windows=windows)


@primitive()
def image(xp: Any, x: Array, *, size: Shape, windows: Windows) -> Array:
    """The image of the given size in which each element is the sum of the window elements that see it."""
    count = windows.positions(size)
    x = x.reshape(*x.shape[:2], *windows.kernel, *count)
    parts = (x[(slice(None), slice(None), *element)] for element in np.ndindex(*windows.kernel))
    return added(xp, parts, size, windows)


@image.vjp("x")
def _image_x(g: Any, windows: Windows) -> Any:
    """columns(g)"""
    return columns(g, windows=windows)
