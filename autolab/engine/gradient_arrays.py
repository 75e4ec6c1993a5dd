"""The shape of a gradient: that of its input, or one that sums to it if the input was broadcast.

The gradient of an array of which a slice was taken: zero except for that slice.

A loop over a sequence takes `x[:, t]` at each step. If each gradient were an array of the size of `x`, a sequence twice
as long would take four times as long.

A sum of gradients in float16 is one, too: of the whole array, in float32 until the pass visits its node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import HALF, SINGLE
from .backend import get_array_module, numpys
from .errors import GradientShapeError, a_kind

if TYPE_CHECKING:
    from .primitive import Primitive


def summed(function: Primitive, g: Any, place: int, shape: tuple[int, ...], upstream: tuple[int, ...] | None) -> Any:
    """The gradient of a broadcast input, summed to its shape; an error for any other gradient of a different shape.

    Only axes along which the forward has broadcast are summed, so a gradient larger than the result is refused.
    """
    if not hasattr(g, "shape"):
        raise TypeError(
            f"{function.name}: the rule of input {function.schema.label(place)!r} returned {a_kind(g)}; expected a "
            f"gradient of shape {shape}, computed from g"
        )
    if function.elementwise and (upstream is None or upstream == g.shape or _spreads_to(g.shape, upstream)):
        try:
            if type(g) is np.ndarray:  # the usual case: the forward alone takes two thirds of the time
                return function.sum_to.function.run(np, g, shape=shape)
            return function.sum_to(g, shape=shape)
        except ValueError:
            pass  # check_shape reports it
    check_shape(function.name, function.schema.label(place), g, shape)
    return g


def _spreads_to(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, result) == result
    except ValueError:
        return False


def check_shape(function: str, which: str, g: Any, shape: tuple[int, ...]) -> None:
    """Raise `GradientShapeError` unless ``g`` has the shape of its input."""
    if g.shape != shape:
        hint = f" Sum over the broadcast axes: sum_to(g, shape={shape})." if len(g.shape) > len(shape) else ""
        raise GradientShapeError(
            f"{function}: gradient for input {which!r} has shape {g.shape}, but {which!r} has shape {shape}.{hint}",
            g.shape,
            shape,
        )


def sum_of_halves(a: Any, b: Any) -> SlicedGradient:
    """``a + b`` of gradients in float16, to be rounded once: in float16, 2,048 + 1 is 2,048."""
    if type(a) is SlicedGradient:
        if a.g.dtype is not HALF:
            a += b
            return a
        a = a.whole()
    found = SlicedGradient(a.astype(SINGLE), ..., a.shape)
    found.dtype = HALF
    found += b
    return found


class SlicedGradient:
    """Zeros of ``shape`` with ``g`` at ``[index]``, which selects no element twice; adding it touches only that slice.

    It exists from the rule of `getitem` until the pass visits the node of the array, or ends. NumPy can use it as an
    array, which is only created for operations other than sums.
    """

    __slots__ = ("dtype", "g", "index", "shape")

    def __init__(self, g: np.ndarray, index: Any, shape: tuple[int, ...]) -> None:
        self.g, self.index, self.shape, self.dtype = g, index, shape, g.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.whole() if dtype is None else self.whole().astype(dtype)

    def whole(self) -> Any:
        """The full array; a Variable if the sum of halves was one."""
        if self.g.dtype is not self.dtype:
            return self.g.astype(self.dtype)
        y = get_array_module(self.g).zeros(self.shape, self.dtype)
        y[self.index] = self.g
        return y

    def __add__(self, other: Any) -> Any:
        if self.dtype is HALF:
            return sum_of_halves(self, other)
        y = self.whole()
        y += other
        return y

    def __iadd__(self, other: Any) -> Any:
        if self.g.dtype is self.dtype:
            return self + other
        if type(other) is not SlicedGradient:
            self.g = self.g + other
        elif other.g.dtype is not other.dtype:
            self.g = self.g + other.g
        else:
            self.g[other.index] += other.g
        return self

    def __getitem__(self, index: Any) -> Any:
        return self.g[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.g[index] = value

    def __radd__(self, other: Any) -> Any:
        return self.__array_ufunc__(np.add, "__call__", other, self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **settings: Any) -> Any:
        """``array + self`` and, with ``out``, ``array += self``; all other functions get the full array."""
        first = inputs[0]
        if ufunc is np.add and method == "__call__" and type(first) in numpys and not settings:
            y = first.copy() if out is None else out[0]
            y[self.index] += self.g
            return y
        arrays = [np.asarray(item) if item is self else item for item in inputs]
        return getattr(ufunc, method)(*arrays, **settings, **({} if out is None else {"out": out}))
