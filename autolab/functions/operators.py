"""Python's operators and the array methods of Variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.variable import Variable
from .choose import clip
from .linalg import matmul
from .math import add, div, mul, neg, pow, sub
from .powers import abs as _abs
from .reduce import sum as _sum
from .shape import reshape, transpose


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def _sum_method(self: Variable, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Variable:
    """Sum over all elements, one axis or several."""
    return _sum(self, axis=axis, keepdims=keepdims)


def _reshape_method(self: Variable, *shape: Any) -> Variable:
    """``x.reshape(2, 3)``, ``x.reshape((2, 3))`` or ``x.reshape([2, 3])``; the same shape gives the same Variable."""
    wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
    return self if wanted == self.shape else reshape(self, shape=wanted)


def _transpose_method(self: Variable, *axes: Any) -> Variable:
    """``x.transpose()``, ``x.transpose(1, 0, 2)`` or ``x.transpose((1, 0, 2))``."""
    wanted = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], list | tuple)) else axes
    return transpose(self, axes=tuple(wanted) if wanted else None)


def _clip_method(self: Variable, min: Any = None, max: Any = None) -> Variable:
    """The elements moved into the interval from ``min`` to ``max``; either may be None."""
    return clip(self, min, max)


def install() -> None:
    """Give Variable its operators and methods."""
    operators = {"add": add, "sub": sub, "mul": mul, "truediv": div, "pow": pow, "matmul": matmul}
    for name, function in operators.items():
        setattr(Variable, f"__{name}__", function)
        setattr(Variable, f"__r{name}__", _reflected(function))
    Variable.__neg__ = neg  # type: ignore[method-assign]
    Variable.__pos__ = lambda self: self  # type: ignore[method-assign]
    Variable.__abs__ = _abs  # type: ignore[method-assign]
    Variable.clip = _clip_method  # type: ignore[method-assign]
    Variable.sum = _sum_method  # type: ignore[method-assign]
    Variable.reshape = _reshape_method  # type: ignore[method-assign]
    Variable.transpose = _transpose_method  # type: ignore[method-assign]
    Variable.T = property(transpose)  # type: ignore[assignment]
