"""The shape of a gradient: that of its input, or one that sums to it if the input was broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
