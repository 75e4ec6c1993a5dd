"""The gradient of an input that was broadcast: summed to the input's shape, if that is what explains its shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import a_kind
from .node import check_shape

if TYPE_CHECKING:
    from .primitive import Primitive


def summed(function: Primitive, g: Any, label: str, shape: tuple[int, ...], upstream: tuple[int, ...] | None) -> Any:
    """The gradient of a broadcast input; an error for everything else that has another shape than the input.

    Summed are the axes along which the forward has broadcast, so a gradient that is larger than the result is none.
    """
    if not hasattr(g, "shape"):
        raise TypeError(
            f"{function.name}: the rule of input {label!r} returned {a_kind(g)}; expected a gradient "
            f"of shape {shape}, computed from g"
        )
    if function.elementwise and (upstream is None or upstream == g.shape or _spreads_to(g.shape, upstream)):
        try:
            return function.sum_to(g, shape=shape)
        except ValueError:
            pass  # said by check_shape
    check_shape(function.name, label, g, shape)
    return g


def _spreads_to(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, result) == result
    except ValueError:
        return False
